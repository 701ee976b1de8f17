import contract from '../contract/leads.json';
import { BRANCHES, message, person, place } from './data';
import { merged } from './overrides';
import type { Random } from './random';
import { chance, integer, pick, uuid } from './random';

const { ApplicantPush, AppraisalPush } = contract.components.examples;
const EXAMPLES = { ...ApplicantPush.value, ...AppraisalPush.value };

export type LeadKind = keyof typeof EXAMPLES;
export type LeadOf<K extends LeadKind> = (typeof EXAMPLES)[K];
export type LeadOwner = Partial<Record<'branchId' | 'brandId' | 'companyId' | 'groupId', string>>;

/** @returns the contract's example with another person, home and message */
export function leadBody<K extends LeadKind>(
	kind: K,
	random: Random,
	createdAt: string,
	owner: LeadOwner,
): LeadOf<K> {
	const isLetting = chance(random, 0.4);
	return merged(EXAMPLES[kind], {
		id: uuid(random),
		createdAt,
		contact: person(random),
		enquiryType: `ENQUIRY_TYPE_${isLetting ? 'LETTINGS' : 'SALES'}`,
		message: message(random),
		portalCompanyId: owner.companyId ?? '301',
		portalGroupId: owner.groupId ?? '21',
		sourceBranchId: owner.branchId ?? pick(random, BRANCHES),
		...HOMES[kind](random, isLetting),
	});
}

/** The home that an applicant asks for, or that the sender of an appraisal wants to have valued. */
const HOMES: Record<LeadKind, (random: Random, isLetting: boolean) => object> = {
	applicant: (random, isLetting) => {
		const { nameNo, street, locality, town, postcode } = place(random);
		const id = integer(random, 1_000_000, 9_999_999);
		const address = { propertyNumberOrName: nameNo, streetName: street, locality };
		const price = isLetting ? integer(random, 1000, 5000) / 2 : integer(random, 100, 900) * 1000;
		return {
			listingDetails: {
				id: String(id),
				url: `https://www.example.com/properties/${id}`,
				sourceId: `SRC-${id}`,
				uprn: integer(random, 100_000_000, 999_999_999),
				address: { ...address, townOrCity: town, postcode },
				pricing: {
					transactionType: `TRANSACTION_TYPE_${isLetting ? 'UNSPECIFIED' : 'SALE'}`,
					price,
				},
			},
		};
	},
	appraisal: (random) => {
		const { nameNo, street, locality, town, county, postcode } = place(random);
		const address = { line1: `${nameNo} ${street}`, line2: locality, town, county, postcode };
		return { propertyDetails: { uprn: integer(random, 100_000_000, 999_999_999), address } };
	},
};
