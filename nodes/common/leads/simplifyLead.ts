import type { IDataObject } from 'n8n-workflow';

import { isObject, plainValue, textOf } from '../../../service/basics/values';
import type { LeadType } from '../../../service/leads/lead';
import { submittedAt } from '../../../service/leads/lead';
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
const leadSourceWords = plainWords(/^(?:APPLICANT|APPRAISAL)_SOURCE_/);
const portalSourceWords = plainWords(/^(?:APPLICANT|APPRAISAL)_PORTAL_SOURCE_/);

/** A lead as a node returns it. The raw one is the object of the answer itself: a copy would double its memory. */
export function leadJson(lead: IDataObject, leadType: LeadType, simplify: boolean): IDataObject {
	return simplify ? simplifyLead(lead, leadType) : Object.assign(lead, { leadType });
}

/**
 * The columns in the order in which a person reads a table: who it is and what they write about which
 * address, then what they want and how soon, the listing, where the lead came from, and last what
 * only machines read.
 */
const COLUMNS: IDataObject = {
	name: null,
	email: null,
	phoneNumber: null,
	message: null,
	propertyAddress: null,
	leadType: null,
	createdAt: null,
	enquiryTypeLabel: null,
	intentLabel: null,
	propertyUseLabel: null,
	consumerSituationLabel: null,
	urgencyLabel: null,
	justCurious: null,
	organiseViewing: null,
	viewingTimesUk: null,
	requestPropertyDetails: null,
	price: null,
	estimatedValue: null,
	bedrooms: null,
	listingUrl: null,
	leadSourceLabel: null,
	portalSourceLabel: null,
	consumerPostcode: null,
	firstName: null,
	lastName: null,
	phoneE164: null,
	enquiryType: null,
	intent: null,
	propertyUse: null,
	consumerSituation: null,
	urgency: null,
	leadSource: null,
	portalSource: null,
	listingId: null,
	listingReference: null,
	uprn: null,
	sourceBranchId: null,
	portalBranchId: null,
	personKey: null,
	id: null,
};

/**
 * What an agency acts on, flat. Both kinds of lead have the same columns; what a lead does not have is null.
 *
 * Written out field by field, into a copy of the columns: with 30,000 leads, walking paths made a third of the node's
 * time, and an object that grows takes twice as long as one that has its fields.
 */
function simplifyLead(lead: IDataObject, leadType: LeadType): IDataObject {
	const simplified = { ...COLUMNS };
	simplified.leadType = leadType;
	simplified.createdAt = submissionTime(lead);
	simplified.id = plainValue(lead.id);
	setPerson(simplified, lead);
	setWish(simplified, lead);
	setListing(simplified, partOf(lead.listingDetails));
	setProperty(simplified, partOf(lead.propertyDetails));
	setOrigin(simplified, lead);
	return simplified;
}

function setPerson(simplified: IDataObject, lead: IDataObject): void {
	const contact = partOf(lead.contact);
	const { firstName, lastName, email, phoneNumber } = contact;
	simplified.name = joined(' ', firstName, lastName) || null;
	simplified.firstName = plainValue(firstName);
	simplified.lastName = plainValue(lastName);
	simplified.email = plainValue(email);
	simplified.phoneNumber = plainValue(phoneNumber);
	simplified.phoneE164 = phoneE164(phoneNumber);
	simplified.personKey = personKey(contact);
	simplified.consumerPostcode = plainValue(lead.consumerPostcode);
	simplified.message = typeof lead.message === 'string' ? plainMessage(lead.message) : null;
}

function setWish(simplified: IDataObject, lead: IDataObject): void {
	const { enquiryType, intent, propertyUse, consumerSituation, urgency } = lead;
	simplified.enquiryType = plainValue(enquiryType);
	simplified.enquiryTypeLabel = enquiryWords(enquiryType);
	simplified.intent = plainValue(intent);
	simplified.intentLabel = intentWords(intent);
	simplified.propertyUse = plainValue(propertyUse);
	simplified.propertyUseLabel = propertyUseWords(propertyUse);
	simplified.consumerSituation = plainValue(consumerSituation);
	simplified.consumerSituationLabel = situationWords(consumerSituation);
	simplified.urgency = plainValue(urgency);
	simplified.urgencyLabel = urgencyWords(urgency);
	simplified.justCurious = plainValue(lead.justCurious);
	simplified.organiseViewing = plainValue(lead.organiseViewing);
	simplified.viewingTimesUk = viewingTimesUk(lead.viewingTimes);
	simplified.requestPropertyDetails = plainValue(lead.requestPropertyDetails);
}

/** An applicant's. */
function setListing(simplified: IDataObject, listing: IDataObject): void {
	if (listing === NOTHING) return;
	const { propertyNumberOrName, streetName, locality, townOrCity, postcode } = partOf(
		listing.address,
	);
	const street = joined(' ', propertyNumberOrName, streetName);
	simplified.propertyAddress = joined(', ', street, locality, townOrCity, postcode) || null;
	simplified.price = plainValue(partOf(listing.pricing).price);
	simplified.bedrooms = plainValue(listing.bedrooms);
	simplified.listingUrl = plainValue(listing.url);
	simplified.listingId = plainValue(listing.id);
	simplified.listingReference = plainValue(listing.sourceId);
	simplified.uprn = plainValue(listing.uprn);
}

/** An owner's. */
function setProperty(simplified: IDataObject, property: IDataObject): void {
	if (property === NOTHING) return;
	const { line1, line2, line3, town, county, postcode } = partOf(property.address);
	simplified.propertyAddress = joined(', ', line1, line2, line3, town, county, postcode) || null;
	simplified.estimatedValue = plainValue(partOf(property.estimate).value);
	simplified.bedrooms = plainValue(property.bedrooms);
	simplified.uprn = plainValue(property.uprn);
}

function setOrigin(simplified: IDataObject, lead: IDataObject): void {
	const { leadSource, portalSource } = lead;
	simplified.leadSource = plainValue(leadSource);
	simplified.leadSourceLabel = leadSourceWords(leadSource);
	simplified.portalSource = plainValue(portalSource);
	simplified.portalSourceLabel = portalSourceWords(portalSource);
	simplified.sourceBranchId = plainValue(lead.sourceBranchId);
	simplified.portalBranchId = plainValue(lead.portalBranchId);
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

/** The parts that are not blank. */
function joined(separator: string, ...parts: Value[]): string {
	let line = '';
	for (const part of parts) {
		const text = textOf(part).trim();
		if (text !== '') line = line === '' ? text : line + separator + text;
	}
	return line;
}
