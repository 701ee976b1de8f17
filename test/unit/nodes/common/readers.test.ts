import { describe, expect, it } from '@jest/globals';

import { readIds, readTime, wholeNumber } from '../../../../nodes/common/readers';

const time = (value: unknown) => readTime('From', value, 'Europe/London', 'earliest');

describe('a date field', () => {
	it.each([
		'010726',
		'2026-1823',
		'0207-07-01',
		'12',
		'0107',
		'T10',
		'2026',
		'20260701',
		'01/07/2026',
		'1 July 2026',
		'45842.375',
	])('refuses %p, which somebody may mean as another date', (typed) => {
		expect(() => time(typed)).toThrow('“From” is not a date and time');
	});

	it.each(['2026-07-01', '\u200b2026\u201107\u201101\u00a0', '２０２６-07-01', '2026-07-01 00:00'])(
		'reads %p',
		(typed) => {
			expect(time(typed)).toBe(Date.UTC(2026, 5, 30, 23));
		},
	);
});

it.each(['0x10', '1e2', '1,000', '--1', 'Infinity', '', ' \u200b'])(
	'a number field refuses %p',
	(typed) => {
		expect(() => wholeNumber('Limit', typed, 1)).toThrow('“Limit” must be a whole number');
	},
);

it('a number field reads digits of any width, with what nobody sees around them', () => {
	expect(wholeNumber('Limit', '\ufeff１２ ', 1)).toBe(12);
});

describe('a list of IDs', () => {
	it.each([
		['1\t2', 'has a blank after “1”'],
		['10 234', 'has a blank after “10”'],
		['1\n2', 'has a line break after “1”'],
		['1, 10\u200b234', 'has an invisible character after “10”'],
		['1，2', 'has “,” in the ID “1,2”'],
		['1;2', 'has “;” in the ID “1;2”'],
		['[1,2]', 'has “[” in the ID “[1”'],
		[['1,2'], 'has “,” in the ID “1,2”'],
		['1,,2', 'contains an empty ID'],
		['1,\u200b', 'contains an empty ID'],
	])('%j: %s', (typed, problem) => {
		expect(() => readIds('Filter IDs', typed)).toThrow(`“Filter IDs” ${problem}`);
	});

	it('has each ID once, without what nobody sees around it', () => {
		expect(readIds('Filter IDs', ' NORTH\u00a0,\u200bSOUTH, １２,12')).toEqual([
			'NORTH',
			'SOUTH',
			'12',
		]);
		expect(readIds('Filter IDs', [10234, '10234'])).toEqual(['10234']);
	});
});
