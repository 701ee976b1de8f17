import { message, person, place, postcode } from './data';
import type { Random } from './random';
import { chance, integer, pick, uuid } from './random';

export type LeadKind = 'applicant' | 'appraisal';
export type LeadOwner = {
	branchId?: string;
	brandId?: string;
	companyId?: string;
	groupId?: string;
};
type CommonLead = ReturnType<typeof commonFields>;
interface LeadsByKind {
	applicant: CommonLead & ReturnType<typeof applicantFields>;
	appraisal: CommonLead & ReturnType<typeof appraisalFields>;
}
export type LeadOf<K extends LeadKind> = LeadsByKind[K];

const PROPERTY_TYPES = [
	'PROPERTY_TYPE_FLAT',
	'PROPERTY_TYPE_TERRACED',
	'PROPERTY_TYPE_SEMI_DETACHED',
	'PROPERTY_TYPE_DETACHED',
	'PROPERTY_TYPE_BUNGALOW',
	'PROPERTY_TYPE_UNSPECIFIED',
];
const PROPERTY_USES = ['PROPERTY_USE_RESIDENTIAL', 'PROPERTY_USE_COMMERCIAL', ''];
const SITUATIONS = [
	'CONSUMER_SITUATION_FIRST_TIME_BUYER',
	'CONSUMER_SITUATION_PROPERTY_TO_SELL',
	'CONSUMER_SITUATION_UNSPECIFIED',
];

/** Values of a lead's open lists. The contract has no more than an example of each list. */
const WORDS = {
	applicant: { prefix: 'APPLICANT', intent: 'BUY', portal: 'LISTING' },
	appraisal: { prefix: 'APPRAISAL', intent: 'SELL', portal: 'ASKANAGENT' },
};

export function leadBody<K extends LeadKind>(
	kind: K,
	random: Random,
	createdAt: string,
	owner: LeadOwner,
): LeadOf<K> {
	const letting = chance(random, 0.4);
	const common = commonFields(random, createdAt, owner, { kind, letting });
	return WHOLE[kind](common, random, letting);
}

const WHOLE: {
	[K in LeadKind]: (common: CommonLead, random: Random, letting: boolean) => LeadOf<K>;
} = {
	applicant: (common, random, letting) => ({ ...common, ...applicantFields(random, letting) }),
	appraisal: (common, random) => ({ ...common, ...appraisalFields(random) }),
};

function commonFields(
	random: Random,
	createdAt: string,
	owner: LeadOwner,
	{ kind, letting }: { kind: LeadKind; letting: boolean },
) {
	const { prefix, portal } = WORDS[kind];
	return {
		id: uuid(random),
		createdAt,
		contact: { ...person(random), preferences: preferences(random) },
		enquiryType: enquiryType(random, letting),
		intent: intentOf(kind, letting),
		message: message(random),
		propertyUse: pick(random, PROPERTY_USES),
		isOverseas: chance(random, 0.05),
		portalLeadId: String(integer(random, 1000, 9999)),
		portalBranchId: String(integer(random, 100, 999)),
		portalCompanyId: owner.companyId ?? String(integer(random, 10, 99)),
		portalGroupId: owner.groupId ?? String(integer(random, 1, 9)),
		sourceBranchId: owner.branchId ?? `branch-${integer(random, 900, 999)}`,
		recipientEmail: 'branch@example.com',
		leadSource: `${prefix}_SOURCE_EXAMPLE_WEBSITE`,
		portalSource: `${prefix}_PORTAL_SOURCE_${pick(random, [portal, 'UNSPECIFIED'])}`,
	};
}

/** The contract has no word for who wants to rent or to let. */
export function intentOf(kind: LeadKind, letting: boolean): string {
	const { prefix, intent } = WORDS[kind];
	return `${prefix}_INTENT_${letting ? 'UNSPECIFIED' : intent}`;
}

function preferences(random: Random) {
	return {
		method: pick(random, ['CONTACT_METHOD_PHONE', 'CONTACT_METHOD_UNSPECIFIED']),
		time: pick(random, ['TIME_PREFERENCE_AFTERNOON', 'TIME_PREFERENCE_UNSPECIFIED']),
	};
}

function enquiryType(random: Random, letting: boolean) {
	if (chance(random, 0.1)) return 'ENQUIRY_TYPE_UNSPECIFIED';
	return letting ? 'ENQUIRY_TYPE_LETTINGS' : 'ENQUIRY_TYPE_SALES';
}

function applicantFields(random: Random, letting: boolean) {
	return {
		consumerPostcode: postcode(random),
		consumerSituation: pick(random, SITUATIONS),
		organiseViewing: chance(random, 0.5),
		requestPropertyDetails: chance(random, 0.5),
		viewingTimes: viewingTimes(random),
		searchCriteria: searchCriteria(random, letting),
		listingDetails: listingDetails(random, letting),
	};
}

function viewingTimes(random: Random) {
	const hour = integer(random, 9, 16);
	const time = (at: number) => `2030-01-07T${String(at).padStart(2, '0')}:00Z`;
	return chance(random, 0.3) ? [{ earliest: time(hour), latest: time(hour + 2) }] : [];
}

function searchCriteria(random: Random, letting: boolean) {
	return {
		location: location(random),
		radius: integer(random, 2, 30) / 2,
		minimumBedrooms: 1,
		maximumBedrooms: integer(random, 2, 5),
		minimumPrice: letting ? 500 : 100_000,
		maximumPrice: letting ? 2500 : 750_000,
		priceFrequency: rentFrequency(random, letting),
		propertyType: pick(random, PROPERTY_TYPES),
		propertySubType: pick(random, ['Cottage', '']),
	};
}

function location(random: Random) {
	const { town, county, postcode: code } = place(random);
	const [outcode = '', incode = ''] = code.split(' ');
	return {
		alias: town.toLowerCase().replace(/\s/g, '-'),
		area: town,
		areaStreet: '',
		country: 'England',
		countryCode: 'gb',
		countyArea: county,
		district: '',
		incode,
		outcode,
		postTown: town,
		postalArea: outcode.slice(0, 2),
		region: '',
	};
}

/** Even a sale may have one. */
function rentFrequency(random: Random, letting: boolean): string {
	if (letting) return pick(random, ['RENT_FREQUENCY_PER_MONTH', 'RENT_FREQUENCY_PER_WEEK']);
	return pick(random, ['RENT_FREQUENCY_UNSPECIFIED', 'RENT_FREQUENCY_PER_MONTH']);
}

function listingDetails(random: Random, letting: boolean) {
	const { nameNo, street, locality, town, postcode: code } = place(random);
	const id = integer(random, 1_000_000, 9_999_999);
	return {
		id: String(id),
		url: `https://www.example.com/properties/${id}`,
		sourceId: `SRC-${id}`,
		propertyId: integer(random, 1000, 999_999),
		uprn: integer(random, 100_000_000, 999_999_999),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		lifeCycleStatus: letting ? 'LIFE_CYCLE_STATUS_UNSPECIFIED' : 'LIFE_CYCLE_STATUS_FOR_SALE',
		propertyType: pick(random, PROPERTY_TYPES),
		images: [image(id)],
		address: {
			propertyNumberOrName: nameNo,
			streetName: street,
			locality,
			townOrCity: town,
			postcode: code,
			countryCode: 'GB',
		},
		pricing: {
			transactionType: letting ? 'TRANSACTION_TYPE_UNSPECIFIED' : 'TRANSACTION_TYPE_SALE',
			currencyCode: 'gbp',
			price: letting ? integer(random, 1000, 5000) / 2 : integer(random, 100, 900) * 1000,
			rentFrequency: rentFrequency(random, letting),
		},
	};
}

/** @param id of the listing */
function image(id: number) {
	const [cdnUrl, filename] = [`https://www.example.com/images/${id}/`, 'front.jpg'];
	return { original: cdnUrl + filename, cdnUrl, filename };
}

function appraisalFields(random: Random) {
	return {
		// The contract has no value of it.
		urgency: '',
		justCurious: chance(random, 0.2),
		propertyDetails: propertyDetails(random),
	};
}

function propertyDetails(random: Random) {
	const { nameNo, street, locality, town, county, postcode: code } = place(random);
	const value = integer(random, 100, 900) * 1000;
	const efficiency = integer(random, 20, 95);
	return {
		propertyId: String(integer(random, 1000, 999_999)),
		uprn: integer(random, 100_000_000, 999_999_999),
		bedrooms: integer(random, 1, 5),
		bathrooms: integer(random, 1, 3),
		receptions: integer(random, 0, 3),
		floorArea: integer(random, 40, 220),
		tenure: pick(random, ['Leasehold', '']),
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
		estimate: estimate(random, value),
		energy: { efficiency, rating: efficiency > 68 ? 'C' : 'E' },
	};
}

function estimate(random: Random, value: number) {
	return {
		value,
		lowerRange: Math.round(value * 0.9),
		upperRange: Math.round(value * 1.1),
		confidence: integer(random, 50, 95),
		confidenceBand: pick(random, ['CONFIDENCE_BAND_HIGH', 'CONFIDENCE_BAND_UNSPECIFIED']),
	};
}
