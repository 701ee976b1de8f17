import { textOf } from '../../basics/values';

/** Of spellings that people and databases mix, the one that is compared. “St” is a street or a saint. */
const SPELLINGS = new Map(
	Object.entries({
		...{ street: 'st', saint: 'st', road: 'rd', lane: 'ln', drive: 'dr', close: 'cl', place: 'pl' },
		...{ avenue: 'ave', av: 'ave', court: 'ct', square: 'sq', park: 'pk', grove: 'gr', grv: 'gr' },
		...{ crescent: 'cres', gardens: 'gdns', terrace: 'ter', terr: 'ter', apartment: 'apt' },
	}),
);

/** Bringing the accents of one letter into order takes a time that grows with the square of their number. */
const LONGEST_LINE = 1_000;

/** A word, or a number with what belongs to it: 14a, 1-3, 14/2. */
const WORD = /[\p{L}\p{N}]+(?:(?<=\d\p{L}?)[-/.]\d[\p{L}\p{N}]*)*/gu;

/**
 * The words of an address, or of one field of it, in one spelling: neither case, accents nor signs count, and
 * 14 A is 14a. A comma begins a new line; lines without words are left out.
 */
export function addressLines(text: unknown): string[][] {
	return partsOf(text).map(wordsOf);
}

/** The lines as they are written. */
export function partsOf(text: unknown): string[] {
	return textOf(text)
		.slice(0, LONGEST_LINE)
		.split(/[,;\r\n]/)
		.map((part) => part.trim())
		.filter((part) => wordsOf(part).length > 0);
}

function wordsOf(line: string): string[] {
	const plain = line
		.normalize('NFD')
		.replace(/[\p{M}'’‘`]/gu, '')
		.toLowerCase()
		.replace(/[&+]/g, ' and ')
		.replace(/(?<=\d\p{L}?)\s*[-–—]\s*(?=\d)/gu, '-')
		.replace(/(?<=\d)\s*\/\s*(?=\d)/g, '/');
	const words = (plain.match(WORD) ?? []).join(' ');
	const joined = words.replace(/(?<=^| )(\d+) (?=\p{L}(?: |$))/gu, '$1');
	return joined
		.split(' ')
		.filter(Boolean)
		.map((word) => SPELLINGS.get(word) ?? word);
}
