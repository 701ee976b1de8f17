import capitalize from 'lodash/capitalize';
import get from 'lodash/get';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import { isObject, plainValue } from '../../../service/basics/values';
import type { LeadType } from '../../../service/leads/leads';
import { submittedAt } from '../../../service/leads/leads';
import { joined } from '../joined';
import { personKey } from './simplified/personKey';
import { phoneE164 } from './simplified/phoneE164';
import { plainMessage } from './simplified/plainMessage';
import { viewingTimesUk } from './simplified/viewingTimesUk';

/** A lead as a node returns it. The raw one is the object of the answer itself: a copy would double its memory. */
export function leadJson(lead: IDataObject, leadType: LeadType, simplify: boolean): IDataObject {
	return simplify ? simplifyLead(lead, leadType) : Object.assign(lead, { leadType });
}

/**
 * What an agency acts on, flat. Both kinds of lead have the same columns; what a lead does not have is null.
 *
 * The columns are in the order in which a person reads a table: who it is and what they write about which
 * address, then what they want and how soon, the listing, where the lead came from, and last what
 * only machines read.
 */
function simplifyLead(lead: IDataObject, leadType: LeadType): IDataObject {
	const isOwners = isObject(lead.propertyDetails);
	const home = isOwners ? 'propertyDetails' : 'listingDetails';
	const plain = (path: string) => plainValue(get(lead, path));
	const label = (path: string, list: string) => plainWords(list, get(lead, path));
	// The service may fill in how often a rent is due for a sale, too.
	const isSale =
		get(lead, 'listingDetails.pricing.transactionType') === 'TRANSACTION_TYPE_SALE' ||
		lead.enquiryType === 'ENQUIRY_TYPE_SALES';
	const rentFrequency = isSale ? null : plain('listingDetails.pricing.rentFrequency');
	const submitted = submittedAt(lead);
	return {
		name: joined(' ', [plain('contact.firstName'), plain('contact.lastName')]) || null,
		email: plain('contact.email'),
		phoneNumber: plain('contact.phoneNumber'),
		message: typeof lead.message === 'string' ? plainMessage(lead.message) : null,
		propertyAddress: addressOf(get(lead, `${home}.address`)) || null,
		leadType,
		createdAt: submitted === undefined ? null : isoSeconds(submitted),
		enquiryTypeLabel: label('enquiryType', 'ENQUIRY_TYPE'),
		intentLabel: label('intent', 'INTENT'),
		propertyUseLabel: label('propertyUse', 'PROPERTY_USE'),
		consumerSituationLabel: label('consumerSituation', 'CONSUMER_SITUATION'),
		urgencyLabel: label('urgency', 'URGENCY'),
		justCurious: plain('justCurious'),
		organiseViewing: plain('organiseViewing'),
		viewingTimesUk: viewingTimesUk(lead.viewingTimes),
		requestPropertyDetails: plain('requestPropertyDetails'),
		price: plain('listingDetails.pricing.price'),
		rentFrequencyLabel: plainWords('RENT_FREQUENCY', rentFrequency),
		estimatedValue: plain('propertyDetails.estimate.value'),
		bedrooms: plain(`${home}.bedrooms`),
		listingUrl: plain('listingDetails.url'),
		leadSourceLabel: label('leadSource', 'SOURCE'),
		portalSourceLabel: label('portalSource', 'PORTAL_SOURCE'),
		consumerPostcode: plain('consumerPostcode'),
		firstName: plain('contact.firstName'),
		lastName: plain('contact.lastName'),
		phoneE164: phoneE164(plain('contact.phoneNumber')),
		enquiryType: plain('enquiryType'),
		intent: plain('intent'),
		propertyUse: plain('propertyUse'),
		consumerSituation: plain('consumerSituation'),
		urgency: plain('urgency'),
		leadSource: plain('leadSource'),
		portalSource: plain('portalSource'),
		rentFrequency: rentFrequency,
		listingId: plain('listingDetails.id'),
		listingReference: plain('listingDetails.sourceId'),
		uprn: plain(`${home}.uprn`),
		sourceBranchId: plain('sourceBranchId'),
		portalBranchId: plain('portalBranchId'),
		personKey: personKey(lead.contact),
		id: plain('id'),
	};
}

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * A value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”.
 *
 * @param list with whose name its values begin, maybe behind the kind of lead; another value is shown as it is
 * @returns null if it is not set
 */
function plainWords(list: string, value: unknown): string | null {
	if (typeof value !== 'string') return null;
	const [, word] = value.split(new RegExp(`^(?:[A-Z]+_)*?${list}_`));
	if (value === '' || word === 'UNSPECIFIED') return null;
	return word !== undefined && CODED.test(word) ? capitalize(word.replaceAll('_', ' ')) : value;
}

/** A listing has the number and the street in fields of their own, an owner's property has lines. */
function addressOf(address: unknown): string {
	if (!isObject(address)) return '';
	const { propertyNumberOrName, streetName, locality, townOrCity } = address;
	const { line1, line2, line3, town, county, postcode } = address;
	const street = joined(' ', [propertyNumberOrName, streetName]);
	const lines = [street, locality, townOrCity, line1, line2, line3, town, county, postcode];
	return joined(', ', lines);
}

/** The fields of a simplified lead, in their order. */
export const LEAD_FIELDS = Object.keys(simplifyLead({}, 'applicant'));
