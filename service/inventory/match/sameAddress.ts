import isEqual from 'lodash/isEqual';
import type { IDataObject } from 'n8n-workflow';

import { isObject, textOf } from '../../basics/values';
import { addressLines } from './addressWords';
import type { LeadAddress } from './leadAddress';
import { compactPostcode } from './leadAddress';

/**
 * Whether a property is the dwelling that a lead's address names. A wrong property is worse than none, so
 * all that the lead says before the postcode has to be said by the property: flat and number word by word, then
 * the street, if the lead has one. “Rose” is not “Rose Cottage”, 14 is no flat of it, 1 is neither 1a nor 1-3.
 *
 * @param property a whole record, or a row that has an address
 */
export function isSameAddress(lead: LeadAddress, property: IDataObject): boolean {
	const { dwelling, street, places, town } = addressPartsOf(property);
	const rest = dwelling.length > 0 ? restBehind(lead.lines, dwelling) : undefined;
	if (!rest) return false;
	const behindStreet = street.length > 0 ? restBehind(rest, street) : undefined;
	const isStreet = behindStreet !== undefined && isEndOfLine(behindStreet, lead.lines, places);
	if (lead.postcode === '') return isStreet && town.length > 0 && names(behindStreet, town);
	if (postcodeOf(property) !== lead.postcode) return false;
	return isStreet || hasNoStreet(rest, places);
}

/** Whether an address without a postcode names the town of a property as a line of its own. */
export function namesTown(lead: LeadAddress, property: IDataObject): boolean {
	const { town } = addressPartsOf(property);
	return town.length === 0 || names(lead.lines, town);
}

/** As it is compared; empty if the property has none. */
export function postcodeOf(property: IDataObject): string {
	return compactPostcode(textOf(addressOf(property).postcode));
}

/** The words of the street of a property, in one text. */
export function streetOf(property: IDataObject): string {
	return addressPartsOf(property).street.join(' ');
}

function addressPartsOf(property: IDataObject) {
	const { subDwelling, nameNo, street, locality, town, county } = addressOf(property);
	return {
		dwelling: [...wordsIn(subDwelling), ...wordsIn(nameNo)],
		street: wordsIn(street),
		town: wordsIn(town),
		places: [locality, town, county].map(wordsIn).filter(({ length }) => length > 0),
	};
}

function wordsIn(field: unknown): string[] {
	return addressLines(field).flat();
}

function addressOf({ address }: IDataObject): IDataObject {
	return isObject(address) ? address : {};
}

/** What stands behind these words at the beginning of the lines; undefined if they do not begin so. */
function restBehind(lines: string[][], words: string[]): string[][] | undefined {
	if (words.length === 0) return lines;
	const [line = [], ...others] = lines;
	const size = Math.min(line.length, words.length);
	if (size === 0 || !isEqual(line.slice(0, size), words.slice(0, size))) return undefined;
	const left = line.slice(size);
	return restBehind(left.length > 0 ? [left, ...others] : others, words.slice(size));
}

/** “Mill Lane” is not “Mill Lane Cottages”, but may be followed by its town without a comma. */
function isEndOfLine(rest: string[][], lines: string[][], places: string[][]): boolean {
	const [next] = rest;
	if (!next || lines.includes(next)) return true;
	return places.some((place) => isEqual(next.slice(0, place.length), place));
}

/** Whether what the lead says behind number or name is all part of the property's locality, town and county. */
function hasNoStreet(rest: string[][], places: string[][]): boolean {
	const known = places.flat();
	return rest.flat().every((word) => known.includes(word));
}

function names(lines: string[][], place: string[]): boolean {
	return lines.some((line) => isEqual(line, place));
}
