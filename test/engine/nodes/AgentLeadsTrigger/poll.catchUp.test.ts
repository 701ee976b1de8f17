import { describe, expect, it } from '@jest/globals';

import { DAY } from '../../../lab/engine/leads';
import { ids, MINUTE, TRIGGER_HOSTS, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host, submit, pass, requestsOf, branches, windows } = world;

const FORTY = Array.from({ length: 40 }, (_, index) => String(index + 1));

const names = (count: number, name = 'lead') =>
	Array.from({ length: count }, (_, index) => `${name} ${index}`);

/** Leads at even distances over the last so many days, the first one the oldest. */
function submitEvenly(count: number, days: number, owner = {}, name = 'lead'): string[] {
	for (const [index, id] of names(count, name).entries()) {
		submit(id, ((count - index - 0.5) / count) * days * DAY, 'applicant', owner);
	}
	return names(count, name);
}

describe.each(TRIGGER_HOSTS)('catching up, on %s', (_, options) => {
	const monthOf = (parameters = {}) =>
		host({ startFrom: 'last30Days', leadTypes: ['applicant'], ...parameters }, options);

	it.each([
		[0, 6],
		[20, 6],
	])('with a month of %d leads a day takes %d requests', async (perDay, requests) => {
		const submitted = submitEvenly(perDay * 30, 29.99);
		const trigger = monthOf();
		let delivered: unknown[] = [];

		const count = await requestsOf(async () => {
			delivered = ids(await trigger.activate());
		});

		expect(delivered).toEqual(submitted);
		expect(count).toBe(requests);
	});

	it('with a month of 40 branches takes six requests for each', async () => {
		const submitted = submitEvenly(30, 29.99, { branchId: '7' });
		const trigger = monthOf(branches(...FORTY));
		let delivered: unknown[] = [];

		const count = await requestsOf(async () => {
			delivered = ids(await trigger.activate());
		});

		expect(delivered).toEqual(submitted);
		expect(count).toBe(6 * 40);
	}, 30_000);

	it('goes on with the older part of a window that twice brought no whole answer', async () => {
		const submitted = submitEvenly(30, 29.99);
		const faults = { path: '/applicant-leads', after: 1, times: 2 } as const;
		world.bench.sandbox.faults.add({ kind: 'truncate', ...faults });

		const delivered = ids(await monthOf().activate());

		const days = windows().map((window) => {
			const [from = NaN, to = NaN] = window.map((time) => Date.parse(time ?? ''));
			return Math.round(((to - from) / DAY) * 10) / 10;
		});

		expect(delivered).toEqual(submitted);
		// The first question names no times.
		expect(days.slice(1, 4)).toEqual([7, 3.5, 1.8]);
		expect(days.length).toBeLessThanOrEqual(12);
	});
});

describe('a window that the service refuses', () => {
	it('is asked for in shorter ones, down to a day', async () => {
		const submitted = submitEvenly(30, 29.99);
		const refusal = { kind: 'status', status: 400, path: '/applicant-leads' } as const;
		world.bench.sandbox.faults.add({ ...refusal, after: 1, times: 3 });
		const trigger = host({ startFrom: 'last30Days', leadTypes: ['applicant'] });

		const delivered = ids(await trigger.activate());

		expect(delivered).toEqual(submitted);
	});
});

describe('a backlog of several branches', () => {
	it('leaves what there is no room for to the next poll, but asks for each branch', async () => {
		for (const branchId of FORTY.slice(0, 4)) {
			submitEvenly(4_000, 29.99, { branchId }, `branch ${branchId} lead`);
		}
		submit('of a quiet branch', 29.5 * DAY, 'applicant', { branchId: '40' });
		const parameters = branches(...FORTY.slice(0, 4), '40');
		const trigger = host({ ...parameters, startFrom: 'last30Days', leadTypes: ['applicant'] });

		const polls = [await trigger.activate()];
		while (polls.at(-1)?.length) {
			pass(MINUTE);
			polls.push(await trigger.tick());
		}

		expect(ids(polls[0] ?? [])).toContain('of a quiet branch');
		expect(Math.max(...polls.map(({ length }) => length))).toBeLessThan(13_000);
		expect(new Set(ids(polls.flat())).size).toBe(16_001);
		expect(polls.flat()).toHaveLength(16_001);
		const times = polls.flat().map(({ createdAt }) => createdAt);
		expect(times).toEqual([...times].sort());
	}, 120_000);
});
