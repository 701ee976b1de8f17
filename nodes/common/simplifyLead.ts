import get from 'lodash/get';
import type { GenericValue, IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../service/leads';
import { submittedAt } from '../../service/leads';

type Fields = Record<string, string>;

/** What an agency acts on: who, how to reach them, about what, for which branch. */
const COMMON_FIELDS: Fields = {
	id: 'id',
	enquiryType: 'enquiryType',
	firstName: 'contact.firstName',
	lastName: 'contact.lastName',
	email: 'contact.email',
	phoneNumber: 'contact.phoneNumber',
	message: 'message',
	sourceBranchId: 'sourceBranchId',
	leadSource: 'leadSource',
};

const FIELDS: Record<LeadType, Fields> = {
	applicant: {
		...COMMON_FIELDS,
		price: 'listingDetails.pricing.price',
		listingUrl: 'listingDetails.url',
	},
	appraisal: {
		...COMMON_FIELDS,
		estimatedValue: 'propertyDetails.estimate.value',
		urgency: 'urgency',
	},
};

/** The parts of an address, in lines: what shares a line is joined by a space. */
const ADDRESSES: Record<LeadType, string[][]> = {
	applicant: [
		['propertyNumberOrName', 'streetName'],
		['locality'],
		['townOrCity'],
		['postcode'],
	].map((line) => line.map((part) => `listingDetails.address.${part}`)),
	appraisal: ['line1', 'line2', 'line3', 'town', 'county', 'postcode'].map((part) => [
		`propertyDetails.address.${part}`,
	]),
};

/**
 * A flat lead with the same keys for every lead of its type; what the service left out is null.
 * `createdAt` is UTC with seconds, null where the service left it unset.
 */
export function simplifyLead(lead: IDataObject, leadType: LeadType): IDataObject {
	const time = submittedAt(lead);
	const simplified: IDataObject = {
		leadType,
		createdAt: time === undefined ? null : new Date(time).toISOString().replace('.000Z', 'Z'),
	};
	for (const [name, path] of Object.entries(FIELDS[leadType])) {
		simplified[name] = valueAt(lead, path);
	}
	simplified.propertyAddress =
		ADDRESSES[leadType]
			.map((line) => textsAt(lead, line).join(' '))
			.filter(Boolean)
			.join(', ') || null;
	return simplified;
}

function valueAt(lead: IDataObject, path: string): GenericValue | IDataObject | null {
	const value: GenericValue | IDataObject | undefined = get(lead, path);
	return value ?? null;
}

function textsAt(lead: IDataObject, paths: string[]): string[] {
	return paths
		.map((path) => valueAt(lead, path))
		.filter((part): part is string => typeof part === 'string' && part !== '');
}
