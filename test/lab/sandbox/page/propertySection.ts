import type { Inventory } from '../inventory';
import { AGENCY_REFS } from '../inventory';
import type { Property } from '../propertyData';
import { lastChangeOf, STATUSES } from '../propertyData';
import { SAID, choice, live, table } from './html';

/** How many properties the page shows. */
const NEWEST = 10;

/** @returns the part of the page by which people add and change properties */
export function propertySection(inventory: Inventory): string {
	const [agency] = AGENCY_REFS;
	return `<form id="property-form">
<label>AgencyRef ${choice('agencyRef', AGENCY_REFS)}</label>
<label>Property ID (empty: a new property) <input name="id" size="8" autocomplete="off"></label>
<label>Price <input name="price" type="number" min="0"></label>
<label>Status ${choice('inventoryStatus', ['', ...STATUSES.slice(1)])}</label>
<label>Archived ${choice('archived', ['', 'true', 'false'])}</label>
<span class="buttons"><button>Save</button></span>
${SAID}
</form>
<p>The last ${NEWEST} that have changed at the agency <code>${agency}</code>, newest first:</p>
${live('newest-properties', table(newest(inventory.of(agency)).map(cells)))}`;
}

function newest(properties: Property[]): Property[] {
	const byTime = [...properties].sort((one, other) => lastChangeOf(other) - lastChangeOf(one));
	return byTime.slice(0, NEWEST);
}

function cells({
	id,
	address,
	price,
	status,
	archived,
	modifiedDate,
	createdDate,
}: Property): string[] {
	return [
		id,
		`${address.nameNo} ${address.street}, ${address.town}`,
		`£${price.toLocaleString('en-GB')}`,
		archived ? `${status}, archived` : status,
		modifiedDate ?? createdDate,
	];
}
