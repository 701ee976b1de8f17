import { describe, expect, it } from '@jest/globals';

import { withoutSecrets } from '../../../../service/http/redaction';

/** Each sign in it has an escape of its own somewhere. */
const SECRET = 'pa"s/s+1 é&K';

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const base64url = (text: string) => Buffer.from(text, 'utf8').toString('base64url');

const inHex = (text: string) =>
	text.replace(/./g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('a secret', () => {
	it.each([
		['as it is', 'pa"s/s+1 é&K'],
		['in upper case', 'PA"S/S+1 É&K'],
		['in lower case', 'pa"s/s+1 é&k'],
		['as a form has it', 'pa%22s%2Fs%2B1+%C3%A9%26K'],
		['in an address', 'pa%22s%2Fs%2B1%20%C3%A9%26K'],
		['in an address in lower case', 'pa%22s%2fs%2b1%20%c3%a9%26k'],
		['in an address in Latin-1', 'pa%22s/s+1%20%E9&K'],
		['in an address within an address', 'pa%2522s%252Fs%252B1%2520%25C3%25A9%2526K'],
		['in an address, escaped again and again', 'pa%25252522s/s+1%252520%25C3%25A9&K'],
		['in HTML', 'pa&quot;s/s+1 é&amp;K'],
		['in HTML in numbers', 'pa&#34;s&#47;s&#43;1&#32;&#233;&#38;K'],
		['in HTML in numbers with zeros in front', 'pa&#0034;s&#000047;s+1 &#00233;&#038;K'],
		['in HTML in numbers without semicolons', 'pa&#34s&#47s+1 &#233&amp;K'],
		['in HTML in hex', 'pa&#x22;s&#x2f;s&#x2B;1 &#xe9;&#X26;K'],
		['in HTML in hex with zeros in front', 'pa&#x0022;s/s+1 &#x00e9;&#X0026;K'],
		['in HTML by names', 'pa&quot;s&sol;s&plus;1 é&AMP;K'],
		['in HTML, escaped again and again', 'pa&amp;amp;amp;amp;quot;s/s+1 é&amp;amp;amp;amp;K'],
		['in HTML within HTML', 'pa&amp;quot;s&amp;#47;s+1 é&amp;amp;K'],
		['in JSON', String.raw`pa\"s/s+1 é&K`],
		['in JSON with slashes', String.raw`pa\"s\/s+1 é&K`],
		['in JSON in hex', String.raw`pa\u0022s\u002Fs+1 \u00e9\u0026K`],
		['in JavaScript', String.raw`pa\x22s\x2Fs+1 \u{e9}\u{0026}K`],
		['in JSON within JSON', String.raw`pa\\\"s\\/s+1 \\u00e9&K`],
		['in JSON throughout, three times', JSON.stringify(inHex(inHex(SECRET))).slice(1, -1)],
		['in JSON in HTML', String.raw`pa\&quot;s\/s+1 \u00e9&amp;K`],
		['in HTML in an address', 'pa%26quot%3Bs/s+1%20%26%23233%3B%26amp%3BK'],
		['in JSON in HTML in an address', 'pa%5C%26quot%3Bs/s+1%20%5Cu00e9%26amp%3BK'],
		['in base64', base64(SECRET)],
		['in base64 without padding', base64(SECRET).replace(/=+$/, '')],
		['in base64 for addresses', base64url(SECRET)],
		['in base64 behind one letter', base64(`:${SECRET}`)],
		['in base64 behind two letters', base64(`1:${SECRET}`)],
		['in base64 behind three letters', base64(`22:${SECRET}`)],
		['in base64 between others', base64(`client:${SECRET}&scope=all`)],
		['in base64 for addresses between others', base64url(`client>:${SECRET}?&scope=all`)],
	])('is cut out, and nothing but it: %s', (_, spelled) => {
		expect(withoutSecrets(`{ ${spelled} }`, [SECRET])).toBe('{ … }');
	});

	it.each([
		['control characters', 'a\tb\nc\rd\be\ff', String.raw`a\tb\nc\rd\be\ff`],
		[
			'a backslash in a spelling of several kinds',
			String.raw`a\nb"c`,
			String.raw`a\\nb\%26quot%3Bc`,
		],
		['backslashes', String.raw`a\b\c`, String.raw`a\\b\\c`],
		['percent signs', 'a%b%25c', 'a%25b%2525c'],
		['names of HTML without semicolons', 'a"1&2', 'a&quot1&amp2'],
		['names of HTML without semicolons before letters', 'a"s&K<b>c', 'a&quots&ampK&ltb&gtc'],
		['ampersands', 'a&b&amp;c', 'a&amp;b&amp;amp;c'],
		['a letter with two forms in upper case', 'straße', 'STRASSE'],
		['letters of two units', '𐐀bcd', '𐐨BCD'],
		['a letter with a rare form in upper case', 'straße', 'STRAẞE'],
		['a letter with a form of its own at the end', 'ΟΔΟΣ', 'οδος'],
		['letters of two units in upper case', '𐐨bcd', '𐐀BCD'],
		['the last of all characters', 'a\u{10ffff}b', String.raw`a\u{10FFFF}b`],
		['a sign at its beginning', '"abc', '&quot;abc'],
		['letters of two units in JSON', 'a😀b', String.raw`a\ud83d\ude00b`],
		['letters of two units in HTML', 'a😀b', 'a&#128512;b'],
		['letters of two units in JavaScript', 'a😀b', String.raw`a\u{1F600}b`],
		['letters of four bytes in an address', 'a😀b', 'a%F0%9F%98%80b'],
		['letters of three bytes in an address', 'a€b', 'a%E2%82%ACb'],
		['the first letters of three bytes in an address', 'aกb', 'a%E0%B8%81b'],
		['signs that base64 for addresses has others for', '???>>>', 'Pz8_Pj4-'],
		['such signs amid base64 for addresses', '>>>???a', 'Pj4-Pz8_YQ'],
		['three letters in base64', 'abc', 'YWJj'],
	])('is cut out with %s', (_, secret, spelled) => {
		expect(withoutSecrets(`{ ${spelled} }`, [secret])).toBe('{ … }');
	});

	it('is cut out each time, and each of several', () => {
		expect(withoutSecrets('one, two, one; onetwo.', ['one', 'two'])).toBe('…, …, …; ….');
	});

	it('is cut out amid other letters, and these are kept', () => {
		expect(withoutSecrets('xone2', ['one'])).toBe('x…2');
	});

	it.each([
		['at the end of the text', 'It is '],
		['behind signs that are no escape', '%zz %4 It is '],
	])('is cut out in several spellings on top of one another %s', (_, before) => {
		const spelled = 'pa%5C%26quot%3Bs/s+1%20%5Cu00e9%26amp%3BK';

		expect(withoutSecrets(`${before}${spelled}`, [SECRET])).toBe(`${before}…`);
	});

	it('is looked for among many signs of escapes, each of which may be escaped itself', () => {
		const signs = '\\'.repeat(60);

		expect(withoutSecrets(`${signs}a`, [`${'\\'.repeat(50)}b`])).toBe(`${signs}a`);
	});

	it('does not end after the text', () => {
		expect(withoutSecrets('abc', ['abc\0'])).toBe('abc');
	});

	it.each([
		['another word', 'pa"s/s+2 é&K'],
		['a part of it', 'pa"s/s+1 é&'],
		['signs of escapes', String.raw`50 % of &c. &nobody; &#; \ \u12 %zz %4 100%`],
		['a number that no character has', String.raw`&#9999999; &#x110000; \u{110000}`],
		['bytes that are no letter', '%C3%28 %80 %FF'],
	])('is not taken for %s', (_, text) => {
		expect(withoutSecrets(text, [SECRET])).toBe(text);
	});

	it('of two letters may be in any base64 by chance', () => {
		expect(withoutSecrets('YWI YWJ', ['ab'])).toBe('YWI YWJ');
	});
});

describe('a very long text', () => {
	const LONGEST = 4_000;
	const filled = (end: string, length = LONGEST) => '~'.repeat(length - end.length) + end;

	it('is cut short', () => {
		expect(withoutSecrets('~'.repeat(LONGEST), [SECRET])).toBe('~'.repeat(LONGEST));
		expect(withoutSecrets('~'.repeat(LONGEST + 1), [SECRET])).toBe('~'.repeat(LONGEST));
	});

	it.each(['pa"', 'pa"s/s+1 é&', 'pa%2', 'pa&quo', String.raw`pa\u00`])(
		'keeps no part of a secret that it is cut short in: %s',
		(part) => {
			const shown = withoutSecrets(filled(part) + '~'.repeat(100), [SECRET]);

			expect(shown).toBe(`${'~'.repeat(LONGEST - part.length)}…`);
		},
	);

	it('keeps its end if it is as long as may be', () => {
		const text = filled('pa"s/s+1 é&');

		expect(withoutSecrets(text, [SECRET])).toBe(text);
	});

	it('keeps the beginning of a secret that is far from its end', () => {
		const text = filled(`pa"s${'~'.repeat(50)}`);

		expect(withoutSecrets(`${text}~`, [SECRET])).toBe(text);
	});
});
