import { describe, expect, it } from '@jest/globals';

import { FittingWindows } from '../../../../service/leads/fittingWindows';
import { branches, evenly, inOrder, MONTH, played } from '../../../lab/leadWindows';
import { DAY, SECOND } from '../../../lab/times';

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

describe('the next windows', () => {
	const day = { from: MONTH.to - DAY, to: MONTH.to };

	it.each([0, 1, 3])('are %d at most if there are no more places', (places) => {
		const windows = new FittingWindows(MONTH, ['a', 'b', 'c', 'd', 'e']);
		windows.goFurther(0, Infinity);

		expect(windows.next(places)).toHaveLength(places);
	});

	it('of a filter that has shown its density take no more places than there are', () => {
		const windows = new FittingWindows(MONTH, ['a', 'b']);
		windows.goFurther(0, Infinity);
		windows.next(1);
		windows.take({ filter: 'a', window: day, answered: day, count: 1_960 });

		expect(windows.next(3).map(({ filter }) => filter)).toEqual(['a', 'a', 'a']);
	});

	it('of filters not asked yet are as long as the densest of the others needs', () => {
		const windows = new FittingWindows(MONTH, ['quiet', 'dense', 'new']);
		windows.goFurther(0, Infinity);
		windows.next(2);
		windows.take({ filter: 'quiet', window: day, answered: day, count: 0 });
		windows.take({ filter: 'dense', window: day, answered: day, count: 460 });

		const { window } = windows.next(50).find(({ filter }) => filter === 'new') ?? {};

		expect(window).toEqual({ from: MONTH.to - 4 * DAY, to: MONTH.to });
	});

	it('begin with what is missing of a newer one', () => {
		const windows = new FittingWindows(MONTH, ['a']);
		const middle = day.to - DAY / 2;
		windows.goFurther(0, Infinity);
		windows.next(1);
		windows.take({ filter: 'a', window: day, answered: { from: middle, to: day.to }, count: 0 });

		const { window } = windows.next(1).find(({ filter }) => filter === 'a') ?? {};

		expect(window).toEqual({ from: day.from, to: middle });
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
