import { beforeEach, describe, expect, it } from '@jest/globals';
import times from 'lodash/times';

import { DAY, HOUR, idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('the period', () => {
	it.each([
		['Europe/London', '2026-06-20T09:30:00', '2026-06-20T08:30:00Z'],
		['Europe/London', '2026-06-20 09:30:00', '2026-06-20T08:30:00Z'],
		['Europe/London', '2026-06-20T09:30:00+05:00', '2026-06-20T04:30:00Z'],
		['Europe/London', '2026-06-20', '2026-06-19T23:00:00Z'],
		['Asia/Kolkata', '2026-06-20T09:30:00', '2026-06-20T04:00:00Z'],
		['UTC', '2026-06-20T09:30:00.900Z', '2026-06-20T09:30:00Z'],
		['UTC', '={{ DateTime.fromISO("2026-06-20T09:30:00Z") }}', '2026-06-20T09:30:00Z'],
	])('in %s from %s is asked for from %s', async (timezone, from, expected) => {
		bench.setTime('2026-06-30T12:00:00Z');
		const parameters = { period: 'range', from, to: '2026-06-20T11:00:00Z' };

		await bench.run(parameters, { timezone });

		expect(bench.windows.at(-1)?.[0]).toBe(expected);
	});

	it('takes in both hours that the end of British Summer Time repeats', async () => {
		bench.setTime('2026-11-10T12:00:00Z');

		await bench.run(
			{ period: 'range', from: '2026-10-25T01:30:00', to: '2026-10-25T01:30:00' },
			{ timezone: 'Europe/London' },
		);

		expect(bench.windows).toEqual([['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']]);
	});

	it.each(['', '={{ null }}', '={{ undefined }}'])(
		'with an end of “%s” goes up to now',
		async (to) => {
			bench.setTime('2026-06-30T12:00:00Z');

			await bench.run({ period: 'range', from: '2026-06-30T06:00:00Z', to });

			expect(bench.windows).toEqual([['2026-06-30T06:00:00Z', '2026-06-30T12:00:00Z']]);
		},
	);

	it('reaching past the 30 days kept is cut to them, with a hint', async () => {
		bench.setTime('2026-06-30T12:00:00Z');

		const run = await bench.run({
			period: 'recent',
			recentAmount: 40,
			recentUnit: 'days',
			returnAll: true,
		});

		// A day, four weeks and the last day.
		expect(bench.windows).toHaveLength(6);
		expect(bench.windows.flat().sort()[0]).toBe('2026-05-31T12:00:00Z');
		expect(run.hints[0]?.message).toBe(
			'The service keeps leads for 30 days: the node left out the part of the period before that.',
		);
	});

	it('that lies wholly before the 30 days kept asks nothing and says so', async () => {
		bench.setTime('2026-06-30T12:00:00Z');
		const parameters = { period: 'range', from: '2026-03-01T00:00', to: '2026-03-02T00:00' };

		const run = await bench.run(parameters);

		expect(run.items).toHaveLength(0);
		expect(bench.sandbox.requests).toHaveLength(0);
		expect(run.hints[0]?.message).toContain('keeps leads for 30 days');
	});
});

describe('a month', () => {
	const month = { period: 'recent', recentAmount: 30, recentUnit: 'days' };
	const lead = (index: number) => `lead ${index}`;

	beforeEach(() => {
		bench.setTime('2026-06-30T12:00:00Z');
		for (let index = 0; index < 90; index++) bench.submit(lead(index), index * 8 * HOUR + HOUR);
	});

	/** The days of each request, the newest first. */
	const days = () =>
		bench.windows
			.map((window) => window.map((time = '') => Date.parse(time)))
			.sort(([one = 0], [other = 0]) => other - one)
			.map(([from = 0, to = 0]) => (to - from) / DAY);

	it('is asked for by its newest day and the weeks before, and comes newest first', async () => {
		const run = await bench.run({ ...month, returnAll: true });

		expect(idsOf(run)).toEqual(times(90, lead));
		expect(days()).toEqual([1, 7, 7, 7, 7, 1]);
	});

	it('with a limit is asked for no further', async () => {
		const run = await bench.run({ ...month, limit: 5 });

		expect(idsOf(run)).toEqual(times(5, lead));
		expect(days()).toEqual([1, 7]);
	});

	it('has the order of the filter IDs where the times are the same', async () => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['101', '102'] });
		const receivedAt = Date.now();
		for (const branchId of ['101', '102'])
			bench.sandbox.addLead('applicant', { id: branchId }, { receivedAt, branchId });

		const run = await bench.run({ ...month, filterBy: 'branch', filterId: '102,101' });

		expect(idsOf(run)).toEqual(['102', '101']);
	});
});
