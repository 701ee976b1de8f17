import { describe, expect, it } from '@jest/globals';
import isEqual from 'lodash/isEqual';
import sortedIndex from 'lodash/sortedIndex';
import sortedLastIndex from 'lodash/sortedLastIndex';
import uniq from 'lodash/uniq';

import type { Answered, FilterWindow } from '../../../../service/leads/fittingWindows';
import { newerPart } from '../../../../service/leads/fittingLength';
import { FittingWindows } from '../../../../service/leads/fittingWindows';
import type { TimeWindow } from '../../../../service/leads/window';
import fc from '../../../lab/properties';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;
const AT_ONCE = 16;
const MONTH: TimeWindow = { from: 1_780_000_000_000, to: 1_780_000_000_000 + 30 * DAY };

/** The times of the leads of each filter in order, and how many of them are too many for one answer. */
interface Service {
	leads: Map<string, number[]>;
	most?: number;
}

interface Course {
	answers: Array<Answered<string>>;
	/** Requests that failed among them. */
	requests: number;
	/** How many windows of a filter were under way, before each answer. */
	underWay: number[];
	/** Each filter’s leads, as often as they came. */
	found: Map<string, number[]>;
	largest: number;
}

/** Which of so many answers that are under way comes next. */
type Next = (underWay: number) => number;

/** Asks for all windows of the period, as the node does. */
function played(
	period: TimeWindow,
	{ leads, most = Infinity }: Service,
	{ wanted = Infinity, next = () => 0 }: { wanted?: number; next?: Next } = {},
): Course {
	const windows = new FittingWindows(period, [...leads.keys()]);
	const found = new Map([...leads.keys()].map((filter) => [filter, new Array<number>()]));
	const course: Course = { answers: [], requests: 0, underWay: [], found, largest: 0 };
	const count = () => [...found.values()].reduce((sum, times) => sum + uniq(times).length, 0);
	const answer = ({ filter, window }: FilterWindow<string>): Answered<string> => {
		let answered = window;
		const held = () => within(answered, leads.get(filter) ?? []);
		for (; held().length > most && answered.to - answered.from > MINUTE; course.requests++) {
			answered = newerPart(answered);
		}
		course.requests++;
		course.largest = Math.max(course.largest, held().length);
		found.get(filter)?.push(...held());
		return { filter, window, answered, count: held().length };
	};
	while (windows.goFurther(count(), wanted)) {
		const underWay: Array<FilterWindow<string>> = [];
		for (;;) {
			underWay.push(...windows.next(AT_ONCE - underWay.length));
			const [comes] = underWay.splice(next(underWay.length), 1);
			if (!comes) break;
			const beside = underWay.filter(({ filter }) => filter === comes.filter);
			course.underWay.push(beside.length + 1);
			course.answers.push(answer(comes));
			windows.take(course.answers.at(-1) as Answered<string>);
		}
		expect(underWay).toEqual([]);
	}
	return course;
}

function within({ from, to }: TimeWindow, times: number[]): number[] {
	return times.slice(sortedIndex(times, from), sortedLastIndex(times, to));
}

/** Leads at even distances, as many a day as said. */
function evenly(perDay: number, { from, to }: TimeWindow = MONTH): number[] {
	const count = Math.round(((to - from) / DAY) * perDay);
	return Array.from({ length: count }, (_, index) =>
		seconds(from + ((index + 0.5) / perDay) * DAY),
	);
}

function seconds(ms: number): number {
	return Math.floor(ms / SECOND) * SECOND;
}

function branches(count: number, times: number[]): Map<string, number[]> {
	return new Map(Array.from({ length: count }, (_, index) => [`branch ${index}`, times]));
}

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

function inOrder(times: number[] = []): number[] {
	return uniq(times).sort((a, b) => a - b);
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

describe('a month of even density', () => {
	it.each([
		[0, 2],
		[1, 2],
		[20, 2],
		[30, 3],
		[100, 4],
		[1_000, 17],
		[2_000, 31],
	])('of %d leads a day takes %d requests', (perDay, requests) => {
		const course = played(MONTH, { leads: branches(1, evenly(perDay)) });

		expect(course.requests).toBe(requests);
		expect(course.largest).toBeLessThanOrEqual(Math.max(2_000, perDay));
	});

	it('has four windows under way as soon as one has shown the density', () => {
		const { underWay } = played(MONTH, { leads: branches(1, evenly(1_000)) });

		expect(underWay).toEqual([1, ...new Array<number>(13).fill(4), 3, 2, 1]);
	});

	it('of 40 branches takes one request each, but two of the first four', () => {
		expect(played(MONTH, { leads: branches(40, evenly(20)) }).requests).toBe(44);
	});

	it('of 40 branches takes one request each if the period is a day, all of them together', () => {
		const day = { from: MONTH.to - DAY, to: MONTH.to };
		const windows = new FittingWindows(day, [...branches(40, []).keys()]);

		windows.goFurther(0, Infinity);

		expect(windows.next(50)).toHaveLength(40);
		expect(played(day, { leads: branches(40, evenly(20)) }).requests).toBe(40);
	});

	it('takes smaller answers after one day of far too many', () => {
		const { answers, largest } = played(MONTH, { leads: branches(1, evenly(8_000)) });

		expect(largest).toBe(8_000);
		expect(answers.slice(1).every(({ count }) => count <= 2_050)).toBe(true);
	});
});

describe('a burst', () => {
	const on = (daysAgo: number, count: number) =>
		evenly(count, { from: MONTH.to - (daysAgo + 1) * DAY, to: MONTH.to - daysAgo * DAY });

	it('after a quiet day comes in one answer, and costs no further request', () => {
		const { requests, largest } = played(MONTH, { leads: branches(1, on(1, 10_000)) });

		expect(requests).toBe(2);
		expect(largest).toBe(10_000);
	});

	it('that is too much for one answer comes in smaller ones', () => {
		const leads = branches(1, on(1, 10_000));

		const { requests, largest } = played(MONTH, { leads, most: 2_500 });

		expect(largest).toBeLessThanOrEqual(2_500);
		expect(requests).toBeLessThanOrEqual(30);
	});

	it('on the first day does not make all others short', () => {
		const leads = branches(
			1,
			[...evenly(20), ...on(0, 10_000)].sort((a, b) => a - b),
		);

		expect(played(MONTH, { leads }).requests).toBeLessThanOrEqual(15);
	});

	it('of a branch that is asked after quiet ones comes in parts if it is too much', () => {
		const leads = branches(5, evenly(1));
		leads.set('branch 4', evenly(1_000));

		const { requests, largest, found } = played(MONTH, { leads, most: 2_500 });

		expect(inOrder(found.get('branch 4'))).toEqual(leads.get('branch 4'));
		expect(largest).toBeLessThanOrEqual(2_500);
		expect(requests).toBeLessThanOrEqual(40);
	});

	it('in one second takes one answer', () => {
		const leads = branches(1, new Array<number>(50_000).fill(MONTH.to - 5 * DAY));

		expect(played(MONTH, { leads }).requests).toBeLessThanOrEqual(3);
	});
});

describe('with a limit', () => {
	it.each([
		[50, 100, 1],
		[50, 20, 2],
		[50, 1, 2],
		[1, 0, 2],
	])('of %d, %d leads a day take %d requests', (wanted, perDay, requests) => {
		expect(played(MONTH, { leads: branches(1, evenly(perDay)) }, { wanted }).requests).toBe(
			requests,
		);
	});

	it('goes at least as far back again, however little is missing', () => {
		const day = evenly(45, { from: MONTH.to - DAY, to: MONTH.to });
		const before = evenly(10, { from: MONTH.to - 2 * DAY, to: MONTH.to - 1.5 * DAY });
		const leads = branches(1, [...before, ...day]);

		expect(played(MONTH, { leads }, { wanted: 50 }).requests).toBe(2);
	});

	it('goes back no further than is likely to hold the rest', () => {
		const { answers } = played(MONTH, { leads: branches(1, evenly(20)) }, { wanted: 50 });

		expect(answers.at(-1)?.answered.from).toBeGreaterThanOrEqual(MONTH.to - 5 * DAY);
	});
});

describe('a period', () => {
	it('that ends before it starts has no windows', () => {
		expect(played({ from: SECOND, to: 0 }, { leads: branches(1, []) }).requests).toBe(0);
	});

	it('of one second is asked for once', () => {
		const course = played({ from: SECOND, to: SECOND }, { leads: branches(1, [SECOND]) });

		expect(course.requests).toBe(1);
		expect(course.found.get('branch 0')).toEqual([SECOND]);
	});
});
