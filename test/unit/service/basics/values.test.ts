import { describe, expect, it } from '@jest/globals';

import { isList, isObject, plainValue, textOf } from '../../../../service/basics/values';

describe('a value from outside', () => {
	it.each([
		[{}, true],
		[{ id: 1 }, true],
		[null, false],
		[undefined, false],
		[[], false],
		['{}', false],
		[5, false],
	])('%j is an object: %s', (value, expected) => {
		expect(isObject(value)).toBe(expected);
	});

	it.each([
		[[], true],
		[[{}, { id: 1 }], true],
		[[{}, null], false],
		[[[]], false],
		[{ length: 0 }, false],
		['', false],
		[null, false],
	])('%j is a list of objects: %s', (value, expected) => {
		expect(isList(value)).toBe(expected);
	});

	it.each([
		['5001', '5001'],
		[' a ', ' a '],
		[5001, '5001'],
		[0, '0'],
		[NaN, ''],
		[Infinity, ''],
		[true, ''],
		[null, ''],
		[undefined, ''],
		[['5001'], ''],
		[{}, ''],
	])('%p as text is %j', (value, expected) => {
		expect(textOf(value)).toBe(expected);
	});

	it.each([
		['a', 'a'],
		['', ''],
		[0, 0],
		[false, false],
		[null, null],
		[undefined, null],
		[['a'], null],
		[{ a: 1 }, null],
	])('%p as a single value is %p', (value, expected) => {
		expect(plainValue(value)).toBe(expected);
	});
});
