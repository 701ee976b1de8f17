import { choice, table } from './html';
import type { Inventory } from './inventory';
import { AGENCY_REFS } from './inventory';
import type { Property } from './propertyData';
import { STATUSES } from './propertyData';

/** How many properties the page shows. */
const NEWEST = 10;

/** @returns the part of the page by which people add and change properties */
export function propertySection(inventory: Inventory): string {
	const [agency] = AGENCY_REFS;
	return `<h2>Properties</h2>
<p>The last ${NEWEST} that have changed at the agency ${agency}, the newest first:</p>
${table(newest(inventory.of(agency)).map(cells))}
<form id="property">
<label>Agency ${choice('agencyRef', AGENCY_REFS)}</label>
<label>ID (empty: a new property) <input name="id" size="8"></label>
<label>Price <input name="price" type="number" min="0"></label>
<label>Status ${choice('inventoryStatus', ['', ...STATUSES.slice(1)])}</label>
<label>Archived ${choice('archived', ['', 'true', 'false'])}</label>
<button>Save</button>
</form>
<script>
onSubmit('property', ({ agencyRef, id, price, archived, ...status }) => send('POST', 'property', {
	agencyRef,
	id,
	changes: { ...status, ...(price && { price: Number(price) }), ...(archived && { archived: archived === 'true' }) },
}));
</script>`;
}

function newest(properties: Property[]): Property[] {
	const byTime = [...properties].sort(
		(one, other) => Date.parse(other.modifiedDate) - Date.parse(one.modifiedDate),
	);
	return byTime.slice(0, NEWEST);
}

function cells({ id, displayAddress, price, status, archived, modifiedDate }: Property): string[] {
	return [
		id,
		displayAddress,
		String(price),
		archived ? `${status}, archived` : status,
		modifiedDate,
	];
}
