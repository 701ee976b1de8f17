import { describe, expect, it } from '@jest/globals';

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../service/basics/times';
import { newerHalf, partBefore, windowsOf } from '../../../../service/leads/windows';

const NOON = Date.UTC(2026, 5, 30, 12);

/** The windows of so many days up to noon: how many days before noon each of them begins and ends. */
function daysOf(days: number): number[][] {
	const windows = windowsOf({ from: NOON - days * DAY_MS, to: NOON });
	return windows.map(({ from, to }) => [(NOON - from) / DAY_MS, (NOON - to) / DAY_MS]);
}

describe('a period', () => {
	it.each([
		[0, [[0, 0]]],
		[0.5, [[0.5, 0]]],
		[1, [[1, 0]]],
		[
			30,
			[
				[1, 0],
				[8, 1],
				[15, 8],
				[22, 15],
				[29, 22],
				[30, 29],
			],
		],
	])('of %d days is asked for in a day and then weeks', (days, windows) => {
		expect(daysOf(days)).toEqual(windows.map(([from, to]) => [from, to]));
	});

	it('that ends before it begins has no window', () => {
		expect(windowsOf({ from: NOON, to: NOON - SECOND_MS })).toEqual([]);
	});
});

describe('the newer half of a window', () => {
	it.each([
		[DAY_MS, DAY_MS / 2],
		[2 * MINUTE_MS, MINUTE_MS],
		[91 * SECOND_MS, 45 * SECOND_MS],
		[61 * SECOND_MS, 30 * SECOND_MS],
		[MINUTE_MS, MINUTE_MS],
		[0, 0],
	])('of %d ms has %d ms', (length, half) => {
		expect(newerHalf({ from: NOON - length, to: NOON })).toEqual({ from: NOON - half, to: NOON });
	});
});

describe('after a part of a window was answered', () => {
	const window = { from: NOON - 10_000, to: NOON };

	it.each([
		[3_000, [9_000, 3_000]],
		[6_000, [10_000, 6_000]],
	])('of %d ms, twice as much is due, up to the whole', (length, [from = 0, to = 0]) => {
		expect(partBefore({ from: NOON - length, to: NOON }, window)).toEqual({
			from: NOON - from,
			to: NOON - to,
		});
	});

	it.each([10_000, 11_000])('of %d ms, which is all of it, nothing is due', (length) => {
		expect(partBefore({ from: NOON - length, to: NOON }, window)).toBeUndefined();
	});
});
