import { DAY, HOUR, MINUTE } from '../times';
import { isoSeconds } from './clock';
import { BRANCHES } from './data';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import type { Property } from './propertyData';
import { statusFields } from './propertyData';
import type { Random } from './random';
import { createRandom, integer, pick } from './random';

const LEADS = 40;
const PROPERTIES = 320;

/** Fills the sandbox with what a few branches receive in a month. The newest applicants ask about its properties. */
export function seedDemo(sandbox: Sandbox, seed: number): void {
	const random = createRandom(seed + 13);
	const now = sandbox.now();
	const month = { from: now - 30 * DAY + HOUR, to: now - HOUR, branchId: BRANCHES };
	sandbox.addClient({
		integration: 'leads',
		clientId: 'leads-branches-client',
		clientSecret: 'b+r%41a:n ç&h=secret',
		branches: BRANCHES,
	});
	const properties = sandbox.inventory.fill(AGENCY_REFS[0], PROPERTIES);
	for (const property of properties) putOnMarket(property, random, now);
	sandbox.addLeads('applicant', LEADS, month);
	sandbox.addLeads('appraisal', LEADS, month);
	properties.slice(0, 10).forEach((property, index) => {
		const about = leadAbout(property);
		const receivedAt = now - (10 - index) * 4 * MINUTE;
		sandbox.addLead('applicant', about, { branchId: pick(random, BRANCHES), receivedAt });
	});
}

/** Changes a property as the course of a sale or a letting does: its price falls, or it is under offer. */
export function changeProperty({ inventory }: Sandbox, random: Random): Property {
	const { id, price, recordType } = pick(random, inventory.of(AGENCY_REFS[0]));
	const inventoryStatus = recordType === 'Rent' ? 'LetAgreed' : 'UnderOffer';
	const lower = Math.floor(price * 0.97);
	return inventory.change(
		AGENCY_REFS[0],
		id,
		pick(random, [{ price: lower }, { price: lower }, { inventoryStatus }]),
	);
}

/** In the books for a year at most, and changed since. */
function putOnMarket(property: Property, random: Random, now: number): void {
	const created = now - integer(random, 8, 365) * DAY;
	const status = property.recordType === 'Rent' ? 'LetMarketing' : 'Available';
	Object.assign(property, {
		...(!property.archived && statusFields(status)),
		createdDate: isoSeconds(created),
		modifiedDate: isoSeconds(integer(random, created, now - HOUR)),
		instructionDate: property.instructionDate && isoSeconds(created + DAY),
	});
}

/** What a lead says that asks about this property: both are found by its number and its address. */
function leadAbout({ uprn, price, address, recordType }: Property) {
	const { nameNo: propertyNumberOrName, street: streetName, town: townOrCity, postcode } = address;
	return {
		enquiryType: `ENQUIRY_TYPE_${recordType === 'Rent' ? 'LETTINGS' : 'SALES'}`,
		listingDetails: {
			uprn: Number(uprn),
			address: { propertyNumberOrName, streetName, townOrCity, postcode },
			pricing: { price },
		},
	};
}
