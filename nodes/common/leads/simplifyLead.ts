import type { IDataObject } from 'n8n-workflow';

import { isObject, plainValue, textOf } from '../../../service/basics/values';
import type { LeadType } from '../../../service/leads/leads';
import { submittedAt } from '../../../service/leads/leads';
import { personKey } from './simplified/personKey';
import { phoneE164 } from './simplified/phoneE164';
import { plainMessage } from './simplified/plainMessage';
import { plainWords } from './simplified/plainWords';
import { viewingTimesUk } from './simplified/viewingTimesUk';

type Value = IDataObject[string];

const enquiryWords = plainWords(/^ENQUIRY_TYPE_/);
const intentWords = plainWords(/^(?:APPLICANT|APPRAISAL)_INTENT_/);
const propertyUseWords = plainWords(/^PROPERTY_USE_/);
const situationWords = plainWords(/^CONSUMER_SITUATION_/);
/** The service tells none of its values, but begins those of every other list with the list's name. */
const urgencyWords = plainWords(/^(?:[A-Z]+_)*URGENCY_/);
const rentFrequencyWords = plainWords(/^RENT_FREQUENCY_/);
const leadSourceWords = plainWords(/^(?:APPLICANT|APPRAISAL)_SOURCE_/);
const portalSourceWords = plainWords(/^(?:APPLICANT|APPRAISAL)_PORTAL_SOURCE_/);

/** A lead as a node returns it. The raw one is the object of the answer itself: a copy would double its memory. */
export function leadJson(lead: IDataObject, leadType: LeadType, simplify: boolean): IDataObject {
	return simplify ? simplifyLead(lead, leadType) : Object.assign(lead, { leadType });
}

/**
 * What an agency acts on, flat. Both kinds of lead have the same columns; what a lead does not have is null.
 *
 * The columns are in the order in which a person reads a table: who it is and what they write about which
 * address, then what they want and how soon, the listing, where the lead came from, and last what
 * only machines read. One object, made with all its fields: with 30,000 leads, filling one in field by field, or
 * walking paths, takes a fifth longer.
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
	const rentFrequency = rentFrequencyWords(isSale ? undefined : pricing.rentFrequency);
	const enquiry = enquiryWords(lead.enquiryType);
	const intent = intentWords(lead.intent);
	const propertyUse = propertyUseWords(lead.propertyUse);
	const situation = situationWords(lead.consumerSituation);
	const urgency = urgencyWords(lead.urgency);
	const leadSource = leadSourceWords(lead.leadSource);
	const portalSource = portalSourceWords(lead.portalSource);
	return {
		name: joined(' ', contact.firstName, contact.lastName) || null,
		email: plainValue(contact.email),
		phoneNumber: plainValue(contact.phoneNumber),
		message: typeof lead.message === 'string' ? plainMessage(lead.message) : null,
		propertyAddress: address || null,
		leadType,
		createdAt: submissionTime(lead),
		enquiryTypeLabel: enquiry.words,
		intentLabel: intent.words,
		propertyUseLabel: propertyUse.words,
		consumerSituationLabel: situation.words,
		urgencyLabel: urgency.words,
		justCurious: plainValue(lead.justCurious),
		organiseViewing: plainValue(lead.organiseViewing),
		viewingTimesUk: viewingTimesUk(lead.viewingTimes),
		requestPropertyDetails: plainValue(lead.requestPropertyDetails),
		price: plainValue(pricing.price),
		rentFrequencyLabel: rentFrequency.words,
		estimatedValue: plainValue(partOf(property.estimate).value),
		bedrooms: plainValue(home.bedrooms),
		listingUrl: plainValue(listing.url),
		leadSourceLabel: leadSource.words,
		portalSourceLabel: portalSource.words,
		consumerPostcode: plainValue(lead.consumerPostcode),
		firstName: plainValue(contact.firstName),
		lastName: plainValue(contact.lastName),
		phoneE164: phoneE164(contact.phoneNumber),
		enquiryType: enquiry.value,
		intent: intent.value,
		propertyUse: propertyUse.value,
		consumerSituation: situation.value,
		urgency: urgency.value,
		leadSource: leadSource.value,
		portalSource: portalSource.value,
		rentFrequency: rentFrequency.value,
		listingId: plainValue(listing.id),
		listingReference: plainValue(listing.sourceId),
		uprn: plainValue(home.uprn),
		sourceBranchId: plainValue(lead.sourceBranchId),
		portalBranchId: plainValue(lead.portalBranchId),
		personKey: personKey(contact),
		id: plainValue(lead.id),
	};
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

/** A time as it is shown: of a year that no unset time has, on a day that every month has. */
const AS_SHOWN =
	/^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** UTC with seconds. */
function submissionTime(lead: IDataObject): string | null {
	const { createdAt } = lead;
	if (typeof createdAt === 'string' && AS_SHOWN.test(createdAt)) return createdAt;
	const time = submittedAt(lead);
	if (time === undefined) return null;
	const text = new Date(time).toISOString();
	return text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text;
}

/** The parts that are not blank, as one text: what is added up bit by bit is held in as many pieces. */
function joined(separator: string, ...parts: Value[]): string {
	const texts: string[] = [];
	for (const part of parts) {
		const text = textOf(part).trim();
		if (text !== '') texts.push(text);
	}
	return texts.join(separator);
}

/** The fields of a simplified lead, in their order. */
export const LEAD_FIELDS = Object.keys(simplifyLead({}, 'applicant'));
