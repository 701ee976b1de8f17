import { describe, expect, it } from '@jest/globals';

import type { ListPass } from '../../../../../nodes/AgentInventoryTrigger/progress/listPass';
import {
	advanced,
	atOnce,
	byModified,
	isOverlooked,
	isShortest,
	isTimeless,
	narrowed,
	secondPass,
	windowOf,
} from '../../../../../nodes/AgentInventoryTrigger/progress/listPass';
import fc from '../../../../lab/properties';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const NOON = Date.UTC(2026, 5, 30, 12);

/** A whole page. */
const MOST_ROWS = 250;

describe('a pass', () => {
	it('asks at first for all the rest, without times if it is for all that there is', () => {
		expect(windowOf({ begunAt: NOON }, NOON)).toEqual({});
		expect(windowOf({ begunAt: NOON, position: NOON - HOUR }, NOON)).toEqual({ from: NOON - HOUR });
	});

	it('is over once a window without an end was read', () => {
		expect(advanced({ begunAt: NOON }, {}, 0)).toBeUndefined();
		expect(advanced({ begunAt: NOON }, { from: NOON - HOUR }, MOST_ROWS)).toBeUndefined();
	});

	it('asks for half of what is more than a page', () => {
		const pass = narrowed({ begunAt: NOON, position: NOON - HOUR }, { from: NOON - HOUR }, NOON);

		expect(windowOf(pass, NOON)).toEqual({ from: NOON - HOUR, to: NOON - HOUR / 2 });
	});

	it('of all that there is begins long before the oldest property', () => {
		const { from, to = NaN } = windowOf(narrowed({ begunAt: NOON }, {}, NOON), NOON);

		expect(from).toBeUndefined();
		expect(to).toBeGreaterThan(NOON - 16 * YEAR);
		expect(to).toBeLessThan(NOON - 14 * YEAR);
	});

	it('goes on in longer windows while there is little, but no further than it was crowded in one go', () => {
		const pass: ListPass = {
			begunAt: NOON,
			position: NOON - HOUR,
			stepMs: 10 * SECOND,
			crowdedTo: NOON,
		};
		const window = windowOf(pass, NOON);
		const few = advanced(pass, window, 99);
		const many = advanced(pass, window, 100);

		expect(few).toMatchObject({ position: window.to, stepMs: 20 * SECOND });
		expect(many).toMatchObject({ position: window.to, stepMs: 10 * SECOND });
	});

	it('takes a second as its shortest window, and every end of one as a beginning', () => {
		const pass = { begunAt: NOON, position: NOON - 2 * SECOND };
		const half = narrowed(pass, windowOf(pass, NOON), NOON);
		const window = windowOf(half, NOON);

		expect(isShortest(pass, windowOf(pass, NOON), NOON)).toBe(false);
		expect(window).toEqual({ from: NOON - 2 * SECOND, to: NOON - SECOND });
		expect(isShortest(half, window, NOON)).toBe(true);
		expect(windowOf(advanced(half, window, MOST_ROWS) ?? half, NOON).from).toBe(window.to);
	});

	it('whose position is in the future by the clock of now is read to its end at once', () => {
		const pass = { begunAt: NOON, position: NOON + HOUR, stepMs: SECOND };
		const window = windowOf(pass, NOON);

		expect(window).toEqual({ from: NOON + HOUR });
		expect(isShortest(pass, window, NOON)).toBe(true);
	});
});

describe('the next window after one with little in it', () => {
	const to = NOON - HOUR;
	const stepAfter = (crowdedMs: number, stepMs = 10 * SECOND) => {
		const pass = { begunAt: NOON, position: to - stepMs, stepMs, crowdedTo: to + crowdedMs };
		return advanced(pass, { to }, 0)?.stepMs;
	};

	it.each([
		['twice as long if it is not crowded any more', 0, 20 * SECOND],
		['twice as long if half of what is crowded is longer', 50 * SECOND, 20 * SECOND],
		['half of what is crowded, in whole seconds', 31 * SECOND, 15 * SECOND],
		['no shorter than the one before', 4 * SECOND, 10 * SECOND],
	])('is %s', (_name, crowdedMs, expected) => {
		expect(stepAfter(crowdedMs)).toBe(expected);
	});
});

describe('what is more than a page', () => {
	it('is asked for in whole seconds, and in one at least', () => {
		const steps = [NOON - 3_999, NOON - 500].map(
			(position) => narrowed({ begunAt: NOON, position }, {}, NOON + 999).stepMs,
		);

		expect(steps).toEqual([SECOND, SECOND]);
	});

	it('is crowded up to the end of its window, or up to now', () => {
		const pass = { begunAt: NOON, position: NOON - HOUR };
		const to = NOON - HOUR / 2;

		expect(narrowed(pass, { to }, NOON).crowdedTo).toBe(to);
		expect(narrowed(pass, {}, NOON + 999).crowdedTo).toBe(NOON);
	});

	it('has no end to ask for once the window reaches the present', () => {
		const pass = { begunAt: NOON, position: NOON - HOUR, stepMs: HOUR };

		expect(windowOf(pass, NOON)).toEqual({ from: NOON - HOUR });
		expect(windowOf(pass, NOON + 1)).toEqual({ from: NOON - HOUR, to: NOON });
	});
});

describe('a service that overlooks windows', () => {
	const DAY = 24 * HOUR;
	const window = { from: NOON - HOUR, to: NOON };
	const inside = (count: number) => Array.from({ length: count }, () => NOON - 1);
	const outside = (count: number, time?: number) =>
		Array.from({ length: count }, () => time ?? NOON - 2 * DAY);

	/** Rows of a length of time. */
	const spread = (count: number, ms: number, from = window.from) =>
		Array.from({ length: count }, (_, index) => from + (index * ms) / count);

	it.each<[string, Array<number | undefined>, boolean]>([
		['no rows', [], false],
		['50 rows, all from outside', outside(50), false],
		['51 rows, all from outside', outside(51), true],
		['200 rows, half of them from outside', [...outside(100), ...inside(100)], false],
		['200 rows, more than half of them from outside', [...outside(101), ...inside(99)], true],
		['rows from a day before it', outside(60, window.from - DAY), false],
		['rows from more than a day before it', outside(60, window.from - DAY - 1), true],
		['rows from a day after it', outside(60, window.to + DAY), false],
		['rows from more than a day after it', outside(60, window.to + DAY + 1), true],
		['rows of more than its time', spread(120, 3 * HOUR), true],
		['rows of twice its time', spread(120, 2 * HOUR), false],
		['rows of its time in another place', spread(120, HOUR, window.from - 9 * HOUR), false],
		['300,000 rows of one second', Array.from({ length: 300_000 }, () => NOON), false],
		['rows without times', Array.from({ length: 60 }, () => undefined), false],
	])('is told by its rows, or not: %s', (_name, times, expected) => {
		expect(isOverlooked(window, times)).toBe(expected);
	});

	it('is not told by fractions of its last second', () => {
		expect(isOverlooked({ from: NOON, to: NOON + SECOND }, spread(240, 2 * SECOND, NOON))).toBe(
			false,
		);
	});

	it('is not told by a window without a beginning or an end', () => {
		expect(isOverlooked({ from: window.from }, outside(60, NOON + 9 * DAY))).toBe(false);
		expect(isOverlooked({ to: window.to }, outside(60, NOON - 9 * DAY))).toBe(false);
	});

	it('is asked for all the rest at once, page by page', () => {
		const pass = atOnce({ begunAt: NOON, position: NOON - HOUR, stepMs: SECOND });

		expect(windowOf(pass, NOON)).toEqual({ from: NOON - HOUR });
		expect(isShortest(pass, windowOf(pass, NOON), NOON)).toBe(true);
	});
});

describe('a pass by times of creation', () => {
	const position = NOON - HOUR;

	it.each<[string, Array<number | undefined>, boolean]>([
		['50 rows without times', Array.from({ length: 50 }, () => undefined), false],
		['51 rows without times', Array.from({ length: 51 }, () => undefined), true],
		['more rows, half of them without times', halfTimeless(250), false],
		['more rows, most of them without times', [...halfTimeless(250), undefined, undefined], true],
		['rows with times', Array.from({ length: 250 }, () => NOON), false],
	])('does not help if there are many rows without such times: %s', (_name, times, expected) => {
		expect(isTimeless(times)).toBe(expected);
	});

	it('is followed by one by modified times, from the beginning on, if it had windows', () => {
		const pass = { begunAt: NOON, position, stepMs: 8 * SECOND, crowdedTo: NOON };

		expect(secondPass(pass)).toEqual({ begunAt: NOON, by: 'modified' });
		expect(byModified(pass)).toEqual(secondPass(pass));
		expect(secondPass(atOnce(pass))).toEqual(secondPass(pass));
	});

	it.each<[string, ListPass]>([
		['if one answer brought everything', { begunAt: NOON }],
		['if everything was asked for at once', { begunAt: NOON, stepMs: 0 }],
		['if that is done', { begunAt: NOON, position, stepMs: SECOND, by: 'modified' }],
	])('is the only one %s', (_name, pass) => {
		expect(secondPass(pass)).toBeUndefined();
	});
});

function halfTimeless(count: number): Array<number | undefined> {
	return Array.from({ length: count }, (_, index) => (index % 2 === 0 ? NOON : undefined));
}

/** The times of properties that do not change: thinly spread, crowded around some moments, and many within one second. */
const times: fc.Arbitrary<number[]> = fc
	.record({
		spread: fc.array(fc.integer({ min: 0, max: 12 * YEAR }), { maxLength: 400 }),
		crowds: fc.array(
			fc.record({
				at: fc.integer({ min: 0, max: 12 * YEAR }),
				widthMs: fc.constantFrom(1, 1_500, 40 * SECOND, HOUR),
				count: fc.integer({ min: 1, max: 600 }),
			}),
			{ maxLength: 4 },
		),
		isRecent: fc.boolean(),
	})
	.map(({ spread, crowds, isRecent }) => {
		const scale = isRecent ? 1e-5 : 1;
		const crowded = crowds.flatMap(({ at, widthMs, count }) =>
			Array.from({ length: count }, (_, index) => at * scale + (index * widthMs) / count),
		);
		return [...spread.map((ago) => ago * scale), ...crowded].map((ago) => NOON - Math.round(ago));
	});

/**
 * Reads a list to its end. Its times are in whole seconds.
 *
 * @throws if that takes too many requests
 */
function readAll(listed: number[], begin: ListPass): { read: number[]; requests: number } {
	const reading = { read: [] as number[], requests: 0 };
	for (let pass: ListPass | undefined = begin; pass;) {
		if (++reading.requests > 10_000) throw new Error(`Has no end: ${JSON.stringify(pass)}`);
		const window = windowOf(pass, NOON);
		const { from = -Infinity, to = Infinity } = window;
		const rows = listed.filter((time) => {
			const second = Math.floor(time / SECOND) * SECOND;
			return second >= from && second <= to;
		});
		if (rows.length > MOST_ROWS && !isShortest(pass, window, NOON)) {
			pass = narrowed(pass, window, NOON);
			continue;
		}
		reading.read.push(...rows);
		pass = advanced(pass, window, rows.length);
	}
	return reading;
}

describe('whatever there is', () => {
	it('is read from the first to the last, and none of it is left out', () => {
		fc.assert(
			fc.property(times, (listed) => {
				const { read } = readAll(listed, { begunAt: NOON });
				expect([...new Set(read)].sort()).toEqual([...new Set(listed)].sort());
			}),
		);
	});

	it('takes requests by how much it is, and not by how long ago', () => {
		fc.assert(
			fc.property(times, (listed) => {
				const { requests } = readAll(listed, { begunAt: NOON });
				// To come down from 30 years to a second takes 30 halvings, and each crowd may need that.
				expect(requests).toBeLessThan(300 + listed.length / 12);
			}),
		);
	});
});
