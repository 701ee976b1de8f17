import { textOf } from '../basics/values';

/** The longest text of one error that a message shows, in characters. */
const LONGEST_TEXT = 300;

/** The longest text that is searched for secrets, in characters. A longer text is not shown at all. */
const LONGEST_SEARCHED = 4_000;

/** How many layers of encoding are decoded in the search for secrets, such as base64 inside a URL. */
const MOST_LAYERS = 4;

/**
 * Returns the service's own text as one plain line that people may read. If the text contains a secret, plain or in one
 * of several encodings, it returns undefined, so that no part of the text is shown.
 */
export function shownText(value: unknown, secrets: string[]): string | undefined {
	const text = textOf(value);
	const line = text
		.replace(/<[a-z/!?][^>]*>/gi, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	const isUnfit = text.length > LONGEST_SEARCHED || mayHoldSecret([text, line], secrets);
	return isUnfit ? undefined : line.slice(0, LONGEST_TEXT) || undefined;
}

/** True if one of the texts may contain a secret, also after several layers of decoding in any order. */
function mayHoldSecret(texts: string[], secrets: string[]): boolean {
	const needles = secrets.flatMap(spellingsOf).filter((needle) => needle !== '');
	let readings = texts;
	for (let layer = 0; layer <= MOST_LAYERS; layer++) {
		const isFound = readings.some(
			(each) => UNREAD.test(each) || needles.some((needle) => folded(each).includes(needle)),
		);
		if (isFound) return true;
		const decoded = readings.flatMap((each) => DECODERS.map((decode) => decode(each)));
		readings = [...new Set(decoded)];
	}
	return false;
}

/**
 * Returns the forms of a secret for which texts are searched: plain, with its bytes read as Latin 1, in hex, and in
 * base64 after 0, 1 or 2 other bytes.
 */
function spellingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const base64 = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		// The first and the last base64 character may also contain bits of the bytes next to the secret, so these
		// characters are cut off.
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	return [secret, bytes.toString('latin1'), bytes.toString('hex'), ...base64].map(folded);
}

/**
 * Removes differences that a search for secrets has to ignore: upper and lower case, spaces and plus signs, invisible
 * characters, and the backslashes of JSON.
 */
function folded(text: string): string {
	return text
		.replace(/\\[bfnrt]|[\s+\\\p{Cf}]/giu, '')
		.toLowerCase()
		.toUpperCase();
}

/**
 * Matches characters that HTML or JSON writes as a name or a number, such as `&amp;`. They are not decoded, so a text
 * that contains them is not shown.
 */
const UNREAD = /&(?:#x?[\da-f]+|[a-z]{2,8};|amp|lt|gt|quot|apos|nbsp)|\\u[\da-f{]/i;

/** Matches bytes that are written as `%41`, `=41`, `\x41`, and as hex. */
const BYTES = [
	...[/(?:%[\da-f]{2})+/gi, /(?:=[\da-f]{2})+/gi],
	...[/(?:\\x[\da-f]{2})+/gi, /(?:[\da-f]{2}){8,}/gi],
];

/**
 * Functions that each decode one encoding wherever it occurs in a text: one function for each pattern in `BYTES`, and
 * one for base64.
 */
const DECODERS = [
	...BYTES.map(
		(bytes) => (text: string) =>
			text.replace(bytes, (run) => Buffer.from(run.replace(/[%=\\x]/gi, ''), 'hex').toString()),
	),
	(text: string) => text.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, 'base64').toString()),
];
