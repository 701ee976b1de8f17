import { describe, expect, it } from '@jest/globals';

import { hiddenIn, plainCharacters, withoutBlankEnds } from '../../../../service/basics/tidy';

describe('the blanks at the ends of what was pasted', () => {
	it.each([
		['  a b\t\r\n', 'a b'],
		['\u00a0\u200b\u200e\u202fa\u2060\u00ad\ufeff\u0000', 'a'],
		['a\u200bb', 'a\u200bb'],
		['\n \ufeff \n', ''],
		[`a${' '.repeat(100_000)}b`, `a${' '.repeat(100_000)}b`],
	])('of %j are cut', (pasted, value) => {
		expect(withoutBlankEnds(pasted)).toBe(value);
	});
});

it.each([
	[' 6f1d2c3b\u20114a59\u2013x \u200b', '6f1d2c3b-4a59-x'],
	['\uff11\uff12\uff0c\u22123', '12,-3'],
])('%j is %j in the characters of a keyboard', (typed, plain) => {
	expect(plainCharacters(typed)).toBe(plain);
});

it.each([
	['AB1\u200b2', 'an invisible character after “AB1”'],
	['one\ttwo', 'a blank after “one”'],
	['one\r\ntwo', 'a line break after “one”'],
	['AB1', undefined],
])('what nobody sees in %j is said', (text, problem) => {
	expect(hiddenIn(text)).toBe(problem);
});
