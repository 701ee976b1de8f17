import { describe, expect, it } from '@jest/globals';

import { plainText } from '../../../../service/http/plainText';

const SECRET = 'a-secret of nobody+1';

describe('the text of the service, fit to be shown,', () => {
	it.each([
		['a-secret of<br>nobody+1'],
		['a-sec<b></b>ret of nobody+1'],
		['a-sec\r\n ret of nobody+1'],
		['a-sec\u00ad\u200bret of nobody+1'],
		['the secret is a-\tsec ret of no body+1, it said'],
	])('is not there if a secret in pieces is in it: %j', (text) => {
		expect(plainText(text, [SECRET])).toBe('…');
	});

	it('is not there if a secret of eight letters in pieces is in it', () => {
		expect(plainText('abcd<br>efgh', ['abcdefgh'])).toBe('…');
	});

	it.each([
		['a number', 429, '429'],
		['nothing', undefined, undefined],
		['an empty text', ' <br> ', undefined],
		['an object', { toString: () => 'It is' }, undefined],
		['a truth', true, undefined],
		['a long text', `${'a'.repeat(300)}b`, 'a'.repeat(300)],
	])('is one line of at most 300 characters, or nothing: %s', (_, value, text) => {
		expect(plainText(value, [])).toBe(text);
	});

	it('may hold the words of a short secret by chance', () => {
		expect(plainText('This is <b>at</b> an end', ['sat'])).toBe('This is at an end');
	});

	it('loses a secret in one piece alone', () => {
		expect(plainText(`<p>It is ${SECRET}</p>, is it?`, [SECRET])).toBe('It is … , is it?');
	});
});
