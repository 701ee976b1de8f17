import { describe, expect, it } from '@jest/globals';

import { isArmoured, readArmour } from '../../../../../service/auth/pgp/armour';

/** A session key and what it encrypts, as gpg --enarmor writes them. Its last line has two signs of padding. */
const LINES = [
	'wQED0mUBf39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/',
	'f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/',
	'f39/f39/f39/fw==',
];
const CHECKSUM = '=4Y/u';

/** The same with data that looks like an escape of quoted-printable. */
const LOOKALIKE = [
	'wQED0mMB3D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw9',
	'3D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw93D3cPdw9',
	'3D3cPdw93D0=',
];
const LOOKALIKE_CHECKSUM = '=zuLP';

/** A secret key with a user ID, a signature and a subkey, each as short as can be. */
const KEY_LINES = ['xQQEAQIDzQJBQsICBAnHAgQH'];
const KEY_CHECKSUM = '=JVKS';

function block(body: string[], kind = 'MESSAGE'): string[] {
	return [`-----BEGIN PGP ${kind}-----`, ...body, `-----END PGP ${kind}-----`];
}

const MESSAGE = block(['', ...LINES, CHECKSUM]);
const KEY = block(['', ...KEY_LINES, KEY_CHECKSUM], 'PRIVATE KEY BLOCK');

/** What is read, in base64, or the trouble. */
function read(text: string, wanted: 'message' | 'privateKey' = 'message') {
	const found = readArmour(text, wanted);
	return 'blocks' in found
		? found.blocks.map((packets) => Buffer.from(packets).toString('base64'))
		: found;
}

/** As a mail program writes it that breaks lines after so many characters. */
function quotedPrintable(lines: string[], width: number): string {
	const escaped = lines.map((line) => line.replace(/=/g, '=3D'));
	const broken = new RegExp(`(.{${width}})(?=.)`, 'g');
	return escaped.map((line) => line.replace(broken, '$1=\n')).join('\n');
}

describe('armour that somebody pasted', () => {
	it.each([
		['as they are', '\n'],
		['as Windows has them', '\r\n'],
		['lost', ''],
		['as spaces', ' '],
		['as tabs', '\t'],
		['written as \\n', '\\n'],
		['written as \\r\\n', '\\r\\n'],
		['written as \\t', '\\t'],
		['written as \\\\n', '\\\\n'],
		['as line separators', '\u2028'],
		['as tags', '<br>'],
		['as tags with attributes', '</p>\n<p class="mail">'],
		['as tags in capitals', '<BR />'],
		['as tags that are escaped', '&lt;br&gt;'],
		['as spaces of HTML', '&nbsp;'],
		['as codes of HTML', '&#13;&#10;'],
		['as characters without a width', '\u200b'],
	])('is read with its line breaks %s', (_, lineBreak) => {
		expect(read(MESSAGE.join(lineBreak))).toEqual([LINES.join('')]);
	});

	it.each([
		['a mark of a quotation', '> '],
		['an escaped one', '&gt; '],
		['an indent', '    '],
		['a byte order mark', '\ufeff'],
		['a soft hyphen', '\u00ad'],
	])('is read with %s in front of each line', (_, prefix) => {
		const text = MESSAGE.map((line) => `${prefix}${line}`).join('\n');

		expect(read(text)).toEqual([LINES.join('')]);
	});

	it('is read as JSON has it, between quote marks of any kind and within other text', () => {
		const escaped = MESSAGE.join('\\n').replace(/\//g, '\\/');

		for (const [open, close] of ['""', '“”', "''", '&quot;&quot;'].map((marks) => [
			marks.slice(0, marks.length / 2),
			marks.slice(marks.length / 2),
		]))
			expect(read(`Hello,\nhere it is: ${open}${escaped}${close}\n-- \nOlive`)).toEqual([
				LINES.join(''),
			]);
	});

	it.each(['', '-', '–', '—', '−'])('is read with %j for each dash', (dash) => {
		expect(read(MESSAGE.join('\n').replace(/-/g, dash))).toEqual([LINES.join('')]);
		expect(read(MESSAGE.join('').replace(/-/g, dash))).toEqual([LINES.join('')]);
	});

	it.each([
		['Version: GnuPG v2.0.22 (GNU/Linux)'],
		['Comment: https://example.com/secrets?for=agency&x=1'],
		['Comment: Sent by "Olive" <olive@example.com>'],
		['Charset: UTF-8'],
	])('is read below the header line %s, with line breaks and without', (line) => {
		const withHeader = block([line, '', ...LINES, CHECKSUM]);

		expect(read(withHeader.join('\n'))).toEqual([LINES.join('')]);
		expect(read(withHeader.join(''))).toEqual([LINES.join('')]);
	});

	it('is read without a checksum', () => {
		expect(read(block(['', ...LINES]).join('\n'))).toEqual([LINES.join('')]);
		expect(read(block(['', ...KEY_LINES], 'PRIVATE KEY BLOCK').join('\n'), 'privateKey')).toEqual(
			KEY_LINES,
		);
	});

	it.each([64, 60, 30])('is read as quoted-printable with %d characters a line', (width) => {
		const text = quotedPrintable(MESSAGE, width);
		const lookalike = quotedPrintable(block(['', ...LOOKALIKE, LOOKALIKE_CHECKSUM]), 64);

		expect(read(text)).toEqual([LINES.join('')]);
		expect(read(lookalike)).toEqual([LOOKALIKE.join('')]);
	});

	it('is read if a line begins as an escape of quoted-printable does, after a break', () => {
		const [first = '', ...rest] = LOOKALIKE;
		const text = [first, `=\n${rest.join('=\n')}3D`, '=3DzuLP'].join('');

		expect(read(block(['', text]).join('\n'))).toEqual([LOOKALIKE.join('')]);
		expect(read(block(['', ...LOOKALIKE, LOOKALIKE_CHECKSUM]).join('\n'))).toEqual([
			LOOKALIKE.join(''),
		]);
	});

	it('is read with its kind spread over lines, or run together', () => {
		const key = KEY.join('\n');

		expect(read(key, 'privateKey')).toEqual(KEY_LINES);
		expect(read(key.replace(/ /g, '\n'), 'privateKey')).toEqual(KEY_LINES);
		expect(read(key.replace(/ /g, ''), 'privateKey')).toEqual(KEY_LINES);
	});

	it('may be several blocks, of which all of the wanted kind that are whole are read', () => {
		const cutOff = MESSAGE.slice(0, -1);
		const damaged = MESSAGE.filter((line) => line !== LINES[1]);
		const text = [...damaged, ...KEY, ...MESSAGE, ...KEY, ...MESSAGE, ...cutOff].join('\n');

		expect(read(text)).toEqual([LINES.join(''), LINES.join('')]);
		expect(read(text, 'privateKey')).toEqual([...KEY_LINES, ...KEY_LINES]);
	});
});

describe('text that holds no whole block of the wanted kind', () => {
	const message = MESSAGE.join('\n');
	const key = KEY.join('\n');

	it.each<[string, string, 'message' | 'privateKey', unknown]>([
		['nothing', '', 'message', 'nothing'],
		['other text', 'Begin pgp message', 'message', 'nothing'],
		['a message without its last line', MESSAGE.slice(0, -1).join('\n'), 'message', 'cutOff'],
		['a message without its first line', MESSAGE.slice(1).join('\n'), 'message', 'cutOff'],
		['a key without its last line', KEY.slice(0, -1).join('\n'), 'privateKey', 'cutOff'],
		[
			'a message that ends as a key',
			[...MESSAGE.slice(0, -1), KEY[3]].join('\n'),
			'message',
			'cutOff',
		],
		['a message with a line missing', message.replace(`${LINES[1]}\n`, ''), 'message', 'damaged'],
		['a message with another checksum', message.replace('4Y/u', '4Y/v'), 'message', 'damaged'],
		['a message with nothing in it', block(['', '']).join('\n'), 'message', 'damaged'],
		['the data of a key as a message', block(['', ...KEY_LINES]).join('\n'), 'message', 'damaged'],
		[
			'the data of a message as a key',
			block(['', ...LINES], 'PRIVATE KEY BLOCK').join('\n'),
			'privateKey',
			'damaged',
		],
		['a key', key, 'message', { instead: 'privateKey' }],
		['a key’s last line', 'END PGP PRIVATE KEY BLOCK', 'message', { instead: 'privateKey' }],
		['a message', message, 'privateKey', { instead: 'message' }],
		[
			'a public key',
			block(['', ...KEY_LINES], 'PUBLIC KEY BLOCK').join('\n'),
			'privateKey',
			{ instead: 'publicKey' },
		],
		['a signature', block([''], 'SIGNATURE').join('\n'), 'message', { instead: 'other' }],
		['a signed text', 'BEGIN PGP SIGNED MESSAGE', 'message', { instead: 'other' }],
		['a key and a signature', `${key}\nBEGIN PGP SIGNATURE`, 'message', { instead: 'privateKey' }],
	])('is told what it is: %s', (_, text, wanted, trouble) => {
		expect(readArmour(text, wanted)).toEqual({ trouble });
	});
});

describe('a message that is not encrypted', () => {
	it.each([
		['a text', Buffer.from([0xcb, 3, 0x62, 0, 0x41])],
		['a signature', Buffer.from([0xc2, 2, 4, 0])],
		['compressed', Buffer.from([0xc8, 2, 1, 0])],
	])('is read, so that it can be told from a damaged one: %s', (_, packets) => {
		const base64 = packets.toString('base64');

		expect(read(block(['', base64]).join('\n'))).toEqual([base64]);
		expect(read(block(['', base64, '=AAAA']).join('\n'))).toEqual({ trouble: 'damaged' });
		expect(read(block(['', base64], 'PRIVATE KEY BLOCK').join('\n'), 'privateKey')).toEqual({
			trouble: 'damaged',
		});
	});
});

describe('a first or a last line of armour', () => {
	it.each([
		['-----BEGIN PGP MESSAGE-----', true],
		['END PGP PRIVATE KEY BLOCK', true],
		['BEGIN\nPGP\nMESSAGE', true],
		['BEGINPGPMESSAGE', true],
		['s3cret-of-PGP', false],
		['BEGIN PGP', false],
		['', false],
	])('is found, or not, in %j', (text, isFound) => {
		expect(isArmoured(text)).toBe(isFound);
	});
});
