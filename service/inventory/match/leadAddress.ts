import { addressLines, partsOf } from './addressWords';

/** The address of a lead, taken apart. */
export interface LeadAddress {
	/** Without blanks, in capitals; empty if there is none. */
	postcode: string;
	/** The words of each line before and behind the postcode; a comma begins a new line. */
	lines: string[][];
	/** What to search for, the best first. */
	queries: string[];
}

/** As the United Kingdom writes them, with or without the blank. */
const POSTCODE = /(?<![\p{L}\p{N}])[a-z]{1,2}\d[a-z\d]?\s*\d[a-z]{2}(?![\p{L}\p{N}])/giu;

/** How many characters stand behind the blank. */
const INWARD = 3;

/** A line of fewer words may be a flat or a name alone, which half of the inventory has. */
const WORDS_TO_SEARCH = 3;

export function leadAddress(text: string): LeadAddress {
	const found = [...text.matchAll(POSTCODE)].at(-1);
	if (!found) return { postcode: '', lines: addressLines(text), queries: firstLine(text) };
	const [asWritten] = found;
	const before = text.slice(0, found.index);
	const behind = text.slice(found.index + asWritten.length);
	const postcode = compactPostcode(asWritten);
	const usual = `${postcode.slice(0, -INWARD)} ${postcode.slice(-INWARD)}`;
	const other = asWritten === usual ? postcode : asWritten;
	return {
		postcode,
		lines: [...addressLines(before), ...addressLines(behind)],
		queries: [usual, other],
	};
}

/** A postcode as it is compared; whatever else the text is, it equals no postcode of a lead. */
export function compactPostcode(text: string): string {
	return text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

function firstLine(text: string): string[] {
	const [first = '', second = ''] = partsOf(text);
	const words = addressLines(first).flat();
	const query = words.length >= WORDS_TO_SEARCH ? first : `${first} ${second}`.trim();
	return query === '' ? [] : [query];
}
