import { describe, expect, it } from '@jest/globals';

import { plainText } from '../../../../service/http/plainText';
import { withoutSecrets } from '../../../../service/http/redaction';
import fc from '../../../lab/properties';

/** How long the tests play: `PROPERTY_RUNS=… npx jest …` */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 300);

const ID = 'client-1';

type Spell = (text: string) => string;

const hexOf = (text: string, digits: number) =>
	(text.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');
const each =
	(spell: (character: string) => string): Spell =>
	(text) =>
		[...text].map(spell).join('');
const units =
	(spell: (unit: string) => string): Spell =>
	(text) =>
		text.split('').map(spell).join('');
const base64: Spell = (text) => Buffer.from(text, 'utf8').toString('base64');
const bytes =
	(spell: (byte: string) => string): Spell =>
	(text) =>
		[...Buffer.from(text, 'utf8')]
			.map((byte) => spell(byte.toString(16).padStart(2, '0')))
			.join('');

const NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
};

/** The escapes of HTML, JSON and addresses, which can be on top of one another. */
const ESCAPES: Record<string, Spell> = {
	HTML: each((c) => (NAMES[c] ? `&${NAMES[c]};` : c)),
	'HTML in numbers': each((c) => (/[\w ]/.test(c) ? c : `&#${c.codePointAt(0)};`)),
	'HTML in numbers throughout': each((c) => `&#0${c.codePointAt(0)};`),
	'HTML in hex': each((c) => `&#x${hexOf(c, 1)};`),
	'HTML in upper-case hex': each((c) => `&#X${hexOf(c, 4).toUpperCase()};`),
	JSON: (text) => JSON.stringify(text).slice(1, -1),
	'JSON with slashes': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
	'JSON throughout': units((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
	'JSON in upper case': units(
		(c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
	),
	percent: encodeURIComponent,
	'percent in lower case': (text) =>
		encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase()),
	'percent throughout': bytes((hex) => `%${hex}`),
};

const SPELLINGS: Record<string, Spell> = {
	...ESCAPES,
	'as it is': (text) => text,
	'in upper case': (text) => text.toUpperCase(),
	'in lower case': (text) => text.toLowerCase(),
	'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
	'percent throughout, twice': bytes((hex) => `%25${hex}`),
	'a form': (text) => new URLSearchParams([['', text]]).toString().slice(1),
	base64: base64,
	'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
	'base64 for addresses': (text) => Buffer.from(text, 'utf8').toString('base64url'),
	'base64 in an address': (text) => encodeURIComponent(base64(text)),
	'base64 in JSON': (text) => base64(text).replaceAll('/', '\\/'),
	'base64 of the pair': (text) => base64(`${ID}:${text}`),
	'base64 of the pair for addresses': (text) =>
		Buffer.from(`${ID}:${text}`, 'utf8').toString('base64url'),
	'base64 of a form': (text) => base64(`grant_type=client_credentials&client_secret=${text}&x=1`),
	'base64 in lower case': (text) => base64(text).toLowerCase(),
};

/** Neither what stands for a cut, nor half a character. */
const isFree = (text: string) => !/…|\p{Surrogate}/u.test(text);

const secrets = fc
	.oneof(
		fc.string({ unit: 'grapheme-ascii', minLength: 4, maxLength: 60 }),
		fc.string({
			unit: fc.constantFrom(...'%&#;\\/+"\'<> =x25amp41u0'),
			minLength: 4,
			maxLength: 20,
		}),
		fc.string({ unit: 'grapheme', minLength: 4, maxLength: 20 }),
		fc.base64String({ minLength: 100, maxLength: 2_000 }),
	)
	.filter(isFree);

const surroundings = fc
	.oneof(
		fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
		fc.string({ unit: fc.constantFrom(...'%&#;\\/+"\'<> =x25amp41u0'), maxLength: 10 }),
		fc.string({ unit: 'grapheme', maxLength: 20 }),
	)
	.filter(isFree);

/** Nothing that could be taken for the beginning or the end of an escape. */
const plainSurroundings = fc.string({ unit: fc.constantFrom(...'ghi .,:!("<{'), maxLength: 20 });

/** Of what stands around the secret all of it may be left, of the secret nothing. */
function expectCut(shown: string, before: string, after: string): void {
	const parts = shown.split('…');
	expect(parts.length).toBeGreaterThan(1);
	const [first = ''] = parts;
	const last = parts.at(-1) ?? '';
	const isOfSurroundings = (part: string) => before.includes(part) || after.includes(part);
	expect({
		shown,
		isKept:
			before.startsWith(first) &&
			after.endsWith(last) &&
			parts.slice(1, -1).every(isOfSurroundings),
	}).toEqual({ shown, isKept: true });
}

describe('a secret in the service’s words', () => {
	it.each(Object.entries(SPELLINGS))('is cut out: %s', (_, spell) => {
		fc.assert(
			fc.property(secrets, surroundings, surroundings, (secret, before, after) => {
				const shown = withoutSecrets(before + spell(secret) + after, [secret]);
				// Padding may be left: it says nothing.
				expectCut(shown.replace(/…(%3D){1,2}/g, '…'), before, after);
			}),
			{ numRuns },
		);
	});

	it('is cut out where escapes are on top of one another', () => {
		const layers = fc.array(fc.constantFrom(...Object.keys(ESCAPES)), {
			minLength: 2,
			maxLength: 3,
		});
		fc.assert(
			fc.property(
				secrets,
				layers,
				plainSurroundings,
				plainSurroundings,
				(secret, names, before, after) => {
					const spelled = names.reduce((text, name) => ESCAPES[name]?.(text) ?? text, secret);
					fc.pre(spelled.length < 3_000);
					expectCut(withoutSecrets(before + spelled + after, [secret]), before, after);
				},
			),
			{ numRuns: 2 * numRuns },
		);
	});

	it('is not left in part where the text is shortened', () => {
		const lengths = fc.integer({ min: 200, max: 300 });
		const spellings = fc.constantFrom(...Object.values(SPELLINGS));
		fc.assert(
			fc.property(secrets, spellings, lengths, (secret, spell, length) => {
				const shown = plainText(`${'-'.repeat(length)}${spell(secret)}-`, [secret]) ?? '';
				expect(shown).toMatch(/^-*…?(%3D)*-*$/);
			}),
			{ numRuns },
		);
	});

	it('is not left in part where a very long text is cut short', () => {
		const lengths = fc.integer({ min: 3_900, max: 4_000 });
		// In base64 of more than the secret, what was cut may be what stands before it.
		const alone = Object.entries(SPELLINGS).filter(([name]) => !name.startsWith('base64 of'));
		const spellings = fc.constantFrom(...alone.map(([, spell]) => spell));
		// Amid the first escape the cut leaves less than a character of the secret, of ASCII in few letters.
		const ends = /^~*(…?[=%3D]*~*|[&%\\][#xXu\da-fA-F]{0,7}…?|&[a-z]{0,4}…?)$/;
		fc.assert(
			fc.property(secrets, spellings, lengths, (secret, spell, length) => {
				fc.pre(/^[ -}]*$/.test(secret));
				const before = '~'.repeat(length);
				const shown = withoutSecrets(`${before}${spell(secret)}${'~'.repeat(200)}`, [secret]);
				expect(shown).toMatch(ends);
			}),
			{ numRuns },
		);
	});

	it('leaves a text without secrets as it is', () => {
		const texts = fc.string({ unit: 'grapheme', maxLength: 300 });
		fc.assert(
			fc.property(texts, (text) => {
				expect(withoutSecrets(text, ['', 'a secret that is nowhere'])).toBe(text);
				expect(withoutSecrets(text, [])).toBe(text);
			}),
			{ numRuns },
		);
	});

	it.each([
		['percent signs', '%25'],
		['ampersands', '&amp;'],
		['backslashes', '\\'],
		['beginnings of the secret', 'aaaaaaaa&#97;'],
		['letters', 'a'],
	])('is looked for in a very long text: %s', (_, part) => {
		const secret = `${'a'.repeat(1_000)}%25&amp;\\`;
		const text = part.repeat(100_000);

		const shown = withoutSecrets(text, [secret, `id:${secret}`, 'token'.repeat(400)]);

		expect(text.startsWith(shown.replace(/…$/, ''))).toBe(true);
		expect(shown.length).toBeLessThanOrEqual(4_000);
	});
});
