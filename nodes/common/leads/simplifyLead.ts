import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import { isObject, plainValue, textOf } from '../../../service/basics/values';
import type { LeadType } from '../../../service/leads/leads';
import { submittedAt } from '../../../service/leads/leads';
import { personKey } from './simplified/personKey';
import { phoneE164 } from './simplified/phoneE164';
import { plainMessage } from './simplified/plainMessage';
import { viewingTimesUk } from './simplified/viewingTimesUk';

type Value = IDataObject[string];

/** The service tells none of its values, but begins those of every other list with the list's name. */
const URGENCY = /^(?:[A-Z]+_)*URGENCY_/;

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
	const contact = partOf(lead.contact);
	const listing = partOf(lead.listingDetails);
	const property = partOf(lead.propertyDetails);
	const isOwners = property !== NOTHING;
	const home = isOwners ? property : listing;
	const address = isOwners ? addressOfProperty(property) : addressOfListing(listing);
	const pricing = partOf(listing.pricing);
	// The service may fill in how often a rent is due for a sale, too.
	const isSale =
		pricing.transactionType === 'TRANSACTION_TYPE_SALE' ||
		lead.enquiryType === 'ENQUIRY_TYPE_SALES';
	const submitted = submittedAt(lead);
	const rentFrequency = isSale ? null : pricing.rentFrequency;
	return {
		name: joined(' ', contact.firstName, contact.lastName) || null,
		email: plainValue(contact.email),
		phoneNumber: plainValue(contact.phoneNumber),
		message: typeof lead.message === 'string' ? plainMessage(lead.message) : null,
		propertyAddress: address || null,
		leadType,
		createdAt: submitted === undefined ? null : isoSeconds(submitted),
		enquiryTypeLabel: plainWords(/^ENQUIRY_TYPE_/, lead.enquiryType),
		intentLabel: plainWords(/^(?:APPLICANT|APPRAISAL)_INTENT_/, lead.intent),
		propertyUseLabel: plainWords(/^PROPERTY_USE_/, lead.propertyUse),
		consumerSituationLabel: plainWords(/^CONSUMER_SITUATION_/, lead.consumerSituation),
		urgencyLabel: plainWords(URGENCY, lead.urgency),
		justCurious: plainValue(lead.justCurious),
		organiseViewing: plainValue(lead.organiseViewing),
		viewingTimesUk: viewingTimesUk(lead.viewingTimes),
		requestPropertyDetails: plainValue(lead.requestPropertyDetails),
		price: plainValue(pricing.price),
		rentFrequencyLabel: plainWords(/^RENT_FREQUENCY_/, rentFrequency),
		estimatedValue: plainValue(partOf(property.estimate).value),
		bedrooms: plainValue(home.bedrooms),
		listingUrl: plainValue(listing.url),
		leadSourceLabel: plainWords(/^(?:APPLICANT|APPRAISAL)_SOURCE_/, lead.leadSource),
		portalSourceLabel: plainWords(/^(?:APPLICANT|APPRAISAL)_PORTAL_SOURCE_/, lead.portalSource),
		consumerPostcode: plainValue(lead.consumerPostcode),
		firstName: plainValue(contact.firstName),
		lastName: plainValue(contact.lastName),
		phoneE164: phoneE164(contact.phoneNumber),
		enquiryType: plainValue(lead.enquiryType),
		intent: plainValue(lead.intent),
		propertyUse: plainValue(lead.propertyUse),
		consumerSituation: plainValue(lead.consumerSituation),
		urgency: plainValue(lead.urgency),
		leadSource: plainValue(lead.leadSource),
		portalSource: plainValue(lead.portalSource),
		rentFrequency: plainValue(rentFrequency),
		listingId: plainValue(listing.id),
		listingReference: plainValue(listing.sourceId),
		uprn: plainValue(home.uprn),
		sourceBranchId: plainValue(lead.sourceBranchId),
		portalBranchId: plainValue(lead.portalBranchId),
		personKey: personKey(contact),
		id: plainValue(lead.id),
	};
}

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * A value of one of the service's lists in plain words: `ENQUIRY_TYPE_SALES` is “Sales”.
 *
 * @param prefix with which the values of this list begin; one that begins otherwise is shown as it is
 * @returns null if it is not set
 */
function plainWords(prefix: RegExp, value: unknown): string | null {
	if (typeof value !== 'string') return null;
	const word = value.replace(prefix, '');
	if (word === 'UNSPECIFIED' || word === '') return null;
	const isOfList = word !== value && CODED.test(word);
	return isOfList ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : value;
}

function addressOfListing(listing: IDataObject): string {
	const { propertyNumberOrName, streetName, locality, townOrCity, postcode } = partOf(
		listing.address,
	);
	const street = joined(' ', propertyNumberOrName, streetName);
	return joined(', ', street, locality, townOrCity, postcode);
}

function addressOfProperty(property: IDataObject): string {
	const { line1, line2, line3, town, county, postcode } = partOf(property.address);
	return joined(', ', line1, line2, line3, town, county, postcode);
}

const NOTHING: IDataObject = {};

function partOf(value: Value): IDataObject {
	return isObject(value) ? value : NOTHING;
}

/** The parts that are not blank, as one text. */
function joined(separator: string, ...parts: Value[]): string {
	const texts = parts.map((part) => textOf(part).trim());
	return texts.filter(Boolean).join(separator);
}

/** The fields of a simplified lead, in their order. */
export const LEAD_FIELDS = Object.keys(simplifyLead({}, 'applicant'));
