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
	const home = isObject(lead.propertyDetails) ? 'propertyDetails' : 'listingDetails';
	const plain = (path: string) => plainValue(get(lead, path));
	const typed = (path: string) => plainLine(get(lead, path));
	const words = (path: string, list: string) => plainWords(list, get(lead, path));
	const enquiryType = words('enquiryType', 'ENQUIRY_TYPE');
	// The service sometimes sends a frequency of rent for a sale too, so it is ignored for sales.
	const isSale =
		enquiryType === 'Sales' ||
		get(lead, 'listingDetails.pricing.transactionType') === 'TRANSACTION_TYPE_SALE';
	const [firstName, lastName] = [typed('contact.firstName'), typed('contact.lastName')];
	const [email, phoneNumber] = [typed('contact.email'), typed('contact.phoneNumber')];
	const submitted = submittedAt(lead);
	return {
		name: joined(' ', [firstName, lastName]) || null,
		email,
		phoneNumber,
		message: plainText(lead.message) || null,
		propertyAddress: addressOf(get(lead, `${home}.address`)) || null,
		enquiryType,
		leadType,
		createdAt: submitted === undefined ? null : isoSeconds(submitted),
		sourceBranchId: typed('sourceBranchId'),
		intent: words('intent', 'INTENT'),
		consumerSituation: words('consumerSituation', 'CONSUMER_SITUATION'),
		urgency: words('urgency', 'URGENCY'),
		organiseViewing: plain('organiseViewing'),
		viewingTimesUk: viewingTimesUk(lead.viewingTimes),
		price: plain('listingDetails.pricing.price'),
		rentFrequency: isSale ? null : words('listingDetails.pricing.rentFrequency', 'RENT_FREQUENCY'),
		estimatedValue: plain('propertyDetails.estimate.value'),
		bedrooms: plain(`${home}.bedrooms`),
		listingUrl: typed('listingDetails.url'),
		imageUrl: imageUrl(get(lead, 'listingDetails.images[0]')),
		leadSource: words('leadSource', 'SOURCE'),
		consumerPostcode: typed('consumerPostcode'),
		firstName,
		lastName,
		phoneE164: phoneE164(phoneNumber),
		listingId: typed('listingDetails.id'),
		listingReference: typed('listingDetails.sourceId'),
		uprn: typed(`${home}.uprn`),
		personKey: personKey(email, phoneNumber),
		id: typed('id'),
	};
}

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
	const [, word] = text?.split(new RegExp(`^(?:[A-Z]+_)*?${list}_`)) ?? [];
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
	const { original, cdnUrl, filename } = isObject(image) ? image : {};
	return plainLine(original) ?? (joined('', [filename && cdnUrl, filename]) || null);
}

/** The fields of a simplified lead, in their order. */
export const LEAD_FIELDS = Object.keys(leadJson({}, 'applicant', true));
