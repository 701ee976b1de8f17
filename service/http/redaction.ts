/** What stands for a secret. */
export const CUT = '…';

/** More of a text nobody gets to see: see `LONGEST_TEXT`. */
const LONGEST_INPUT = 4_000;

/** How many spellings may be on top of one another, such as JSON in HTML in an address. */
const MOST_LAYERS = 3;

/** Base64 that is too short to tell one secret from any word. */
const SHORTEST_BASE64 = 4;

/**
 * Cuts the secrets out of a text, in whatever spelling the service repeats them: in upper or lower
 * case, with the escapes of HTML, JSON and addresses, in base64 alone or within other base64.
 *
 * The text stays as it is but for the cuts. To find them it is read as whoever wrote it may have
 * meant it: at each place the character that stands there, or the one that an escape means. Then its
 * escapes are resolved, and the outcome is read the same way, for escapes within escapes.
 *
 * @returns the text, cut short where it is very long; a secret that is cut there is cut out too
 */
export function withoutSecrets(text: string, secrets: string[]): string {
	const needles = secrets.flatMap(needlesOf);
	const isCutShort = text.length > LONGEST_INPUT;
	const shown = text.slice(0, LONGEST_INPUT);
	const isSecret = new Array<boolean>(shown.length).fill(false);
	let layer = layerOf(shown);
	for (let count = 0; count < MOST_LAYERS; count++) {
		for (const { from, to } of findingsIn(layer, needles, isCutShort)) {
			isSecret.fill(true, layer.places[from], layer.places[to]);
		}
		const next = resolved(layer);
		if (next.text === layer.text) break;
		layer = next;
	}
	return cut(shown, isSecret);
}

function cut(text: string, isSecret: boolean[]): string {
	const kept = Array.from({ length: text.length }, (_, place) => {
		if (!isSecret[place]) return text[place];
		return isSecret[place - 1] ? '' : CUT;
	});
	return kept.join('');
}

/** What is looked for, folded. */
interface Needle {
	folded: string;
	/** Base64 has bits of the secret in the letters around it, and is cut as a whole. */
	isBase64: boolean;
}

function needlesOf(secret: string): Needle[] {
	const encoded = [0, 1, 2].map(within(Buffer.from(secret)));
	// Of letters that take two units the folding knows one case only.
	const cases = new Set([secret, secret.toUpperCase(), secret.toLowerCase()].map(fold));
	return [
		...[...cases].map((folded) => ({ folded, isBase64: false })),
		...encoded
			.filter((text) => text.length >= SHORTEST_BASE64)
			.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')])
			.map((text) => ({ folded: fold(text), isBase64: true })),
	];
}

/** The letters of base64 that the bytes alone decide when they stand behind some others. */
function within(bytes: Buffer): (before: number) => string {
	return (before) => {
		const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
		const first = Math.ceil((before * 8) / 6);
		return text.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
	};
}

/**
 * The same for upper and lower case, and for a plus and the space that it stands for in forms. Of
 * some letters the one case has two: “ß”, “SS”.
 */
function fold(text: string): string {
	return text
		.split('')
		.map((unit) => unit.toLowerCase().toUpperCase())
		.join('')
		.replaceAll('+', ' ');
}

/** A text with its escapes resolved so far, and for each character its place in the first text. */
interface Layer {
	text: string;
	/** One more than there are characters. */
	places: number[];
	/** What may be meant at each place, folded, once it was asked for. */
	readings: Reading[][];
}

/** What may be meant at a place, and where the text goes on after it. */
interface Reading {
	meant: string;
	end: number;
}

function layerOf(text: string): Layer {
	const places = Array.from({ length: text.length + 1 }, (_, place) => place);
	return { text, places, readings: [] };
}

/** The text as it reads with its escapes resolved once. */
function resolved({ text, places }: Layer): Layer {
	const next: Layer = { text: '', places: [], readings: [] };
	for (let place = 0; place < text.length;) {
		const [itself, { meant, end } = itself] = readingsAt(text, place);
		for (let unit = 0; unit < meant.length; unit++) next.places.push(places[place] ?? 0);
		next.text += meant;
		place = end;
	}
	next.places.push(places[text.length] ?? 0);
	return next;
}

interface Finding {
	from: number;
	to: number;
}

function findingsIn(layer: Layer, needles: Needle[], isCutShort: boolean): Finding[] {
	const { text } = layer;
	return needles.flatMap(({ folded, isBase64 }) => {
		const findings: Finding[] = [];
		for (let from = 0; from < text.length; from++) {
			if (!foldedAt(layer, from).some(({ meant }) => folded.startsWith(meant))) continue;
			const to = endOf(layer, from, folded, isCutShort);
			if (to !== undefined) findings.push(isBase64 ? wholeBase64(text, from, to) : { from, to });
		}
		return findings;
	});
}

/**
 * Where the needle ends that begins at a place, as late as it may. In a text that was cut short the end will do, be it
 * in the middle of an escape.
 */
function endOf(
	layer: Layer,
	from: number,
	needle: string,
	isCutShort: boolean,
): number | undefined {
	const { length } = layer.text;
	const open = [{ place: from, matched: 0 }];
	const seen = new Set<number>();
	let furthest = from;
	let longest: number | undefined;
	for (let state = open.pop(); state; state = open.pop()) {
		const { place, matched } = state;
		if (matched === needle.length) longest = Math.max(longest ?? 0, place);
		furthest = Math.max(furthest, place);
		const mark = place * (needle.length + 1) + matched;
		if (seen.has(mark)) continue;
		seen.add(mark);
		for (const { meant, end } of foldedAt(layer, place)) {
			if (needle.startsWith(meant, matched)) {
				open.push({ place: end, matched: matched + meant.length });
			}
		}
	}
	if (longest !== undefined) return longest;
	return isCutShort && furthest >= length - LONGEST_ESCAPE ? length : undefined;
}

function foldedAt({ text, readings }: Layer, place: number): Reading[] {
	if (place >= text.length) return [];
	readings[place] ??= readingsAt(text, place).map(({ meant, end }) => ({
		meant: fold(meant),
		end,
	}));
	return readings[place];
}

function wholeBase64(text: string, start: number, end: number): Finding {
	let from = start;
	let to = end;
	while (BASE64.test(text.charAt(from - 1))) from--;
	while (BASE64.test(text.charAt(to))) to++;
	while (text.charAt(to) === '=') to++;
	return { from, to };
}

const BASE64 = /[A-Za-z0-9+/_-]/;

/** What may be meant at a place: first the character itself, then what its escape says, the likeliest first. */
function readingsAt(text: string, place: number): [Reading, ...Reading[]] {
	const character = String.fromCodePoint(text.codePointAt(place) ?? 0);
	const itself = { meant: character, end: place + character.length };
	const escapes = ESCAPES[character]?.(text, place) ?? [];
	return [itself, ...escapes];
}

/** Of an escape that a cut has left in part; those on top of one another are longer. */
const LONGEST_ESCAPE = 40;

/** How often the sign of an escape may itself be escaped. */
const MOST_TIMES = 8;

const ESCAPES: Record<string, (text: string, place: number) => Reading[]> = {
	'%': percentAt,
	'&': entitiesAt,
	'\\': backslashesAt,
};

/** `%41`, in UTF-8 or Latin-1, also with the sign itself escaped: `%2541`. */
function percentAt(text: string, place: number): Reading[] {
	return bytesAt(text, place).flatMap(({ byte, end }) => {
		const latin = { meant: String.fromCharCode(byte), end };
		return [...charactersOf(text, [byte], end), latin];
	});
}

function bytesAt(text: string, place: number): Array<{ byte: number; end: number }> {
	return afterRepeats(text, place, '%', '25').flatMap((start) => {
		const digits = text.slice(start, start + 2);
		return /[0-9a-f]{2}/i.test(digits) ? [{ byte: parseInt(digits, 16), end: start + 2 }] : [];
	});
}

/** The character that the bytes are in UTF-8, with those that follow them in the text. */
function charactersOf(text: string, bytes: number[], end: number): Reading[] {
	const [lead = 0] = bytes;
	const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (bytes.length < length) {
		return bytesAt(text, end).flatMap((next) =>
			charactersOf(text, [...bytes, next.byte], next.end),
		);
	}
	const data = Buffer.from(bytes);
	const meant = data.toString('utf8');
	return Buffer.from(meant).equals(data) ? [{ meant, end }] : [];
}

/** `&#65;`, `&#x41;`, `&amp;`, also with the sign itself escaped: `&amp;#65;`. */
function entitiesAt(text: string, place: number): Reading[] {
	return afterRepeats(text, place, '&', 'amp;').flatMap((start) => {
		const sign = { meant: '&', end: start };
		const rest = text.slice(start, start + 24);
		const entity = ENTITY.exec(rest);
		if (!entity) return [sign];
		const [whole, decimal, hex, name] = entity;
		const code = decimal ? Number(decimal) : parseInt(hex ?? '', 16);
		const meant = name ? ENTITIES[name.toLowerCase()] : characterOf(code);
		if (meant !== undefined) return [{ meant, end: start + whole.length }, sign];
		const [old = ''] = OLD_ENTITY.exec(rest) ?? [];
		const oldMeant = ENTITIES[old.toLowerCase()];
		return oldMeant === undefined ? [sign] : [{ meant: oldMeant, end: start + old.length }, sign];
	});
}

const ENTITY = /^(?:#0*(\d{1,7})|#x0*([\da-f]{1,6})|([a-z]{2,8}));?/i;

/** Those that may stand without a semicolon before a letter (HTML, named character references). */
const OLD_ENTITY = /^(?:quot|amp|lt|gt)/i;

/** Entities of what secrets are made of; letters and digits have none. */
const ENTITIES: Record<string, string> = Object.fromEntries(
	'quot" num# dollar$ percnt% amp& apos\' lpar( rpar) ast* plus+ comma, period. sol/ colon: semi; lt< equals= gt> quest? commat@ excl! lsqb[ lbrack[ bsol\\ rsqb] rbrack] hat^ lowbar_ grave` lcub{ lbrace{ vert| verbar| rcub} rbrace}'
		.split(' ')
		.map((each) => [each.slice(0, -1), each.slice(-1)]),
);

/** `\u0041`, `\x41`, `\n`, `\/`, also with the backslash itself escaped, or what follows it. */
function backslashesAt(text: string, place: number): Reading[] {
	return afterRepeats(text, place, '\\', '\\').flatMap((start) => {
		// First, if it is escaped: what follows it is an escape of the next layer.
		const sign = start > place + 1 ? [{ meant: '\\', end: start }] : [];
		const code = /^(?:u([\da-f]{4})|u\{0*([\da-f]{1,6})\}|x([\da-f]{2}))/i.exec(
			text.slice(start, start + 16),
		);
		if (code) {
			const meant = characterOf(parseInt(code[1] ?? code[2] ?? code[3] ?? '', 16));
			return meant === undefined ? sign : [...sign, { meant, end: start + code[0].length }];
		}
		const next = text[start] ?? '\\';
		const control = CONTROLS[next];
		if (control !== undefined) return [...sign, { meant: control, end: start + 1 }];
		if (next === '\\') return sign;
		const [itself, ...escapes] = readingsAt(text, start);
		return [...sign, ...escapes, itself];
	});
}

const CONTROLS: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function characterOf(code: number): string | undefined {
	return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** Where the text goes on after the sign and its repeats, for none of these, one, two … */
function afterRepeats(text: string, place: number, sign: string, repeat: string): number[] {
	const places = [place + sign.length];
	for (let end = place + sign.length; text.startsWith(repeat, end); places.push(end)) {
		end += repeat.length;
		if (places.length > MOST_TIMES) break;
	}
	return places;
}
