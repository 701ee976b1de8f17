import { describe, expect, it } from '@jest/globals';

import { APPLICANTS_PATH, DAY, HOUR, MINUTE, NODE, SECOND } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { Agencies, ids, inSeconds, onTheWall } from './agencies';

const stage = useStage();

const agencies = new Agencies(stage);

function secondOf(epochMs: number): number {
	return Math.floor(epochMs / SECOND) * SECOND;
}

/** A time of some days ago that is the same on every clock but for its hour. */
function noonDaysAgo(days: number): number {
	return Math.floor(Date.now() / DAY) * DAY - days * DAY + 12 * HOUR;
}

describe('the period', () => {
	it('Last 24 Hours: no times are sent', async () => {
		const here = agencies.add();
		const now = Date.now();
		agencies.addLead(here, 'an hour ago', now - HOUR);
		agencies.addLead(here, 'nearly a day ago', now - DAY + 2 * MINUTE);
		agencies.addLead(here, 'more than a day ago', now - DAY - MINUTE);

		const execution = await agencies.execute(here, { period: 'last24Hours' });

		expect(ids(execution)).toEqual(['an hour ago', 'nearly a day ago']);
		expect(stage.leadsRequests(here.client)).toMatchObject([{ path: APPLICANTS_PATH, query: {} }]);
		expect(stage.leadsRequests(here.client)[0]?.query).toEqual({});
	});

	it.each([
		['minutes', 90, 90 * MINUTE],
		['hours', 36, 36 * HOUR],
		['days', 3, 3 * DAY],
	])('Recent, in %s: back from now', async (recentUnit, recentAmount, length) => {
		const here = agencies.add();
		const before = Date.now();
		agencies.addLead(here, 'now', before - SECOND);
		agencies.addLead(here, 'just in', before - length + MINUTE);
		agencies.addLead(here, 'just out', before - length - MINUTE);

		const execution = await agencies.execute(here, { period: 'recent', recentAmount, recentUnit });

		expect(ids(execution)).toEqual(['now', 'just in']);

		const { from, to } = agencies.spanOf(here.client);

		expect(to - from).toBe(length);
		expect(to).toBeGreaterThanOrEqual(secondOf(before));
		expect(to).toBeLessThanOrEqual(Date.now());
	});

	// At any time of the year one of the first two keeps summer time.
	it.each(['Europe/London', 'Australia/Sydney', 'Asia/Kolkata', 'America/St_Johns'])(
		'Date Range: times are those of a workflow in %s, ends included',
		async (zone) => {
			const here = agencies.add();
			const from = noonDaysAgo(29) + 15 * SECOND;
			const to = from + 2 * HOUR + 30 * SECOND;
			agencies.addLead(here, 'a second early', from - SECOND);
			agencies.addLead(here, 'first', from);
			agencies.addLead(here, 'last', to);
			agencies.addLead(here, 'a second late', to + SECOND);

			const execution = await agencies.execute(
				here,
				{ period: 'range', from: onTheWall(from, zone), to: onTheWall(to, zone) },
				zone,
			);

			expect(ids(execution)).toEqual(['last', 'first']);
			expect(stage.leadsRequests(here.client).map(({ query }) => query)).toEqual([
				{ 'from-time': [inSeconds(from)], 'to-time': [inSeconds(to)] },
			]);
		},
	);

	it('Date Range: a time with an offset, or from an expression, is that very time', async () => {
		const here = agencies.add();
		const from = noonDaysAgo(3);
		const to = from + HOUR;

		await agencies.execute(
			here,
			{
				period: 'range',
				from: `${onTheWall(from + 2 * HOUR, 'UTC')}.123+02:00`,
				to: `={{ DateTime.fromMillis(${to + 999}) }}`,
			},
			'Asia/Kolkata',
		);

		expect(agencies.spanOf(here.client)).toMatchObject({ from, to });
	});

	it('Date Range: without an end it goes up to now', async () => {
		const here = agencies.add();
		const before = Date.now();
		const from = secondOf(before) - 2 * HOUR;

		await agencies.execute(here, { period: 'range', from: inSeconds(from), to: '' });

		const span = agencies.spanOf(here.client);

		expect(span.from).toBe(from);
		expect(span.to).toBeGreaterThanOrEqual(secondOf(before));
		expect(span.to).toBeLessThanOrEqual(Date.now());
	});

	it('a window of days goes out in two, and each lead comes once', async () => {
		const here = agencies.add();
		const to = noonDaysAgo(2);
		const from = to - 3 * DAY;
		const times = Array.from({ length: 13 }, (_, index) => from + index * 6 * HOUR);
		for (const time of times) agencies.addLead(here, inSeconds(time), time);

		const execution = await agencies.execute(here, {
			period: 'range',
			from: inSeconds(from),
			to: inSeconds(to),
		});

		expect(ids(execution)).toEqual(times.map(inSeconds).reverse());
		expect(agencies.spanOf(here.client)).toEqual({ from, to, windows: 2 });
	});

	it('a window that reaches past the 30 days kept is cut to them, with a hint', async () => {
		const here = agencies.add();
		const before = Date.now();
		agencies.addLead(here, 'still kept', before - 30 * DAY + 5 * MINUTE);

		const execution = await agencies.execute(here, {
			period: 'recent',
			recentAmount: 45,
			recentUnit: 'days',
		});

		expect(ids(execution)).toEqual(['still kept']);

		const { from, windows } = agencies.spanOf(here.client);

		expect(from).toBeGreaterThanOrEqual(secondOf(before) - 30 * DAY);
		expect(from).toBeLessThanOrEqual(Date.now() - 30 * DAY);
		expect(windows).toBe(2);
		expect(execution.runs(NODE)[0]?.hints).toMatchObject([
			{ message: expect.stringContaining('30 days') },
		]);
	});

	it('a window within the 30 days has no hint', async () => {
		const execution = await agencies.execute(agencies.add(), {
			period: 'recent',
			recentAmount: 2,
			recentUnit: 'hours',
		});

		expect(execution.runs(NODE)[0]?.hints ?? []).toEqual([]);
	});

	it('a window that lies before the 30 days kept: the 30 days are told, nothing is asked', async () => {
		const here = agencies.add();

		const execution = await agencies.execute(here, {
			period: 'range',
			from: inSeconds(noonDaysAgo(60)),
			to: inSeconds(noonDaysAgo(40)),
		});

		const told = execution.nodeError(NODE)?.message ?? execution.runs(NODE)[0]?.hints?.[0]?.message;

		expect(told).toContain('30 days');
		expect(stage.leadsRequests(here.client)).toEqual([]);
	});
});
