import { textOf } from '../basics/values';

/** What a person reads of one error, in characters. */
export const LONGEST_TEXT = 300;

/** A longer text is not searched for secrets, and so it is not shown. */
const LONGEST_SEARCHED = 4_000;

/** How many encodings may be on top of one another, such as HTML in JSON in base64 in an address. */
const MOST_LAYERS = 4;

/**
 * The service's own text as one plain line that people may read. Nothing is cut out of a text: if a
 * secret is in it, in whatever encoding the service repeats that secret, nothing of it is shown.
 */
export function shownText(
	value: unknown,
	secrets: string[],
	longest = LONGEST_TEXT,
): string | undefined {
	const text = textOf(value);
	const line = text
		.replace(/<[a-z/!?][^>]*>/gi, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	const isUnfit = text.length > LONGEST_SEARCHED || holdsSecret([text, line], secrets);
	return isUnfit ? undefined : line.slice(0, longest) || undefined;
}

/** Whether any of the texts holds a secret, decoded in any way and any order. */
function holdsSecret(texts: string[], secrets: string[]): boolean {
	const needles = secrets.flatMap(spellingsOf).filter((needle) => needle !== '');
	const readings = new Set<string>();
	let layer = texts;
	for (let depth = 0; depth <= MOST_LAYERS; depth++) {
		const found = [...new Set(layer)].filter((reading) => !readings.has(reading));
		const isFound = found
			.map(folded)
			.some((reading) => needles.some((each) => reading.includes(each)));
		if (isFound) return true;
		for (const reading of found) readings.add(reading);
		layer = found.flatMap((reading) => DECODERS.map((decode) => decode(reading)));
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
	const forAddresses = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
	return [secret, bytes.toString('hex'), ...base64, ...forAddresses].map(folded);
}

/** The same for upper and lower case, for a plus and the space that it means, and for text in pieces. */
function folded(text: string): string {
	return text
		.replace(/[\s+\p{Cf}]+/gu, '')
		.toLowerCase()
		.toUpperCase();
}

/** Each decodes one encoding throughout a text. */
const DECODERS: Array<(text: string) => string> = [inPercent, inBase64, inHtml, inJson];

function inPercent(text: string): string {
	return text.replace(/(?:%[\da-f]{2})+/gi, (run) =>
		Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
	);
}

function inBase64(text: string): string {
	return text.replace(/[\w+/-]{8,}/g, (run) => Buffer.from(run, 'base64').toString());
}

/** `&#65;`, `&#x41;`, `&amp;` */
function inHtml(text: string): string {
	return text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) =>
		name === undefined
			? decodedCharacter(decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal))
			: (ENTITIES[name.toLowerCase()] ?? ''),
	);
}

/** `\u0041`, `\u{41}`, `\x41`, `\n`, `\/` */
function inJson(text: string): string {
	const escapes = /\\(?:u([\da-f]{4})|u\{([\da-f]{1,8})\}|x([\da-f]{2})|(.))/gi;
	return text.replace(escapes, (_, unit?: string, braced?: string, byte?: string, sign?: string) =>
		sign === undefined
			? decodedCharacter(parseInt(unit ?? braced ?? byte ?? '', 16))
			: sign.replace(/[bfnrt]/i, ' '),
	);
}

function decodedCharacter(code: number): string {
	return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** HTML has names for spaces and signs; letters and digits have none. */
const ENTITIES = Object.fromEntries(
	'nbsp  quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* plus+ commat@ comma, period. sol/ colon: semi; lt< equals= gt> quest? excl! lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ grave` lcub{ lbrace{ vert| verbar| rcub} rbrace}'
		.split(/(?<=[^a-z]) /)
		.map((each): [string, string] => [each.slice(0, -1), each.slice(-1)]),
);

const ENTITY = new RegExp(
	`&(?:#(\\d{1,8})|#x([\\da-f]{1,8})|(${Object.keys(ENTITIES).join('|')}));?`,
	'gi',
);
