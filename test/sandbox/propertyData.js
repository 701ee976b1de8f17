// @ts-check
const { DAY, isoSeconds } = require('./clock');
const { message, person, place } = require('./data');
const { chance, createRandom, integer, pick, seedOf, uuid } = require('./random');

/** @typedef {import('./random').Random} Random */
/** @typedef {ReturnType<typeof property>} Property */

const STATUSES = [
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
const EPOCH = Date.parse('2024-01-01T00:00:00Z');

/**
 * @param {number} seed
 * @param {string} agencyRef
 * @param {number} count
 * @returns {Property[]} always the same for the same three
 */
function agencyProperties(seed, agencyRef, count) {
	const random = createRandom(seedOf(`${seed} ${agencyRef}`));
	return Array.from({ length: count }, () => property(random, agencyRef));
}

/**
 * @param {Random} random
 * @param {string} agencyRef
 */
function property(random, agencyRef) {
	const letting = chance(random, 0.5);
	const archived = chance(random, 0.1);
	return {
		...recordFields(random, agencyRef, letting, archived),
		...priceFields(random, letting),
		...descriptionFields(random),
		...legalFields(random),
		...peopleFields(random),
	};
}

/**
 * @param {Random} random
 * @param {string} agencyRef
 * @param {boolean} letting
 * @param {boolean} archived
 */
function recordFields(random, agencyRef, letting, archived) {
	const created = EPOCH + integer(random, 0, 500 * 86_400) * 1000;
	const id = uuid(random);
	return {
		id,
		inventoryId: id,
		reference: `REF-${integer(random, 10_000, 99_999)}`,
		branchId: `${agencyRef}-B${integer(random, 1, 4)}`,
		createdAt: isoSeconds(created),
		modifiedAt: isoSeconds(created + integer(random, 0, 100) * DAY),
		categoryType: chance(random, 0.9) ? 'Residential' : 'Commercial',
		recordType: letting ? 'Rent' : 'Sale',
		archived,
		status: archived ? 'Archived' : pick(random, STATUSES),
		address: { subDwelling: '', ...place(random), countryCode: 'GB' },
		latitude: 50 + Math.round(random() * 1000) / 1000,
		longitude: -10 - Math.round(random() * 1000) / 1000,
		uprn: String(integer(random, 100_000_000, 999_999_999)),
		managementType: pick(random, ['Managed', 'LetOnly', 'RentCollection']),
		maintenanceType: pick(random, ['Agent', 'Landlord']),
		instructionDate: isoSeconds(created + DAY).slice(0, 10),
	};
}

/**
 * @param {Random} random
 * @param {boolean} letting
 */
function priceFields(random, letting) {
	const price = letting ? integer(random, 50, 250) * 10 : integer(random, 100, 900) * 1000;
	return {
		price,
		priceQualifier: pick(random, ['GuidePrice', 'FixedPrice', 'OffersOver', 'None']),
		currencyCode: 'GBP',
		rentFrequency: letting ? 'Monthly' : null,
		deposit: letting ? price : null,
		originalPrice: price,
		commissionPercent: 1.5,
		commissionFixed: null,
		serviceCharge: chance(random, 0.3) ? 1200 : null,
		groundRent: chance(random, 0.2) ? 150 : null,
		councilTaxBand: pick(random, ['A', 'B', 'C', 'D', 'E']),
		councilTaxAmount: integer(random, 1000, 3000),
		holdingDeposit: letting ? Math.round(price / 4) : null,
		billsIncluded: letting && chance(random, 0.1),
	};
}

/** @param {Random} random */
function descriptionFields(random) {
	return {
		propertyType: pick(random, ['Flat', 'Terraced', 'SemiDetached', 'Detached']),
		propertyStyle: pick(random, ['Period', 'Modern']),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		floors: integer(random, 1, 3),
		floorArea: integer(random, 40, 220),
		floorAreaUnit: 'SquareMetres',
		landArea: null,
		furnished: pick(random, ['Furnished', 'PartFurnished', 'Unfurnished']),
		parking: pick(random, ['None', 'OffStreet', 'Garage']),
		garden: chance(random, 0.5),
		heating: pick(random, ['Gas', 'Electric']),
		petsAllowed: chance(random, 0.3),
		yearBuilt: integer(random, 1850, 2020),
		newBuild: false,
		summary: 'A property which does not exist.',
		description: message(random),
		features: ['Near the river', 'Recently painted'],
		rooms: [{ name: 'Kitchen', width: 3.2, length: 4.1, unit: 'Metres' }],
		images: ['https://www.example.com/images/1.jpg'],
		floorplans: ['https://www.example.com/floorplans/1.png'],
		virtualTourUrl: null,
		brochureUrl: null,
	};
}

/** @param {Random} random */
function legalFields(random) {
	return {
		tenure: pick(random, ['Freehold', 'Leasehold']),
		leaseYearsLeft: null,
		energyEfficiency: integer(random, 20, 95),
		energyEfficiencyPotential: integer(random, 60, 98),
		energyRating: pick(random, ['B', 'C', 'D', 'E']),
		energyExpiryDate: '2032-05-01',
		gasSafetyExpiryDate: null,
		electricalSafetyExpiryDate: null,
		availableFrom: null,
		tenancyMonths: 12,
		agencyType: pick(random, ['SoleAgency', 'MultiAgency']),
		agreementExpiryDate: null,
	};
}

/** @param {Random} random */
function peopleFields(random) {
	return {
		ownerId: `owner-${integer(random, 1, 400)}`,
		owner: person(random),
		negotiatorId: `staff-${integer(random, 1, 12)}`,
		viewingNotes: message(random),
		keysHeld: chance(random, 0.5),
		published: chance(random, 0.7),
		portals: ['example.com'],
		tags: [],
	};
}

module.exports = { agencyProperties, STATUSES };
