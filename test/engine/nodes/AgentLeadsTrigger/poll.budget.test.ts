import { describe, expect, it, jest } from '@jest/globals';

import { DAY } from '../../../lab/engine/leads';
import { ids, MINUTE, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host, submit, pass, requestsOf, branches } = world;

/** From here on time passes by itself. */
const useRealTime = () => {
	jest.useRealTimers();
	world.bench.sandbox.clock.goOn();
	world.bench.sandbox.advance(Date.now() - world.bench.sandbox.now());
};

describe('a poll', () => {
	it('asks once for each target, however slow the answers are', async () => {
		useRealTime();
		const twenty = Array.from({ length: 20 }, (_, index) => String(index + 1));
		const trigger = host(branches(...twenty), { isDurable: true });
		await trigger.activate();
		world.bench.sandbox.faults.add({ kind: 'latency', ms: 600, path: /leads$/, times: Infinity });

		expect(await requestsOf(async () => await trigger.tick())).toBe(40);
	}, 30_000);

	it('begins with branches for which there was no time, or that are behind, and ends with those that failed', async () => {
		useRealTime();
		const forty = Array.from({ length: 40 }, (_, index) => String(index + 1));
		const parameters = { ...branches(...forty), leadTypes: ['applicant'] };
		const trigger = host(parameters, { isDurable: true, budgetMs: 3_000 });
		await trigger.activate();
		const firstAsked = async () => {
			const before = world.bench.dataRequests.length;
			await trigger.tick();
			const { dataRequests } = world.bench;
			return dataRequests.slice(before, before + 16).map(({ query }) => Number(query['branch-id']));
		};
		world.bench.sandbox.faults.add({ kind: 'hang', path: /leads$/, times: 16 });
		await trigger.failure(trigger.tick());

		expect(Math.min(...(await firstAsked()))).toBe(17);

		const watermark = new Date(Date.now() - DAY).toISOString();
		Object.assign(trigger.scope('applicant · branch 40'), { watermark });
		expect(await firstAsked()).toContain(40);
	});

	it('does not let one type that hangs for all branches keep the other one waiting', async () => {
		useRealTime();
		const trigger = host(branches('1', '2', '3', '4'), {
			isDurable: true,
			budgetMs: 1_500,
		});
		await trigger.activate();
		for (const branchId of ['1', '2', '3', '4']) {
			submit(`appraisal ${branchId}`, 0, 'appraisal', { branchId });
		}
		world.bench.sandbox.faults.add({ kind: 'hang', path: '/applicant-leads', times: Infinity });

		expect(ids(await trigger.tick()).sort()).toEqual([1, 2, 3, 4].map((id) => `appraisal ${id}`));
	});

	it('does not let one type that is days behind keep the other one waiting', async () => {
		useRealTime();
		const trigger = host({}, { isDurable: true, budgetMs: 5_000 });
		await trigger.activate();
		await trigger.tick();
		const watermark = new Date(Date.now() - 9 * DAY).toISOString();
		Object.assign(trigger.scope('applicant'), { watermark, start: watermark });
		submit('new', 0, 'appraisal');
		world.bench.sandbox.faults.add({ kind: 'latency', ms: 1_500, path: /leads$/, times: Infinity });

		expect(ids(await trigger.tick())).toEqual(['new']);
	});

	it('works on hosts that name no budget', async () => {
		const trigger = host({}, { budgetMs: null });
		await trigger.activate();
		pass(MINUTE);
		submit('one');

		expect(ids(await trigger.tick())).toEqual(['one']);
	});
});
