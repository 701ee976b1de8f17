import { describe, expect, it } from '@jest/globals';

import { shownText } from '../../../../service/http/shown';
import fc from '../../../lab/properties';

/** How long the test plays: `PROPERTY_RUNS=… npx jest …` */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 3_000);

const each = (spell: (character: string) => string) => (text: string) =>
	[...text].map(spell).join('');
const HTML: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

const ENCODINGS: Record<string, (text: string) => string> = {
	percent: encodeURIComponent,
	'percent throughout': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
	form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
	HTML: each((character) => (HTML[character] ? `&${HTML[character]};` : character)),
	'HTML throughout': each((character) => `&#${character.codePointAt(0)};`),
	'HTML in hex': each((character) => `&#x${character.codePointAt(0)?.toString(16)};`),
	JSON: (text) => JSON.stringify(text).slice(1, -1),
	'JSON throughout': (text) =>
		text
			.split('')
			.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
			.join(''),
	'upper case': (text) => text.toUpperCase(),
	'lower case': (text) => text.toLowerCase(),
	base64,
	'base64 of a pair': (text) => base64(`client-1:${text}`),
	'base64 of an object': (text) => base64(`{"a":"${text}"}`),
};

/** In other capitals, nobody can read base64 back; it is recognised only if it is of the secret itself. */
const isLost = (names: string[]) => /> base64.* case/.test(names.join(' > '));

const SIGNS = '+/=-_.~!$&*()[]{}<>"\'\\%#@;:,?|^` éßü€😀';

const secrets = fc
	.string({ unit: fc.constantFrom(...'abcxyzABCXYZ0189', ...SIGNS), minLength: 8, maxLength: 48 })
	.map((text) => text.trim())
	.filter((text) => text.replace(/[\s+]/g, '').length >= 4);

const layers = fc
	.array(fc.constantFrom(...Object.keys(ENCODINGS)), { minLength: 1, maxLength: 3 })
	.filter((names) => !isLost(names));

const surroundings = fc.constantFrom(
	['', ''],
	['The client secret ', ' is wrong'],
	['“', '”'],
	['{"client_secret":"', '"}'],
	['<b>', '</b>'],
	['client_secret=', '&grant_type=client_credentials'],
	['Basic ', ', refused'],
);

describe('a text with a secret in it', () => {
	it('is never shown, with up to three encodings on top of one another', () => {
		fc.assert(
			fc.property(secrets, layers, surroundings, (secret, names, [before = '', after = '']) => {
				const spelled = names.reduce((text, name) => ENCODINGS[name]?.(text) ?? text, secret);
				expect(shownText(`${before}${spelled}${after}`, [secret])).toBeUndefined();
			}),
			{ numRuns },
		);
	});
});

describe('a text without a secret', () => {
	it('is shown as it is', () => {
		const words = fc.string({ unit: fc.constantFrom(...'abc %&\\/+0'), maxLength: 200 });
		fc.assert(
			fc.property(words, (text) => {
				const line = text.replace(/\s+/g, ' ').trim();
				expect(shownText(text, ['', 'a secret that is nowhere'])).toBe(line || undefined);
			}),
			{ numRuns },
		);
	});
});
