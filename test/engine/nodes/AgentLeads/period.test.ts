import { describe, expect, it } from '@jest/globals';

import { LeadsBench } from '../../../lab/engine/leads';
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
