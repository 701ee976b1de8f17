import { describe, expect, it } from '@jest/globals';

import {
	FittingLength,
	longestWithin,
	newerPart,
	olderPart,
} from '../../../../service/leads/fittingLength';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LONG = { from: 0, to: 256 * DAY };

/** What is due after windows that were answered whole, each with its length and its leads. */
function after(...answers: Array<[lengthMs: number, count: number]>): number {
	const lengths = new FittingLength();
	for (const [to, count] of answers) {
		const window = { from: 0, to };
		lengths.take({ window, answered: window, count });
	}
	return lengths.fitMs ?? NaN;
}

describe('the fitting length', () => {
	it('is a day as long as nothing is known, and as told for one who knows more', () => {
		const lengths = new FittingLength();

		expect(lengths.partOf(LONG)).toBe(DAY);
		expect(lengths.partOf(LONG, 5 * DAY)).toBe(5 * DAY);
		expect(lengths.partOf({ from: 0, to: HOUR })).toBe(HOUR);
		expect(lengths.expectedIn(LONG)).toBe(0);
	});

	it.each([
		['50 days after a day without a lead', 0, 50 * DAY],
		['less after a day with some', 40, 25 * DAY],
		['a day after a day of about 2,000', 1_960, DAY],
		['half a day after a day of twice as many', 3_960, DAY / 2],
	])('is %s', (_, count, fitMs) => {
		expect(after([DAY, count])).toBe(fitMs);
	});

	it('is only twice as long after a quiet hour, unless the time before it was as quiet', () => {
		expect(after([HOUR, 0])).toBe(2 * HOUR);
		expect(after([DAY, 40], [HOUR, 0])).toBe(50 * HOUR);
		expect(after([DAY, 1_960], [HOUR, 0])).toBe(DAY);
	});

	it('goes by the densest of the answers that count', () => {
		const lengths = new FittingLength();
		const window = { from: 0, to: DAY };

		for (const count of [0, 1_960, 10]) lengths.take({ window, answered: window, count });

		expect(lengths.fitMs).toBe(DAY);
	});

	it('makes equal parts of a span', () => {
		const lengths = new FittingLength();
		const window = { from: 0, to: DAY };
		lengths.take({ window, answered: window, count: 1_960 });

		expect(lengths.partOf({ from: 0, to: 1.5 * DAY })).toBe(0.75 * DAY);
	});

	describe('if windows were too much', () => {
		const tooMuch = (days: number) => ({
			window: { from: 0, to: 4 * DAY },
			answered: { from: 0, to: days * DAY },
			count: 0,
		});

		/** What is due in days, before each of so many answers that are whole. */
		function partsAfter(lengths: FittingLength, answers: number): number[] {
			return Array.from({ length: answers }, () => {
				const window = { from: 0, to: lengths.partOf(LONG) };
				lengths.take({ window, answered: window, count: 0 });
				return window.to / DAY;
			});
		}

		it('is what one answer took of them, and doubles once the last four answers were whole', () => {
			const lengths = new FittingLength();
			lengths.take(tooMuch(1));
			lengths.take(tooMuch(2));

			expect(partsAfter(lengths, 6)).toEqual([2, 2, 2, 2, 4, 8]);
		});

		it('does not change by a single one, which may be chance', () => {
			const lengths = new FittingLength(Infinity, 8 * DAY);
			lengths.take(tooMuch(1));

			expect(partsAfter(lengths, 5)).toEqual([8, 8, 8, 8, 16]);
		});
	});

	it('never exceeds what can shrink to a day, however quiet the days are', () => {
		const lengths = new FittingLength(longestWithin(3));
		const window = { from: 0, to: DAY };
		for (let round = 0; round < 3; round++) lengths.take({ window, answered: window, count: 0 });

		expect(lengths.partOf(LONG)).toBe(2 * DAY);
	});

	it('is in whole seconds, whatever failed before', () => {
		expect(new FittingLength(Infinity, HOUR + 500).partOf(LONG)).toBe(HOUR);
	});

	it('lets so many leads be expected as the last four answers held in their time', () => {
		const lengths = new FittingLength();
		const window = { from: 0, to: DAY };
		for (const count of [9_000, 10, 20, 30, 40]) lengths.take({ window, answered: window, count });

		expect(lengths.expectedIn({ from: 0, to: DAY })).toBeCloseTo(25);
		expect(lengths.expectedIn({ from: 0, to: 4 * DAY })).toBeCloseTo(100);
	});

	it('is a minute at least, and so are its answers', () => {
		const lengths = new FittingLength();
		const second = { from: 0, to: SECOND };
		lengths.take({ window: second, answered: second, count: 50_000 });

		expect(lengths.partOf({ from: 0, to: 2 * MINUTE })).toBe(MINUTE);
	});
});

describe('a window that failed', () => {
	it.each([1, 2, 3, 4, 5])('is no longer than a day at the last of %d tries', (maxTries) => {
		let window = { from: 0, to: Math.min(longestWithin(maxTries), 30 * DAY) };
		// The first repeat may ask for all of it again.
		for (let tries = 2; tries < maxTries; tries++) window = newerPart(window);

		expect(window.to - window.from).toBeLessThanOrEqual(DAY);
	});

	it.each([
		[5, 15_000, Infinity],
		[9, 15_000, Infinity],
		[5, 14_999, 4 * DAY],
		[5, 3_000, 2 * DAY],
		[5, 0, DAY],
	])(
		'may have any length only if there is time to shrink: %d tries, %d ms for their waits',
		(maxTries, maxWaitMs, longestMs) => {
			expect(longestWithin(maxTries, maxWaitMs)).toBe(longestMs);
		},
	);

	it('has a newer half and an older one, or four days if that is less', () => {
		const window = { from: 0, to: 6 * DAY };

		expect(newerPart(window)).toEqual({ from: 3 * DAY, to: 6 * DAY });
		expect(olderPart(window)).toEqual({ from: 0, to: 3 * DAY });
		expect(newerPart(LONG)).toEqual({ from: 252 * DAY, to: 256 * DAY });
		expect(olderPart(LONG)).toEqual({ from: 0, to: 4 * DAY });
	});

	it('of a minute is asked for as it is', () => {
		const window = { from: 0, to: MINUTE };

		expect([newerPart(window), olderPart(window)]).toEqual([window, window]);
	});
});
