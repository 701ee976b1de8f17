import isEqual from 'lodash/isEqual';
import once from 'lodash/once';
import orderBy from 'lodash/orderBy';
import type { IDataObject } from 'n8n-workflow';

import { objectOf, textOf } from '../basics/values';

/** The parts of a lead's address. */
export interface LeadAddress {
	/** The postcode without blanks, in capitals; empty if the address has none. */
	postcode: string;
	/** The words of each line of the address, without the postcode. A comma or a semicolon also starts a new line. */
	lines: string[][];
	/** The text to send to the service's search; empty if the address contains nothing to search for. */
	query: string;
}

/**
 * One spelling for words that people and databases write in several ways, so that addresses can be compared. “St”
 * stands for both “street” and “saint”.
 */
const SPELLINGS = new Map(
	Object.entries({
		...{ street: 'st', saint: 'st', road: 'rd', lane: 'ln', drive: 'dr', close: 'cl', place: 'pl' },
		...{ avenue: 'ave', av: 'ave', court: 'ct', square: 'sq', park: 'pk', grove: 'gr', grv: 'gr' },
		...{ crescent: 'cres', gardens: 'gdns', terrace: 'ter', terr: 'ter', apartment: 'apt' },
	}),
);

/**
 * How many characters of an address are read. The number is limited, because Unicode normalisation can take a time that
 * grows with the square of the number of accents on one letter.
 */
const LONGEST_ADDRESS = 1_000;

/** Matches a word, or a house number with its letter or range: 14a, 1-3, 14/2. */
const WORD = /[\p{L}\p{N}]+(?:(?<=\d\p{L}?)[-/.]\d[\p{L}\p{N}]*)*/gu;

/** Matches a British postcode, with or without the space inside it. */
const POSTCODE = /(?<![\p{L}\p{N}])([a-z]{1,2}\d[a-z\d]?)\s*(\d[a-z]{2})(?![\p{L}\p{N}])/giu;

/**
 * Adds the missing space to postcodes in a text: CD25GH becomes CD2 5GH. The service's search finds no postcode without
 * the space.
 */
export function withSpacedPostcodes(text: string): string {
	return text.replace(POSTCODE, '$1 $2');
}

/**
 * The smallest number of words in a line that is used as a search text. A shorter line may be only a flat or a name,
 * and would match half of the inventory.
 */
const WORDS_TO_SEARCH = 3;

export function leadAddress(address: string): LeadAddress {
	const text = address
		.slice(0, LONGEST_ADDRESS)
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '');
	const found = [...text.matchAll(POSTCODE)].at(-1);
	if (!found) return { postcode: '', lines: linesOf(text), query: firstLine(text) };
	const [asWritten, outward = '', inward = ''] = found;
	const lines = [text.slice(0, found.index), text.slice(found.index + asWritten.length)];
	const query = `${outward} ${inward}`.toUpperCase();
	return { postcode: compactPostcode(asWritten), lines: lines.flatMap(linesOf), query };
}

function firstLine(text: string): string {
	const [first = '', second = ''] = text.split(LINE_END).filter((line) => wordsOf(line).length > 0);
	const isEnough = wordsOf(first).length >= WORDS_TO_SEARCH;
	return (isEnough ? first : `${first.trim()} ${second.trim()}`).trim();
}

const LINE_END = /[,;\r\n]/;

function linesOf(text: string): string[][] {
	return text
		.split(LINE_END)
		.map(wordsOf)
		.filter(({ length }) => length > 0);
}

/** Splits a text into words in one spelling: without capitals, accents and punctuation, and with “14 A” as “14a”. */
function wordsOf(text: string): string[] {
	const plain = text
		.normalize('NFKD')
		.replace(/[\p{M}\p{Cf}'’‘`]/gu, '')
		.toLowerCase()
		.replace(/[&+]/g, ' and ')
		.replace(/(?<=\d\p{L}?)\s*[-–—]\s*(?=\d)/gu, '-');
	const words = (plain.match(WORD) ?? []).join(' ');
	const joined = words.replace(/(?<=^| )(\d+) (?=\p{L}(?: |$))/gu, '$1');
	return joined
		.split(' ')
		.filter(Boolean)
		.map((word) => SPELLINGS.get(word) ?? word);
}

/**
 * Writes a postcode in capitals, without spaces and punctuation, for comparison. A text that is no postcode is never
 * equal to the postcode of a lead.
 */
function compactPostcode(text: string): string {
	return text
		.normalize('NFKC')
		.replace(/[^\p{L}\p{N}]/gu, '')
		.toUpperCase();
}

/** The words of each field of a property's address. */
export interface AddressParts {
	/** The postcode in the form used for comparison; empty if the property has none. */
	postcode: string;
	flat: string[];
	/** The number or the name of the house. */
	number: string[];
	street: string[];
	locality: string[];
	town: string[];
	/**
	 * The places that an address may name after the house: the property's street, locality, town and county, and all of
	 * `regions`. None of them says which part of a house is meant.
	 */
	places: string[][];
}

/**
 * Splits the address of a property into words.
 *
 * @param property a record with all its fields, or a row of a list that contains an address
 */
export function addressPartsOf({ address }: IDataObject): AddressParts {
	const fields = objectOf(address);
	const words = (name: string) => wordsOf(textOf(fields[name]).slice(0, LONGEST_ADDRESS));
	const [street, locality, town] = [words('street'), words('locality'), words('town')];
	return {
		postcode: compactPostcode(textOf(fields.postcode)),
		...{ flat: words('subDwelling'), number: words('nameNo'), street, locality, town },
		places: [street, locality, town, words('county'), ...regions()],
	};
}

/**
 * Returns the words of countries and counties, which people add after the town even if the address in the inventory has
 * none.
 */
const regions = once(() =>
	linesOf(
		'United Kingdom, UK, Great Britain, GB, England, Scotland, Wales, Northern Ireland, Greater London, ' +
			'Greater Manchester, Merseyside, Tyne and Wear, West Midlands, East Riding of Yorkshire, Cornwall, Cumbria, Devon, ' +
			'Dorset, County Durham, Essex, East Sussex, West Sussex, Sussex, Isle of Wight, Kent, Middlesex, Norfolk, ' +
			'Northumberland, Rutland, Somerset, Suffolk, Surrey, North Yorkshire, South Yorkshire, West Yorkshire',
	),
);

/**
 * Matches a word that ends in “shire”, as most names of counties do. In an address, such a word is taken for a county,
 * because a part of a house rarely has such a name.
 */
const SHIRE = /.shire$/;

/**
 * True if a property is the dwelling that a lead's address names. A wrong property is worse than none, so the
 * comparison is strict. The lead's address has to start with the property's flat and number, word by word. The street
 * has to follow (it may be missing if there is a postcode), then only the property's locality, town or county, or a
 * region. “Rose” is not “Rose Cottage”, 1 is neither 1a nor 1-3, and “14 Mill Lane, Front” is only a part of a house.
 */
export function isSameAddress(lead: LeadAddress, property: IDataObject): boolean {
	const { postcode, flat, number, street, town, places } = addressPartsOf(property);
	if (lead.postcode !== '' && lead.postcode !== postcode) return false;
	const dwelling = [...flat, ...number];
	if (dwelling.length === 0) return false;
	const withStreet = [
		[...dwelling, ...street],
		[...number, ...street, ...flat],
	];
	const isDwellingEnough = lead.postcode !== '' && number.length > 0;
	return [
		...(street.length > 0 ? withStreet : []),
		...(isDwellingEnough && (street.length === 0 || isLine(dwelling, lead)) ? [dwelling] : []),
	].some((words) => {
		const rest = placesBehind(words, lead.lines.flat(), places);
		return rest !== undefined && (lead.postcode !== '' || holds(rest, town));
	});
}

/**
 * True if a lead's address does not contradict a property's address. The lead's address may lack the house number, as
 * on portals, but all its words have to occur in the property's address.
 */
export function mayBeAt(lead: LeadAddress, property: IDataObject): boolean {
	const { postcode, flat, number, town, places } = addressPartsOf(property);
	const named = placesBehind([], lead.lines.flat(), [flat, number, ...places]);
	if (!named) return false;
	if (lead.postcode !== '' && postcode !== '') return lead.postcode === postcode;
	return town.length === 0 || lead.lines.length === 0 || holds(named, town);
}

/** True if `words` are all the words of the first line, or of the first few lines together, of a lead's address. */
function isLine(words: string[], { lines }: LeadAddress): boolean {
	return lines.some((_, index) => isEqual(lines.slice(0, index + 1).flat(), words));
}

/**
 * Finds the places, such as street and town, in a lead's address after its first words.
 *
 * @param first the words with which the address has to start
 * @param words all words of the address
 * @param places the places that may follow
 * @returns undefined if the address starts with other words, or contains a word that belongs to no place
 */
function placesBehind(
	first: string[],
	words: string[],
	places: string[][],
): string[][] | undefined {
	if (!isEqual(words.slice(0, first.length), first)) return undefined;
	const longestFirst = orderBy(places, 'length', 'desc').filter(({ length }) => length > 0);
	const named: string[][] = [];
	for (let at = first.length; at < words.length; at += named.at(-1)?.length ?? 0) {
		const word = words[at] ?? '';
		const isNext = (place: string[]) => isEqual(words.slice(at, at + place.length), place);
		const next = longestFirst.find(isNext) ?? (SHIRE.test(word) ? [word] : undefined);
		if (!next) return undefined;
		named.push(next);
	}
	return named;
}

/** True if one of the places that a lead's address names is the property's town. */
function holds(places: string[][], town: string[]): boolean {
	return places.some((place) => isEqual(place, town));
}
