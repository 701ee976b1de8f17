import capitalize from 'lodash/capitalize';
import memoize from 'lodash/memoize';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import { isObject, objectOf, objectsIn, plainValue } from '../../../service/basics/values';
import type { LeadType } from '../../../service/leads/leads';
import { submittedAt } from '../../../service/leads/leads';
import { joined } from '../joined';
import { personKey } from './simplified/personKey';
import { phoneE164 } from './simplified/phoneE164';
import { plainLine, plainText } from './simplified/plainText';
import { viewingTimesUk } from './simplified/viewingTimesUk';

/**
 * Makes the item for a lead. Without Simplify, the item is the object of the service's answer with the type of lead
 * added, because a copy would double the memory needed.
 *
 * With Simplify, the item is flat and has only the fields on which an agency acts. The columns are the same for both
 * types of lead, and a value that a lead does not have is null. IDs are texts, and the service's codes become plain
 * words.
 *
 * The columns are in the order in which a person reads a table: the person's name, the message, the address of the
 * property, what the person wants, and the branch; then further details, the listing, the source of the lead, and last
 * the columns that only machines read.
 */
export function leadJson(lead: IDataObject, leadType: LeadType, simplify: boolean): IDataObject {
	if (!simplify) return Object.assign(lead, { leadType });
	const [contact, listing] = [objectOf(lead.contact), objectOf(lead.listingDetails)];
	const [property, pricing] = [objectOf(lead.propertyDetails), objectOf(listing.pricing)];
	const home = isObject(lead.propertyDetails) ? property : listing;
	const enquiryType = plainWords('ENQUIRY_TYPE', lead.enquiryType);
	// The service sometimes sends a frequency of rent for a sale too, so it is ignored for sales.
	const isSale = enquiryType === 'Sales' || pricing.transactionType === 'TRANSACTION_TYPE_SALE';
	const [firstName, lastName] = [plainLine(contact.firstName), plainLine(contact.lastName)];
	const [email, phoneNumber] = [plainLine(contact.email), plainLine(contact.phoneNumber)];
	const submitted = submittedAt(lead);
	return {
		name: joined(' ', [firstName, lastName]) || null,
		email,
		phoneNumber,
		message: plainText(lead.message) || null,
		propertyAddress: addressOf(home.address) || null,
		enquiryType,
		leadType,
		createdAt: submitted === undefined ? null : isoSeconds(submitted),
		sourceBranchId: plainLine(lead.sourceBranchId),
		intent: plainWords('INTENT', lead.intent),
		consumerSituation: plainWords('CONSUMER_SITUATION', lead.consumerSituation),
		urgency: plainWords('URGENCY', lead.urgency),
		organiseViewing: plainValue(lead.organiseViewing),
		viewingTimesUk: viewingTimesUk(lead.viewingTimes),
		price: plainValue(pricing.price),
		rentFrequency: isSale ? null : plainWords('RENT_FREQUENCY', pricing.rentFrequency),
		estimatedValue: plainValue(objectOf(property.estimate).value),
		bedrooms: plainValue(home.bedrooms),
		listingUrl: plainLine(listing.url),
		imageUrl: imageUrl(objectsIn(listing.images)[0]),
		leadSource: plainWords('SOURCE', lead.leadSource),
		consumerPostcode: plainLine(lead.consumerPostcode),
		firstName,
		lastName,
		phoneE164: phoneE164(phoneNumber),
		listingId: plainLine(listing.id),
		listingReference: plainLine(listing.sourceId),
		uprn: plainLine(home.uprn),
		personKey: personKey(email, phoneNumber),
		id: plainLine(lead.id),
	};
}

/** Returns the pattern for the prefix of a list’s coded values. It is kept, because a run may have many leads. */
const prefixOf = memoize((list: string) => new RegExp(`^(?:[A-Z]+_)*?${list}_`));

const CODED = /^[A-Z0-9]+(?:_[A-Z0-9]+)*$/;

/**
 * Returns a coded value of the service in plain words: `ENQUIRY_TYPE_SALES` becomes “Sales”.
 *
 * @param list the prefix of the coded values, such as `ENQUIRY_TYPE`; the type of lead may come before it, and values
 * without the prefix stay as they are
 * @returns null if the value is not set
 */
function plainWords(list: string, value: unknown): string | null {
	const text = plainLine(value);
	const [, word] = text?.split(prefixOf(list)) ?? [];
	if (word === 'UNSPECIFIED') return null;
	return word !== undefined && CODED.test(word) ? capitalize(word.replaceAll('_', ' ')) : text;
}

/**
 * Writes an address in one line. The address of a listing has separate fields for number and street, and that of an
 * owner's property has lines.
 */
function addressOf(address: unknown): string {
	if (!isObject(address)) return '';
	const line = (name: string) => plainLine(address[name]);
	const street = joined(' ', ['propertyNumberOrName', 'streetName'].map(line));
	const others = [
		'locality',
		'townOrCity',
		'line1',
		'line2',
		'line3',
		'town',
		'county',
		'postcode',
	];
	return joined(', ', [street, ...others.map(line)]);
}

/** Returns the URL of a picture. The service sends the whole URL, or its folder and its file name. */
function imageUrl(image: unknown): string | null {
	const { original, cdnUrl, filename } = objectOf(image);
	return plainLine(original) ?? (joined('', [filename && cdnUrl, filename]) || null);
}

/** The fields of a simplified lead, in their order. */
export const LEAD_FIELDS = Object.keys(leadJson({}, 'applicant', true));
