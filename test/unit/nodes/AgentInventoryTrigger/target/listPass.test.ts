import { describe, expect, it } from '@jest/globals';

import type { ListPass } from '../../../../../nodes/AgentInventoryTrigger/target/listPass';
import {
	advanced,
	isShortest,
	narrowed,
	windowOf,
} from '../../../../../nodes/AgentInventoryTrigger/target/listPass';
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
