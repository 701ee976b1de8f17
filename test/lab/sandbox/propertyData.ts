import contract from '../contract/inventory.json';
import { DAY } from '../times';
import { isoSeconds } from './clock';
import { message, person, place } from './data';
import type { Random } from './random';
import { chance, createRandom, integer, pick, seedOf } from './random';

/** the whole record, as the service names its fields */
export type Property = ReturnType<typeof property>;

const { Item } = contract.components.examples;
const { Status, Management, Maintenance } = contract.components.schemas;
export const STATUSES = Status.enum;
const ACTIVE_STATUSES = ['Available', 'UnderOffer', 'LetMarketing', 'LetAgreed'];
const EPOCH = Date.parse('2024-01-01T00:00:00Z');
export const STAFF = ['Kim Harlow', 'Lee Orchard', 'Robin Tarn'];

/** @returns the same properties for the same seed, agency and count */
export function agencyProperties(seed: number, agencyRef: string, count: number): Property[] {
	const random = createRandom(seedOf(`${seed} ${agencyRef}`));
	// An ID is unique within one agency only; the same IDs occur in another.
	const first = 5_000 + (seedOf(agencyRef) % 100);
	return Array.from({ length: count }, (_, index) => property(random, String(first + index)));
}

/**
 * @param at when it was created, as the service writes it
 * @returns a property that is on the market, and not yet instructed
 */
export function newProperty(random: Random, id: string, at: string): Property {
	const made = property(random, id);
	const status = made.recordType === 'Rent' ? 'LetMarketing' : 'Available';
	const dates = { instructionDate: null, createdDate: at, modifiedDate: null };
	return { ...made, ...statusFields(status), archived: false, ...dates };
}

/** When it was modified last, or created if it never was. */
export function lastChangeOf({ modifiedDate, createdDate }: Property): number {
	return Date.parse(modifiedDate ?? createdDate);
}

/** @returns all that a record says of its status */
export function statusFields(status: string) {
	return {
		status: status.replace(/\B[A-Z]/g, ' $&'),
		inventoryStatus: status,
		isAtActiveStatus: ACTIVE_STATUSES.includes(status),
	};
}

/** @returns the contract's example as another home, of another owner, in another state */
function property(random: Random, id: string) {
	const letting = chance(random, 0.5);
	const archived = chance(random, 0.1);
	const created = EPOCH + integer(random, 0, 500 * 86_400) * 1000;
	const modified = created + integer(random, 0, 100) * DAY;
	const address = { ...Item.value.address, ...place(random) };
	const negotiator = integer(random, 0, STAFF.length - 1);
	const fraction = String(integer(random, 0, 9_999_999)).padStart(7, '0');
	return {
		...Item.value,
		id,
		branchId: String(10 + integer(random, 1, 4)),
		category: chance(random, 0.9) ? 'Residential' : 'Commercial',
		recordType: letting ? 'Rent' : 'Sale',
		address,
		displayAddress: `${address.street}, ${address.town}`,
		...statusFields(archived ? 'Archived' : pick(random, STATUSES.slice(1))),
		archived,
		instructionDate: chance(random, 0.9) ? isoSeconds(created + DAY) : null,
		managementType: letting ? pick(random, Management.enum.slice(1)) : 'Unspecified',
		maintenanceType: letting ? pick(random, Maintenance.enum.slice(1)) : 'Unspecified',
		uprn: String(integer(random, 990_000_000_000, 990_000_999_999)),
		// The service often writes a time to a ten-millionth of a second.
		createdDate: isoSeconds(created).replace('Z', `.${fraction}Z`),
		modifiedDate: modified === created ? null : isoSeconds(modified),
		price: letting ? integer(random, 50, 250) * 10 : integer(random, 100, 900) * 1000,
		rentalFrequency: letting ? 'Monthly' : null,
		propertyType: pick(random, ['Flat', 'Terraced house', 'Detached house']),
		bedrooms: integer(random, 1, 5),
		owners: [owner(random)],
		negotiator: { id: 41 + negotiator, name: STAFF[negotiator] ?? '', links: [] },
		negotiatorName: STAFF[negotiator] ?? '',
		privateViewingNotes: message(random),
	};
}

function owner(random: Random) {
	const { firstName: forename, lastName: surname, phoneNumber, email } = person(random);
	const [example] = Item.value.owners;
	return {
		...example,
		ownerId: String(integer(random, 300, 700)),
		name: { ...example?.name, forename, surname },
		phoneNumbers: [{ preferenceOrder: 1, type: 'Mobile', description: null, number: phoneNumber }],
		emailAddresses: [{ preferenceOrder: 1, address: email }],
	};
}
