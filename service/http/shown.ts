import { textOf } from '../basics/values';

/** What a person reads of one error, in characters. */
const LONGEST_TEXT = 300;

/** A longer text is not searched for secrets, and so it is not shown. */
const LONGEST_SEARCHED = 4_000;

/** How many encodings may be on top of one another, such as HTML in JSON in base64 in an address. */
const MOST_LAYERS = 4;

/**
 * The service's own text as one plain line that people may read. Nothing is cut out of a text: if a
 * secret is in it, in whatever encoding the service repeats that secret, nothing of it is shown.
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

/** Whether any of the texts may hold a secret, decoded in any way and any order. */
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

/** A secret as it is, in hex, and in base64 with up to two other bytes before it. */
function spellingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const base64 = [0, 1, 2].map((before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		// The first and the last letter may hold bits of what stands around the secret.
		return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
	});
	return [secret, bytes.toString('hex'), ...base64].map(folded);
}

/**
 * The same for upper and lower case, for a plus and the space that it means, for text in pieces, and for what JSON puts a
 * backslash before.
 */
function folded(text: string): string {
	return text
		.replace(/\\[bfnrt]|[\s+\\\p{Cf}]/giu, '')
		.toLowerCase()
		.toUpperCase();
}

/** Characters by a name or a number, as HTML and JSON write them, are not decoded: a text with one is not shown. */
const UNREAD = /&(?:#x?[\da-f]+|[a-z]{2,8};|amp|lt|gt|quot|apos|nbsp)|\\u[\da-f{]/i;

/** Each decodes one encoding throughout a text: `%41`, `=41`, `\x41` and base64. */
const DECODERS = [
	...[/(?:%[\da-f]{2})+/gi, /(?:=[\da-f]{2})+/gi, /(?:\\x[\da-f]{2})+/gi].map(
		(bytes) => (text: string) =>
			text.replace(bytes, (run) => Buffer.from(run.replace(/[%=\\x]/gi, ''), 'hex').toString()),
	),
	(text: string) => text.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, 'base64').toString()),
];
