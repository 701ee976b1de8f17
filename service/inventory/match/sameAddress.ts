import isEqual from 'lodash/isEqual';
import type { IDataObject } from 'n8n-workflow';

import { remembered } from '../../basics/remembered';
import { isObject, textOf } from '../../basics/values';
import { addressLines } from './addressWords';
import type { LeadAddress } from './leadAddress';
import { compactPostcode } from './leadAddress';

/**
 * Whether a property is the dwelling that a lead's address names. A wrong property is worse than none, so the lead
 * has to begin with the property's flat and number, word by word, and go on with its street, or with nothing but its
 * place. “Rose” is not “Rose Cottage”, 14 is no flat of it, 1 is neither 1a nor 1-3.
 *
 * @param property a whole record, or a row that has an address
 */
export function isSameAddress(lead: LeadAddress, property: IDataObject): boolean {
	if (lead.postcode !== '' && postcodeOf(property) !== lead.postcode) return false;
	const parts = addressPartsOf(property);
	const { dwelling, number, street, places } = parts;
	const rest = dwelling.length > 0 ? restBehind(lead.lines, dwelling) : undefined;
	if (!rest) return false;
	const behindStreet = street.length > 0 ? restBehind(rest, street) : undefined;
	const isStreet = behindStreet !== undefined && isEndOfLine(behindStreet, lead.lines, places);
	if (isStreet && behindStreet.some((line) => namesPart(line, places))) return false;
	if (lead.postcode === '') return isStreet && isInTown(behindStreet, parts);
	return isStreet || (number.length > 0 && hasNoStreet(rest, lead.lines, parts));
}

/**
 * Whether a property may be what a lead's address names, which may leave out the number, as portals do. A number, a
 * flat, a street or a town that it does name has to be the property's.
 */
export function mayBeAt(lead: LeadAddress, property: IDataObject): boolean {
	const { dwelling, street, town, places } = addressPartsOf(property);
	const postcode = postcodeOf(property);
	const isPostcode = lead.postcode !== '' && postcode !== '';
	if (isPostcode && lead.postcode !== postcode) return false;
	const lines = lead.lines.filter((line) => !names(places, line));
	const known = [dwelling, street, ...places].flat();
	if (lines.some((line) => partsIn(line).some((word) => !known.includes(word)))) return false;
	const isStreet = lines.length === 0 || lines.some(holds(street));
	return (
		isStreet &&
		(isPostcode || town.length === 0 || lead.lines.length === 0 || names(lead.lines, town))
	);
}

/** As it is compared; empty if the property has none. */
export function postcodeOf(property: IDataObject): string {
	return compactPostcode(textOf(addressOf(property).postcode));
}

/** The words of the street of a property, in one text. */
export function streetOf(property: IDataObject): string {
	return addressPartsOf(property).street.join(' ');
}

/** The words of its flat and its number or name, in one text. */
export function dwellingOf(property: IDataObject): string {
	return addressPartsOf(property).dwelling.join(' ');
}

/** Where in its town a property is, if no postcode says it. */
export function localityOf(property: IDataObject): string {
	return postcodeOf(property) === '' ? wordsIn(addressOf(property).locality).join(' ') : '';
}

interface AddressParts {
	/** Flat and number, or name. */
	dwelling: string[];
	/** Number or name alone. */
	number: string[];
	street: string[];
	town: string[];
	/** Locality, town and county, if there are. */
	places: string[][];
}

function addressPartsOf(property: IDataObject): AddressParts {
	const { subDwelling, nameNo, street, locality, town, county } = addressOf(property);
	const number = wordsIn(nameNo);
	return {
		dwelling: [...wordsIn(subDwelling), ...number],
		number,
		street: wordsIn(street),
		town: wordsIn(town),
		places: [locality, town, county].map(wordsIn).filter(({ length }) => length > 0),
	};
}

/** Many leads are compared with the same rows. */
const MOST_FIELDS = 5_000;

const wordsOfField = remembered(MOST_FIELDS, (field: string) => addressLines(field).flat());

function wordsIn(field: unknown): string[] {
	return wordsOfField(textOf(field));
}

function addressOf({ address }: IDataObject): IDataObject {
	return isObject(address) ? address : {};
}

/** What stands behind these words at the beginning of the lines; undefined if they do not begin so. */
function restBehind(lines: string[][], words: string[]): string[][] | undefined {
	if (words.length === 0) return lines;
	const [line, ...others] = lines;
	if (!line) return undefined;
	const size = Math.min(line.length, words.length);
	if (!isEqual(line.slice(0, size), words.slice(0, size))) return undefined;
	const left = line.slice(size);
	return restBehind(left.length > 0 ? [left, ...others] : others, words.slice(size));
}

/** “Mill Lane” is not “Mill Lane Cottages”, but may be followed by its town without a comma. */
function isEndOfLine(rest: string[][], lines: string[][], places: string[][]): boolean {
	const [next] = rest;
	if (!next || lines.includes(next)) return true;
	return places.some((place) => isEqual(next.slice(0, place.length), place));
}

/** What people write of a dwelling in a building, in the spelling that is compared. */
const PARTS = new Set(
	wordsIn(
		'annex annexe apt attic basement bedsit bedsits bedsitter block cellar cellars downstairs duplex flat flats floor ' +
			'garage ground land loft maisonette maisonnette mezzanine parking penthouse plot rear room sit studio suite ' +
			'triplex unit upstairs',
	),
);

/** One that means a part only beside another word: a village may be called Wing. */
const SIDE = 'wing';

/** Whether a line behind the street names a dwelling in the building, and not a place: “14 Mill Lane, Flat 2”. */
function namesPart(line: string[], places: string[][]): boolean {
	if (places.some((place) => isEqual(line, place))) return false;
	return partsIn(line).length > 0;
}

/** The words of a line that tell a dwelling in a building from the building. */
function partsIn(line: string[]): string[] {
	return line.filter(
		(word) =>
			word.length === 1 ||
			/\p{N}/u.test(word) ||
			PARTS.has(word) ||
			(word === SIDE && line.length > 1),
	);
}

/** Whether a lead without a postcode names the town, and between it and the street no place elsewhere in it. */
function isInTown(behindStreet: string[][], { town, places }: AddressParts): boolean {
	const at = behindStreet.findIndex((line) => isEqual(line, town));
	return at >= 0 && behindStreet.slice(0, at).every((line) => names(places, line));
}

/**
 * Whether a lead leaves out the street: each line behind number or name is the property's locality, town or
 * county. What follows on the same line is a street, if the property has one.
 */
function hasNoStreet(
	rest: string[][],
	lines: string[][],
	{ street, places }: AddressParts,
): boolean {
	const [next] = rest;
	if (next && street.length > 0 && !lines.includes(next)) return false;
	return rest.every((line) => names(places, line));
}

function names(lines: string[][], place: string[]): boolean {
	return lines.some((line) => isEqual(line, place));
}

/** Whether these words stand together in a line; no words do in any line. */
function holds(words: string[]): (line: string[]) => boolean {
	return (line) => line.some((_, at) => isEqual(line.slice(at, at + words.length), words));
}
