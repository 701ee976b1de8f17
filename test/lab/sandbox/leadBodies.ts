import contract from '../contract/leads.json';
import { message, person, place } from './data';
import { merged } from './overrides';
import type { Random } from './random';
import { chance, integer, pick, uuid } from './random';

const { ApplicantPush, AppraisalPush } = contract.components.examples;
const EXAMPLES = { ...ApplicantPush.value, ...AppraisalPush.value };

export type LeadKind = keyof typeof EXAMPLES;
export type LeadOf<K extends LeadKind> = (typeof EXAMPLES)[K];
export type LeadOwner = {
	branchId?: string;
	brandId?: string;
	companyId?: string;
	groupId?: string;
};

const PROPERTY_TYPES = ['FLAT', 'TERRACED', 'SEMI_DETACHED', 'DETACHED', 'BUNGALOW', 'UNSPECIFIED'];
const SITUATIONS = ['FIRST_TIME_BUYER', 'PROPERTY_TO_SELL', 'UNSPECIFIED'];

/** @returns the contract's example with another person, home and message */
export function leadBody<K extends LeadKind>(
	kind: K,
	random: Random,
	createdAt: string,
	owner: LeadOwner,
): LeadOf<K> {
	const letting = chance(random, 0.4);
	const home = kind === 'applicant' ? asked(random, letting) : valued(random);
	return merged(EXAMPLES[kind], {
		id: uuid(random),
		createdAt,
		contact: person(random),
		enquiryType: `ENQUIRY_TYPE_${pick(random, [letting ? 'LETTINGS' : 'SALES', letting ? 'LETTINGS' : 'SALES', 'UNSPECIFIED'])}`,
		...(letting && { intent: `${kind.toUpperCase()}_INTENT_UNSPECIFIED` }),
		message: message(random),
		isOverseas: chance(random, 0.05),
		portalLeadId: String(integer(random, 1000, 9999)),
		portalCompanyId: owner.companyId ?? '301',
		portalGroupId: owner.groupId ?? '21',
		sourceBranchId: owner.branchId ?? `branch-${integer(random, 900, 999)}`,
		...home,
	});
}

/** What an applicant says of the home that the lead is about. */
function asked(random: Random, letting: boolean) {
	const { nameNo, street, locality, town, postcode } = place(random);
	const id = integer(random, 1_000_000, 9_999_999);
	const hour = integer(random, 10, 16);
	return {
		consumerPostcode: place(random).postcode,
		consumerSituation: `CONSUMER_SITUATION_${pick(random, SITUATIONS)}`,
		organiseViewing: chance(random, 0.5),
		viewingTimes: chance(random, 0.3)
			? [{ earliest: `2030-01-07T${hour}:00Z`, latest: `2030-01-07T${hour + 2}:00Z` }]
			: [],
		listingDetails: {
			id: String(id),
			url: `https://www.example.com/properties/${id}`,
			sourceId: `SRC-${id}`,
			propertyId: integer(random, 1000, 999_999),
			uprn: integer(random, 100_000_000, 999_999_999),
			bedrooms: integer(random, 1, 5),
			propertyType: `PROPERTY_TYPE_${pick(random, PROPERTY_TYPES)}`,
			address: {
				propertyNumberOrName: nameNo,
				streetName: street,
				locality,
				townOrCity: town,
				postcode,
			},
			pricing: {
				transactionType: `TRANSACTION_TYPE_${letting ? 'UNSPECIFIED' : 'SALE'}`,
				price: letting ? integer(random, 1000, 5000) / 2 : integer(random, 100, 900) * 1000,
			},
		},
	};
}

/** The home that the sender of an appraisal wants to have valued. */
function valued(random: Random) {
	const { nameNo, street, locality, town, county, postcode } = place(random);
	const value = integer(random, 100, 900) * 1000;
	return {
		justCurious: chance(random, 0.2),
		propertyDetails: {
			propertyId: String(integer(random, 1000, 999_999)),
			uprn: integer(random, 100_000_000, 999_999_999),
			bedrooms: integer(random, 1, 5),
			propertyType: `PROPERTY_TYPE_${pick(random, PROPERTY_TYPES)}`,
			address: { line1: `${nameNo} ${street}`, line2: locality, town, county, postcode },
			estimate: { value, lowerRange: value - 10_000, upperRange: value + 10_000 },
		},
	};
}
