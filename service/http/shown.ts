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

/** The same for upper and lower case, for a plus and the space that it means, and for text in pieces. */
function folded(text: string): string {
	return text
		.replace(/[\s+\p{Cf}]+/gu, '')
		.toLowerCase()
		.toUpperCase();
}

/** Each decodes one encoding throughout a text: bytes in hex (`%41`, `=41`, `\x41`), base64, HTML and JSON. */
const DECODERS: Array<(text: string) => string> = [
	(text) =>
		text.replace(/(?:(?:[%=]|\\x)[\da-f]{2})+/gi, (run) =>
			Buffer.from(run.replace(/[%=]|\\x/gi, ''), 'hex').toString(),
		),
	(text) => text.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, 'base64').toString()),
	(text) =>
		text.replace(HTML, (_, code?: string, name?: string) =>
			code === undefined
				? (SIGNS[name?.toLowerCase() ?? ''] ?? '')
				: characterOf(Number(`0${code}`)),
		),
	(text) =>
		text.replace(/\\(?:u([\da-f]{4}|\{[\da-f]{1,6}\})|(.))/gi, (_, code?: string, sign?: string) =>
			code === undefined
				? (sign?.replace(/[bfnrt]/i, ' ') ?? '')
				: characterOf(parseInt(code.replace('{', ''), 16)),
		),
];

const SIGNS: Record<string, string> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: ' ',
};

/** `&#65;`, `&#x41;`, `&amp;` */
const HTML = /&(?:#(x[\da-f]{1,8}|\d{1,8})|(amp|lt|gt|quot|apos|nbsp));?/gi;

/** HTML has names for 2,000 other characters. A text with one of them is not shown. */
const UNREAD = /&(?!(?:amp|lt|gt|quot|apos|nbsp);)[a-z]{2,8};/i;

function characterOf(code: number): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}
