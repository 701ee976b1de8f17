import { describe, expect, it } from '@jest/globals';

import { blocksIn, isArmoured } from '../../../../../service/auth/pgp/armour';

/** A session key and what it encrypts, as gpg --enarmor writes them. Its last line has two signs of padding. */
const LINES = [
	'wQED0mUBf39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/',
	'f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/',
	'f39/f39/f39/fw==',
];
const DATA = LINES.join('');
const CHECKSUM = '=4Y/u';

function block(body: string[], name = 'MESSAGE'): string[] {
	return [`-----BEGIN PGP ${name}-----`, ...body, `-----END PGP ${name}-----`];
}

const MESSAGE = block(['', ...LINES, CHECKSUM]);

function read(text: string, name: 'MESSAGE' | 'PRIVATE KEY BLOCK' = 'MESSAGE'): string[] {
	return blocksIn(text, name).map((data) => Buffer.from(data).toString('base64'));
}

describe('an armoured block that somebody pasted', () => {
	it.each([
		['as they are', '\n'],
		['as Windows has them', '\r\n'],
		['lost, as in a password field of n8n', ''],
		['as spaces', ' '],
		['as tabs', '\t'],
		['written as \\n', '\\n'],
		['written as \\r\\n', '\\r\\n'],
		['and marks of a quotation', '\n> '],
		['twice', '\n\n'],
	])('is read with its line breaks %s', (_, lineBreak) => {
		expect(read(MESSAGE.join(lineBreak))).toEqual([DATA]);
	});

	it.each(['', '-', '–', '—', '−'])('is read with %j for each dash', (dash) => {
		expect(read(MESSAGE.join('\n').replace(/-/g, dash))).toEqual([DATA]);
		expect(read(MESSAGE.join('').replace(/-/g, dash))).toEqual([DATA]);
	});

	it.each([
		[['Version: GnuPG v2.0.22 (GNU/Linux)']],
		[['Version: GnuPG v2']],
		[['Version: OpenPGP.js v4.10.10', 'Comment: https://openpgpjs.org']],
		[['Comment: https://example.com/secrets?for=agency&x=1', 'Charset: UTF-8']],
		[['Comment: Sent by "Olive" <olive@example.com>']],
	])('is read below the header lines %j, with line breaks and without', (headers) => {
		const lines = block([...headers, '', ...LINES, CHECKSUM]);

		expect(read(lines.join('\n'))).toEqual([DATA]);
		expect(read(lines.join('\r\n'))).toEqual([DATA]);
		expect(read(lines.join(''))).toEqual([DATA]);
		expect(read(lines.join(' '))).toEqual([DATA]);
	});

	/** In base64: packets of the older and the newer form, with short and long lengths. */
	it.each(['hQEM', 'hAEM', 'jA0E', 'wcFM', 'w0YG', 'lQOY', 'lIYE', 'xcMG', 'xYYE'])(
		'is read below a header line without line breaks, with data that begins with %s',
		(start) => {
			const text = block(['Version: 2', '', `${start}AAAA`, CHECKSUM]).join('');

			expect(read(text)).toEqual([`${start}AAAA`]);
		},
	);

	it('is read without a checksum, and with none of its data lost if the data is no known one', () => {
		expect(read(block(['', ...LINES]).join('\n'))).toEqual([DATA]);
		expect(read(block(['', 'owGbwMvM', CHECKSUM]).join(''))).toEqual(['owGbwMvM']);
		expect(read(block(['Version: 2', '', 'owGbwMvM', CHECKSUM]).join('\n'))).toEqual(['owGbwMvM']);
	});

	it('is read amid other text, each of its name', () => {
		const key = block(['', 'xQQEAQIDzQJBQsICBAnHAgQH', '=JVKS'], 'PRIVATE KEY BLOCK').join('\n');
		const text = `Hello,\n"${MESSAGE.join('\n')}"\n${key}\n${MESSAGE.join('')}\n-- \nOlive`;

		expect(read(text)).toEqual([DATA, DATA]);
		expect(read(text, 'PRIVATE KEY BLOCK')).toEqual(['xQQEAQIDzQJBQsICBAnHAgQH']);
	});

	it.each<[string, string, boolean]>([
		['without its last line', MESSAGE.slice(0, -1).join('\n'), true],
		['without its first line', MESSAGE.slice(1).join('\n'), true],
		['of another name', block(['AAAA'], 'PUBLIC KEY BLOCK').join('\n'), true],
		['that is none', 'BEGIN PGP', false],
	])('is not read %s', (_, text, isBlock) => {
		expect(read(text)).toEqual([]);
		expect(isArmoured(text)).toBe(isBlock);
	});
});
