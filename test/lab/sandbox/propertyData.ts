import { DAY, isoSeconds } from './clock';
import { message, person, place } from './data';
import type { Random } from './random';
import { chance, createRandom, integer, pick, seedOf } from './random';

/** the whole record, as the service names its fields */
export type Property = ReturnType<typeof property>;

/** The values of the service's lists. A filter by the first value of a list filters nothing. */
export const CATEGORIES = ['Unspecified', 'Residential', 'Commercial'];
export const RECORD_TYPES = ['Unspecified', 'Sale', 'Rent'];
export const MANAGEMENT_TYPES = [
	'Unspecified',
	'NotManaged',
	'PartManaged',
	'Managed',
	'FullyManaged',
	'RentCollectionService',
	'LetOnly',
];
export const MAINTENANCE_TYPES = ['Unspecified', 'MaintainedByLandlord', 'MaintainedByUs'];
export const STATUSES = [
	'Unspecified',
	'Appraisal',
	'Available',
	'UnderOffer',
	'Completed',
	'Let',
	'LetAgreed',
	'LetMarketing',
	'Archived',
	'Suspended',
	'Withdrawn',
	'Instructed',
	'NotInstructed',
	'ExternallyLet',
	'UnderOfferMarketing',
	'UnderOfferAvailable',
	'Exchanged',
	'ExternallySold',
	'Reserved',
];
const ACTIVE_STATUSES = ['Available', 'UnderOffer', 'LetMarketing', 'LetAgreed'];
const EPOCH = Date.parse('2024-01-01T00:00:00Z');
const STAFF = ['Kim Harlow', 'Lee Orchard', 'Robin Tarn'];

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
	return {
		...made,
		...statusFields(status),
		archived: false,
		instructionDate: null,
		createdDate: at,
		modifiedDate: null,
	};
}

/** When it was modified last, or created if it never was. */
export function lastChangeOf({ modifiedDate, createdDate }: Property): number {
	return Date.parse(modifiedDate ?? createdDate);
}

/** The names of a record's fields. */
export const PROPERTY_FIELDS = Object.keys(property(createRandom(1), '1'));

/** @returns all that a record says of its status */
export function statusFields(status: string) {
	return {
		status: status.replace(/\B[A-Z]/g, ' $&'),
		inventoryStatus: status,
		isAtActiveStatus: ACTIVE_STATUSES.includes(status),
	};
}

function property(random: Random, id: string) {
	const letting = chance(random, 0.5);
	const archived = chance(random, 0.1);
	return {
		...recordFields(random, id, letting, archived),
		...priceFields(random, letting),
		...buildingFields(random),
		...tenureFields(random, letting),
		...peopleFields(random),
		...materialFields(random),
	};
}

function recordFields(random: Random, id: string, letting: boolean, archived: boolean) {
	const created = EPOCH + integer(random, 0, 500 * 86_400) * 1000;
	const status = archived ? 'Archived' : pick(random, STATUSES.slice(1));
	const address = { subDwelling: unset<string>(), ...place(random), countryCode: 'GB' };
	return {
		id,
		branchId: String(10 + integer(random, 1, 4)),
		category: chance(random, 0.9) ? 'Residential' : 'Commercial',
		recordType: letting ? 'Rent' : 'Sale',
		address,
		displayAddress: `${address.street}, ${address.town}`,
		...statusFields(status),
		archived,
		instructionDate: chance(random, 0.9) ? isoSeconds(created + DAY) : null,
		managementType: letting ? pick(random, MANAGEMENT_TYPES.slice(1)) : 'Unspecified',
		maintenanceType: letting ? pick(random, MAINTENANCE_TYPES.slice(1)) : 'Unspecified',
		uprn: String(integer(random, 990_000_000_000, 990_000_999_999)),
		createdDate: finely(random, created),
		modifiedDate: modified(created + integer(random, 0, 100) * DAY, created),
	};
}

function priceFields(random: Random, letting: boolean) {
	return {
		price: letting ? integer(random, 50, 250) * 10 : integer(random, 100, 900) * 1000,
		priceQualifier: letting ? null : pick(random, ['Guide price', 'Offers over']),
		currency: 'GBP',
		rentalFrequency: letting ? 'Monthly' : null,
		rentalDateAvailable: letting ? '2026-04-01T00:00:00Z' : null,
		serviceCharge: chance(random, 0.3) ? '1200' : null,
		serviceChargeNotes: unset<string>(),
		groundRent: chance(random, 0.2) ? '150' : null,
		groundRentNotes: unset<string>(),
		groundRentReviewPeriod: unset<number>(),
		groundRentPercentageIncrease: unset<number>(),
		groundRentFixedForTerm: unset<boolean>(),
		taxBand: pick(random, ['A', 'B', 'C', 'D', 'E']),
		taxBandExemptReason: unset<string>(),
	};
}

function buildingFields(random: Random) {
	return {
		propertySubTypeId: integer(random, 1, 9),
		propertyType: pick(random, ['Flat', 'Terraced house', 'Detached house']),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		floorAreaInSquareFeet: integer(random, 400, 2200) + 0.5,
		landAreaInAcres: chance(random, 0.2) ? 0.25 : null,
		yearBuilt: integer(random, 1850, 2020),
		newBuild: false,
		hasAsbestos: unset<boolean>(),
		epc: {
			energyEfficiencyRatingCurrent: integer(random, 20, 80),
			energyEfficiencyRatingPotential: integer(random, 80, 98),
			exempt: false,
			exemptionReason: unset<string>(),
		},
	};
}

function tenureFields(random: Random, letting: boolean) {
	const isLeasehold = !letting && chance(random, 0.4);
	return {
		tenureId: isLeasehold ? 2 : 1,
		tenure: isLeasehold ? 'Leasehold' : 'Freehold',
		tenancyType: letting ? 'AssuredShortholdTenancy' : 'Unspecified',
		leaseRemainingYears: isLeasehold ? 94 : null,
		leaseTerm: isLeasehold ? 125 : null,
		leaseEndDate: isLeasehold ? '2120-06-30T00:00:00Z' : null,
		leaseNotes: unset<string>(),
		localAuthority: 'Exampleshire Council',
		sharedOwnership: false,
		sharedOwnershipPercentageShare: unset<number>(),
		sharedOwnershipRent: unset<number>(),
		sharedOwnershipRentFrequencyId: unset<number>(),
	};
}

function peopleFields(random: Random) {
	const negotiator = employee(random);
	return {
		owners: [owner(random)],
		negotiator,
		negotiatorName: negotiator.name,
		propertyManager: employee(random),
		privateViewingNotes: message(random),
	};
}

function owner(random: Random) {
	const { firstName, lastName, phoneNumber, email } = person(random);
	const ownerId = integer(random, 300, 700);
	return {
		ownerId: String(ownerId),
		contactId: ownerId + 1_000,
		name: { title: 'Mx', forename: firstName, surname: lastName },
		phoneNumbers: [
			{ preferenceOrder: 1, type: 'Mobile', description: unset<string>(), number: phoneNumber },
		],
		emailAddresses: [{ preferenceOrder: 1, address: email }],
	};
}

function employee(random: Random) {
	const place = integer(random, 0, STAFF.length - 1);
	const id = 41 + place;
	return { id, name: STAFF[place] ?? '', links: [{ href: `/negotiators/${id}`, rel: 'self' }] };
}

/** Facts of which a seller or landlord must inform a buyer or tenant. */
function materialFields(random: Random) {
	return {
		accessibilityRequirements: { accessibility: [pick(random, ['LevelAccess', 'WetRoom'])] },
		broadband: { supply: [pick(random, ['Fttp', 'Cable'])], speed: 'up to 900 Mbit/s' },
		buildingSafety: { issue: ['none known'] },
		construction: { material: ['stone'] },
		coastalErosion: false,
		electricity: { supply: [pick(random, ['MainsSupply', 'SolarPvPanels'])] },
		heating: { source: [pick(random, ['GasMains', 'HeatPumpAirSource'])] },
		knownPlanningConsiderations: unset<string>(),
		mobileCoverage: 'indoors',
		parking: { parkingType: [pick(random, ['DrivewayPrivate', 'SingleGarage'])] },
		sewerage: { supply: ['Mains'] },
		water: { supply: ['Mains'] },
		...riskFields(random),
	};
}

function riskFields(random: Random) {
	return {
		floodingRisks: {
			sourcesOfFlooding: { source: [pick(random, ['River', 'Sea'])] },
			floodedWithinLast5Years: chance(random, 0.1),
			floodDefensesPresent: unset<boolean>(),
		},
		miningRisks: { coalfields: false, otherMiningActivities: unset<boolean>() },
		restrictions: {
			conservationArea: chance(random, 0.2),
			leaseRestrictions: unset<boolean>(),
			listedBuilding: unset<boolean>(),
			permittedDevelopment: unset<boolean>(),
			realBurdens: unset<boolean>(),
			holidayHomeRental: unset<boolean>(),
			restrictiveCovenant: unset<boolean>(),
			businessFromProperty: unset<boolean>(),
			propertySubletting: unset<boolean>(),
			treePreservationOrder: unset<boolean>(),
			other: unset<boolean>(),
		},
		rightsAndEasements: rightsAndEasements(),
	};
}

function rightsAndEasements() {
	return {
		rightOfWayPublic: unset<boolean>(),
		rightOfWayPrivate: unset<boolean>(),
		registeredEasementsHmlr: unset<boolean>(),
		servitudes: unset<boolean>(),
		sharedDriveway: unset<boolean>(),
		loftAccess: true,
		drainAccess: unset<boolean>(),
		other: unset<boolean>(),
	};
}

/** What the agency has not filled in. */
/** A property that was never modified has no time at which it was. */
function modified(at: number, created: number): string | null {
	return at === created ? null : isoSeconds(at);
}

function unset<T>(): T | null {
	return null;
}

/** A time as the service often writes it, to a ten-millionth of a second. */
function finely(random: Random, epochMs: number): string {
	const fraction = String(integer(random, 0, 9_999_999)).padStart(7, '0');
	return isoSeconds(epochMs).replace('Z', `.${fraction}Z`);
}
