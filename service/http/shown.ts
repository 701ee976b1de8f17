import { textOf } from '../basics/values';

/** The longest text of one error that a message shows, in characters. */
const LONGEST_TEXT = 300;

/** The longest text that is searched for secrets. A longer text is not shown at all. */
const LONGEST_SEARCHED = 4_000;

/** The most encodings that may be stacked, such as HTML in JSON in base64 in an address. */
const MOST_LAYERS = 4;

/**
 * Returns the service's own text as one plain line that people may read. If the text contains a secret in any
 * encoding that it looks for, it returns nothing: no part of such a text is shown.
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

/** True if any of the texts, decoded in any way and any order, may contain a secret. */
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
 * The spellings of a secret that are searched for: as it is, in hex, and in base64 with up to two other bytes before
 * it.
 */
function spellingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const base64 = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		// The first and the last letter may contain bits of the bytes around the secret, so they are cut off.
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	return [secret, bytes.toString('hex'), ...base64].map(folded);
}

/**
 * Folds spellings that do not matter for the search: upper and lower case, a plus for a space, text in pieces, and
 * JSON's backslashes.
 */
function folded(text: string): string {
	return text
		.replace(/\\[bfnrt]|[\s+\\\p{Cf}]/giu, '')
		.toLowerCase()
		.toUpperCase();
}

/**
 * Matches characters that HTML and JSON write by a name or a number. They are not decoded, so a text with one of them
 * is not shown.
 */
const UNREAD = /&(?:#x?[\da-f]+|[a-z]{2,8};|amp|lt|gt|quot|apos|nbsp)|\\u[\da-f{]/i;

/** Functions that each decode one encoding throughout a text: `%41`, `=41`, `\x41` and base64. */
const DECODERS = [
	...[/(?:%[\da-f]{2})+/gi, /(?:=[\da-f]{2})+/gi, /(?:\\x[\da-f]{2})+/gi].map(
		(bytes) => (text: string) =>
			text.replace(bytes, (run) => Buffer.from(run.replace(/[%=\\x]/gi, ''), 'hex').toString()),
	),
	(text: string) => text.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, 'base64').toString()),
];
