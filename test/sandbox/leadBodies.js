// @ts-check
const { message, person, place, postcode } = require('./data');
const { chance, integer, pick, uuid } = require('./random');

/** @typedef {import('./random').Random} Random */
/** @typedef {'applicant' | 'appraisal'} LeadKind */
/** @typedef {{ branchId?: string, brandId?: string, companyId?: string, groupId?: string }} LeadOwner */
/** @typedef {ReturnType<typeof commonFields>} CommonLead */
/** @typedef {CommonLead & ReturnType<typeof applicantFields>} ApplicantLead */
/** @typedef {CommonLead & ReturnType<typeof appraisalFields>} AppraisalLead */
/**
 * @template {LeadKind} K
 * @typedef {K extends 'applicant' ? ApplicantLead : AppraisalLead} LeadOf
 */

const PROPERTY_TYPES = ['FLAT', 'TERRACED', 'SEMI_DETACHED', 'DETACHED', 'BUNGALOW'];

/**
 * @template {LeadKind} K
 * @param {K} kind
 * @param {Random} random
 * @param {string} createdAt
 * @param {LeadOwner} owner
 * @returns {LeadOf<K>}
 */
function leadBody(kind, random, createdAt, owner) {
	const common = commonFields(random, createdAt, owner);
	const own = kind === 'applicant' ? applicantFields(random) : appraisalFields(random);
	return /** @type {LeadOf<K>} */ ({ ...common, ...own });
}

/**
 * @param {Random} random
 * @param {string} createdAt
 * @param {LeadOwner} owner
 */
function commonFields(random, createdAt, owner) {
	return {
		id: uuid(random),
		createdAt,
		contact: {
			...person(random),
			preferences: {
				method: pick(random, ['PHONE', 'EMAIL', 'UNSPECIFIED']),
				time: pick(random, ['MORNING', 'AFTERNOON', 'EVENING', 'ANYTIME']),
			},
		},
		enquiryType: pick(random, [
			'ENQUIRY_TYPE_SALES',
			'ENQUIRY_TYPE_LETTINGS',
			'ENQUIRY_TYPE_UNSPECIFIED',
		]),
		intent: pick(random, ['INTENT_BUY', 'INTENT_RENT', 'INTENT_SELL', 'INTENT_UNSPECIFIED']),
		message: message(random),
		propertyUse: pick(random, ['RESIDENTIAL', 'COMMERCIAL']),
		isOverseas: chance(random, 0.05),
		portalLeadId: String(integer(random, 1000, 9999)),
		portalBranchId: String(integer(random, 100, 999)),
		portalCompanyId: owner.companyId ?? String(integer(random, 10, 99)),
		portalGroupId: owner.groupId ?? String(integer(random, 1, 9)),
		sourceBranchId: owner.branchId ?? `branch-${integer(random, 900, 999)}`,
		recipientEmail: 'branch@example.com',
		leadSource: pick(random, ['PORTAL', 'WEBSITE', 'PHONE']),
		portalSource: pick(random, ['SEARCH', 'LISTING', 'VALUATION']),
	};
}

/** @param {Random} random */
function applicantFields(random) {
	const letting = chance(random, 0.4);
	return {
		consumerPostcode: postcode(random),
		consumerSituation: pick(random, ['FIRST_TIME_BUYER', 'PROPERTY_TO_SELL', 'RENTING']),
		organiseViewing: chance(random, 0.5),
		requestPropertyDetails: chance(random, 0.5),
		viewingTimes: viewingTimes(random),
		searchCriteria: searchCriteria(random, letting),
		listingDetails: listingDetails(random, letting),
	};
}

/** @param {Random} random */
function viewingTimes(random) {
	const hour = integer(random, 9, 16);
	const time = (/** @type {number} */ at) => `2030-01-07T${String(at).padStart(2, '0')}:00:00Z`;
	return chance(random, 0.3) ? [{ earliest: time(hour), latest: time(hour + 2) }] : [];
}

/**
 * @param {Random} random
 * @param {boolean} letting
 */
function searchCriteria(random, letting) {
	return {
		location: postcode(random).slice(0, 3),
		radius: integer(random, 1, 15),
		minimumBedrooms: 1,
		maximumBedrooms: integer(random, 2, 5),
		minimumPrice: letting ? 500 : 100_000,
		maximumPrice: letting ? 2500 : 750_000,
		priceFrequency: letting ? 'PER_MONTH' : 'NOT_APPLICABLE',
		propertyType: pick(random, PROPERTY_TYPES),
		propertySubType: 'UNSPECIFIED',
	};
}

/**
 * @param {Random} random
 * @param {boolean} letting
 */
function listingDetails(random, letting) {
	const { nameNo, street, locality, town, postcode: code } = place(random);
	const id = integer(random, 1_000_000, 9_999_999);
	return {
		id: String(id),
		url: `https://www.example.com/properties/${id}`,
		sourceId: `SRC-${id}`,
		propertyId: uuid(random),
		uprn: String(integer(random, 100_000_000, 999_999_999)),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		lifeCycleStatus: pick(random, ['AVAILABLE', 'UNDER_OFFER']),
		propertyType: pick(random, PROPERTY_TYPES),
		images: [`https://www.example.com/images/${id}-1.jpg`],
		address: {
			propertyNumberOrName: nameNo,
			streetName: street,
			locality,
			townOrCity: town,
			postcode: code,
			countryCode: 'GB',
		},
		pricing: {
			transactionType: letting ? 'RENT' : 'SALE',
			currencyCode: 'GBP',
			price: letting ? integer(random, 50, 250) * 10 : integer(random, 100, 900) * 1000,
			rentFrequency: letting ? 'PER_MONTH' : 'NOT_APPLICABLE',
		},
	};
}

/** @param {Random} random */
function appraisalFields(random) {
	return {
		urgency: pick(random, ['ASAP', 'WITHIN_3_MONTHS', 'NOT_SURE']),
		justCurious: chance(random, 0.2),
		propertyDetails: propertyDetails(random),
	};
}

/** @param {Random} random */
function propertyDetails(random) {
	const { nameNo, street, locality, town, county, postcode: code } = place(random);
	const value = integer(random, 100, 900) * 1000;
	const efficiency = integer(random, 20, 95);
	return {
		propertyId: uuid(random),
		uprn: String(integer(random, 100_000_000, 999_999_999)),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		floorArea: integer(random, 40, 220),
		tenure: pick(random, ['FREEHOLD', 'LEASEHOLD']),
		propertyType: pick(random, PROPERTY_TYPES),
		lastSalePrice: Math.round(value * 0.7),
		latitude: 50 + Math.round(random() * 1000) / 1000,
		longitude: -10 - Math.round(random() * 1000) / 1000,
		address: {
			line1: `${nameNo} ${street}`,
			line2: locality,
			line3: '',
			town,
			county,
			postcode: code,
		},
		estimate: {
			value,
			lowerRange: Math.round(value * 0.9),
			upperRange: Math.round(value * 1.1),
			confidence: integer(random, 1, 7),
			confidenceBand: pick(random, ['LOW', 'MEDIUM', 'HIGH']),
		},
		energy: { efficiency, rating: efficiency > 68 ? 'C' : 'E' },
	};
}

module.exports = { leadBody };
