import { describe, expect, it } from '@jest/globals';

import { shownText } from '../../../../service/http/shown';

const SECRET = 'A-secret/of "nobody"+é1';
const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const bytes = (spell: (byte: string) => string) =>
	Buffer.from(SECRET).toString('hex').replace(/../g, spell);
const units = (spell: (unit: string) => string) => SECRET.split('').map(spell).join('');

describe('the service’s text', () => {
	it.each<[string, unknown, string | undefined]>([
		['one line', ' <p>Not\r\n <b class="x">accepted</b></p> ', 'Not accepted'],
		['lines', 'Not<br>accepted', 'Not accepted'],
		['what is no markup', 'a < b and c > d', 'a < b and c > d'],
		['a tag without an end', 'No <img src="x', 'No <img src="x'],
		['a comment', 'No <!-- yes --> more', 'No more'],
		['a number', 429, '429'],
		['a long text', 'a'.repeat(301), 'a'.repeat(300)],
		['the longest text that is searched', `${'a '.repeat(2_000)}`, 'a '.repeat(150)],
		['a text that is too long to be searched', `${'a '.repeat(2_000)}a`, undefined],
		['markup alone', ' <br> ', undefined],
		['nothing', undefined, undefined],
		['an object', { toString: () => 'No' }, undefined],
	])('is shown as plain text: %s', (_, value, text) => {
		expect(shownText(value, [SECRET, ''])).toBe(text);
	});

	it.each<[string, string]>([
		['as it is', SECRET],
		['in upper case', SECRET.toUpperCase()],
		['in lower case', SECRET.toLowerCase()],
		['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
		['in percent', encodeURIComponent(SECRET)],
		['in percent, twice', encodeURIComponent(encodeURIComponent(SECRET))],
		['in hex', Buffer.from(SECRET).toString('hex')],
		['in base64 of a pair, in hex', Buffer.from(base64(`client-1:${SECRET}`)).toString('hex')],
		['with its bytes read as Latin 1', Buffer.from(SECRET).toString('latin1')],
		['in JSON', JSON.stringify(SECRET)],
		['in escapes of bytes', bytes((byte) => `\\x${byte}`)],
		['in quoted-printable', bytes((byte) => `=${byte}`)],
		['in escapes with braces', units((unit) => `\\u{${unit.charCodeAt(0).toString(16)}}`)],
		['in JSON throughout', units((unit) => `\\u${hex(unit)}`)],
		['in HTML', SECRET.replace(/["é]/g, (c) => ({ '"': '&quot;', é: '&#233;' })[c] ?? '')],
		['in HTML, by decimals', units((unit) => `&#0${unit.charCodeAt(0)};`)],
		['in HTML, in hex', units((unit) => `&#x${hex(unit)};`)],
		['in base64', base64(SECRET)],
		['in base64 of a pair', base64(`client-1:${SECRET}`)],
		['in base64 behind one letter', base64(`:${SECRET}:`)],
		['in base64 behind two letters', base64(`x:${SECRET}x`)],
		['in base64 for addresses', Buffer.from(`??${SECRET}??`).toString('base64url')],
		['in base64 behind other letters', `x${base64(SECRET)}`],
		['in base64 behind three others', `xyz${base64(`:${SECRET}:`)}`],
		['in base64 behind two others', `xy${base64(`x:${SECRET}x`)}`],
		[
			'in four encodings',
			encodeURIComponent(base64(JSON.stringify(units((unit) => `&#x${hex(unit)};`)))),
		],
		['in base64, in lower case', base64(SECRET).toLowerCase()],
		['in base64, in lines', base64(SECRET).replace(/.{8}/g, '$&\r\n')],
		['in HTML in JSON in base64', base64(JSON.stringify(units((unit) => `&#x${hex(unit)};`)))],
		['in base64 in base64 in percent', encodeURIComponent(base64(`${base64(SECRET)}`))],
		['in pieces, between tags', `${SECRET.slice(0, 4)}<br>${SECRET.slice(4)}`],
		['in pieces, in lines', `${SECRET.slice(0, 4)}\r\n\u00ad ${SECRET.slice(4)}`],
		['in a place that is cut off', `${'-'.repeat(400)}${SECRET}`],
	])('is not shown with a secret in it: %s', (_, spelled) => {
		for (const text of [spelled, `The secret is “${spelled}”.`, `secret=${spelled}&x=1`]) {
			expect(shownText(text, ['another one', SECRET])).toBeUndefined();
		}
	});

	it.each([
		['a<b>&"\'cd', 'a&lt;b&gt;&amp;&quot;&apos;cd'],
		['a b c d', 'a&nbsp;b\\nc&#32;d'],
		['a\\b"cd', '{"a":"a\\\\b\\"cd"}'],
	])('is not shown with the secret %j in it as %j', (secret, text) => {
		expect(shownText(text, [secret])).toBeUndefined();
	});

	it.each(['a&plus;b', 'No&comma; thanks', encodeURIComponent('a&sol;b'), 'a&#65;', '\\u0041'])(
		'is not shown with a character that has a name in HTML: %j',
		(text) => {
			expect(shownText(text, [SECRET])).toBeUndefined();
		},
	);

	it.each([
		['letters', 'a'.repeat(4_000)],
		['percent signs', '%25'.repeat(1_333)],
		['signs that have no character', '\\x %zz &#; &nothing &; \\'],
		['a secret in part', 'A-secret/of'],
	])('is shown with no secret in it: %s', (_, text) => {
		expect(shownText(text, [SECRET])).toBe(text.slice(0, 300));
	});
});
