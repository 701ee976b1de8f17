import { describe, expect, it } from '@jest/globals';
import isEqual from 'lodash/isEqual';
import uniq from 'lodash/uniq';

import type { TimeWindow } from '../../../../service/leads/window';
import type { Course, Next } from '../../../lab/leadWindows';
import { evenly, inOrder, MONTH, played, within } from '../../../lab/leadWindows';
import fc from '../../../lab/properties';
import { SECOND } from '../../../lab/times';

/** The answered windows of a filter, the newest first, touch one another from end to start. */
function expectCovered({ answers }: Course, filter: string, { from, to }: TimeWindow): void {
	const windows = answers
		.filter((each) => each.filter === filter)
		.map(({ answered }) => answered)
		.sort((a, b) => b.to - a.to || b.from - a.from);
	const ends = [to, ...windows.map((window) => window.from)];
	expect(windows.map((window) => window.to)).toEqual(ends.slice(0, -1));
	expect(ends.at(-1)).toBe(from);
	expect(ends.filter((end) => end % SECOND !== 0)).toEqual([]);
}

const quantity = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.constant(1_000));
const burst = fc.record({
	at: fc.integer({ min: 0, max: 30 * 86_400 }).map((s) => MONTH.from + s * SECOND),
	lastsSeconds: fc.constantFrom(0, 3_600, 86_400),
	count: fc.constantFrom(10, 500, 3_000),
});
const branch = fc
	.record({ perDay: quantity, bursts: fc.array(burst, { maxLength: 3 }) })
	.map(({ perDay, bursts }) => [
		...evenly(perDay / 10),
		...bursts.flatMap(({ at, lastsSeconds, count }) =>
			Array.from({ length: count }, (_, index) =>
				Math.min(MONTH.to, at + Math.floor((index / count) * lastsSeconds) * SECOND),
			),
		),
	])
	.map((times) => times.sort((a, b) => a - b));
const period = fc
	.tuple(fc.integer({ min: 0, max: 30 * 86_400 }), fc.integer({ min: 0, max: 30 * 86_400 }))
	.map((ends) => ends.map((end) => MONTH.from + end * SECOND).sort((a, b) => a - b))
	.map(([from = 0, to = 0]) => ({ from, to }));
const service = fc
	.tuple(fc.array(branch, { minLength: 1, maxLength: 6 }), fc.constantFrom(Infinity, 600, 2_500))
	.map(([times, most]) => ({
		leads: new Map(times.map((each, i) => [`branch ${i}`, each])),
		most,
	}));

const anyOrder = fc.infiniteStream(fc.nat()).map(
	(numbers): Next =>
		(underWay) =>
			numbers.next().value % Math.max(1, underWay),
);

describe('windows that fit', () => {
	it('cover the period of each filter without a gap, whatever comes back, in any order', () => {
		fc.assert(
			fc.property(period, service, anyOrder, (asked, { leads, most }, next) => {
				const course = played(asked, { leads, most }, { next });

				for (const [filter, times] of leads) {
					expectCovered(course, filter, asked);
					expect(isEqual(inOrder(course.found.get(filter)), inOrder(within(asked, times)))).toBe(
						true,
					);
				}
			}),
			{ numRuns: 40 },
		);
	});

	it('bring a lead twice only at the second where two of them meet', () => {
		fc.assert(
			fc.property(period, branch, anyOrder, (asked, times, next) => {
				const { answers } = played(asked, { leads: new Map([['branch', times]]) }, { next });
				const seams = answers.map(({ answered }) => answered.from);
				const found = answers.flatMap(({ answered }) => uniq(within(answered, times)));
				const twice = found.filter((time, index) => found.indexOf(time) !== index);

				expect(twice.filter((time) => !seams.includes(time))).toEqual([]);
			}),
			{ numRuns: 20 },
		);
	});

	it('find the newest leads if only so many are wanted', () => {
		fc.assert(
			fc.property(service, fc.integer({ min: 1, max: 3_000 }), ({ leads, most }, wanted) => {
				const { found } = played(MONTH, { leads, most }, { wanted });
				const newest = (times: Iterable<number[]>) =>
					[...times]
						.flatMap(uniq)
						.sort((a, b) => b - a)
						.slice(0, wanted);

				expect(isEqual(newest(found.values()), newest(leads.values()))).toBe(true);
			}),
			{ numRuns: 40 },
		);
	});

	it('are no more than the leads and the bursts need', () => {
		fc.assert(
			fc.property(branch, anyOrder, (times, next) => {
				const { requests } = played(MONTH, { leads: new Map([['branch', times]]) }, { next });

				expect(requests).toBeLessThanOrEqual(4 + times.length / 400 + 12 * 3);
			}),
			{ numRuns: 40 },
		);
	});
});
