import { describe, expect, it } from '@jest/globals';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import { DAY } from '../../../../lab/polling/leadsModel';

const NOON = Date.UTC(2026, 5, 30, 12);

/** Claims that many leads of a day, and says how many of them were new. */
function claim(delivered: DeliveredLeads, count: number, day: number): number {
	const keys = Array.from({ length: count }, (_, index) => `day ${day} lead ${index}`);
	return keys.filter((key) => delivered.claim('applicant', key, NOON + day * DAY)).length;
}

const sizeOf = (delivered: DeliveredLeads) => JSON.stringify(delivered.byDay()).length;

describe('the leads that were delivered', () => {
	it('are each new once, for a lead type', () => {
		const delivered = new DeliveredLeads();

		expect(delivered.claim('applicant', 'a', NOON)).toBe(true);
		expect(delivered.claim('applicant', 'a', NOON + 20 * DAY)).toBe(false);
		expect(delivered.claim('appraisal', 'a', NOON)).toBe(true);
	});

	it('are known again from their marks', () => {
		const delivered = new DeliveredLeads();

		expect(claim(delivered, 500, 0)).toBe(500);

		const again = new DeliveredLeads(new Map(delivered.byDay()));

		expect(claim(again, 500, 0)).toBe(0);
		expect(again.byDay()).toEqual(delivered.byDay());
	});

	it('do not change with a copy', () => {
		const delivered = new DeliveredLeads();

		delivered.copy().claim('applicant', 'a', NOON);

		expect(delivered.byDay()).toEqual([]);
		expect(delivered.claim('applicant', 'a', NOON)).toBe(true);
	});

	it('are kept for 30 days at least, and forgotten after that', () => {
		const delivered = new DeliveredLeads();
		claim(delivered, 3, 0);

		for (let day = 1; day <= 31; day++) claim(delivered, 3, day);

		expect(claim(delivered, 3, 0)).toBe(0);

		for (let day = 32; day <= 70; day++) claim(delivered, 3, day);

		expect(delivered.byDay()).toHaveLength(32);
		expect(claim(delivered, 3, 0)).toBe(3);
	});

	it('are kept for as long as the service brings them up', () => {
		const delivered = new DeliveredLeads();

		for (let day = 0; day < 100; day++) {
			claim(delivered, 1, day);
			expect(delivered.claim('applicant', 'old', NOON + day * DAY)).toBe(day === 0);
		}
	});

	it('are still known once the day is dropped on which they were delivered first', () => {
		const delivered = new DeliveredLeads();
		delivered.claim('applicant', 'old', NOON);
		for (let day = 1; day <= 32; day++) claim(delivered, 1, day);
		delivered.recall('applicant', 'old', NOON + 20 * DAY);

		const days = delivered.byDay().map(([day]) => day);

		expect(days).not.toContain('2026-06-30');
		expect(delivered.claim('applicant', 'old', NOON + 33 * DAY)).toBe(false);
	});

	it('are dropped although nobody has asked for one yet', () => {
		const days = Array.from({ length: 33 }, (_, day) => NOON + day * DAY);
		const marks = days.map(
			(day) => [new Date(day).toISOString().slice(0, 10), 'x8Zk0-qQ'] as const,
		);

		expect(new DeliveredLeads(new Map(marks)).byDay()).toEqual(marks.slice(1));
	});

	it('take little room, and say how far back they are complete', () => {
		const delivered = new DeliveredLeads();

		expect(delivered.completeFrom).toBeUndefined();

		for (let day = 0; day < 30; day++) claim(delivered, 1_000, day);

		expect(sizeOf(delivered)).toBeLessThan(121_000);
		expect(sizeOf(delivered)).toBeGreaterThan(120_000);
		expect(delivered.completeFrom).toBe(Date.UTC(2026, 6, 15));
		expect(claim(delivered.copy(), 1_000, 15)).toBe(0);
		expect(claim(delivered.copy(), 1_000, 14)).toBe(1_000);
	});

	it('of a day on which there are too many are the newest', () => {
		const delivered = new DeliveredLeads();

		claim(delivered, 15_500, 0);

		expect(sizeOf(delivered)).toBeLessThan(121_000);

		const isNew = (index: number) =>
			delivered.copy().claim('applicant', `day 0 lead ${index}`, NOON);

		expect([0, 499, 500, 15_499].map(isNew)).toEqual([true, true, false, false]);
	});

	it('are not forgotten for a clock that is wrong for a while', () => {
		const delivered = new DeliveredLeads();
		claim(delivered, 5, 0);
		claim(delivered, 5, 400);

		claim(delivered, 5, 1);

		expect([0, 1, 400].map((day) => claim(delivered, 5, day))).toEqual([0, 0, 0]);
	});

	it('are recalled without being noted, unless they were', () => {
		const delivered = new DeliveredLeads();
		delivered.claim('applicant', 'a', NOON);

		expect(delivered.recall('applicant', 'a', NOON + DAY)).toBe(true);
		expect(delivered.recall('appraisal', 'a', NOON)).toBe(false);
		expect(delivered.recall('applicant', 'b', NOON)).toBe(false);

		expect(delivered.byDay().map(([day]) => day)).toEqual(['2026-06-30', '2026-07-01']);
		expect(delivered.claim('applicant', 'b', NOON)).toBe(true);
	});

	it('are joined with those of another process, each once, as complete as the less complete', () => {
		const [mine, others] = [new DeliveredLeads(), new DeliveredLeads(undefined, NOON)];
		mine.claim('applicant', 'a', NOON);
		others.claim('applicant', 'a', NOON);
		others.claim('applicant', 'b', NOON - DAY);

		mine.merge(others);
		mine.merge(new DeliveredLeads(undefined, NOON - DAY));

		expect(mine.recall('applicant', 'b', NOON - DAY)).toBe(true);
		expect(mine.byDay().map(([day, marks]) => [day, marks.length])).toEqual([
			['2026-06-30', 8],
			['2026-06-29', 8],
		]);
		expect(mine.completeFrom).toBe(NOON);
	});

	it('are as complete as before if none is missing in those of another process', () => {
		const [complete, mine] = [new DeliveredLeads(), new DeliveredLeads(undefined, NOON)];

		for (const each of [complete, mine]) each.merge(new DeliveredLeads());

		expect([complete.completeFrom, mine.completeFrom]).toEqual([undefined, NOON]);
	});
});
