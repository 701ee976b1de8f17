import { describe, expect, it, jest } from '@jest/globals';

import { copyOf, ids, MINUTE, TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useRunsBench } from '../../../lab/engine/runsBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { settled } from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const world = useRunsBench();
const { submit, published, poll, killed } = world;

describe.each(TRIGGER_HOSTS)('with a run for each lead, on %s', (_, options) => {
	it('each lead starts a run once, oldest first, and the poll starts none', async () => {
		const trigger = await published(options);
		submit('second', 5_000);
		submit('first', 9_000, 'appraisal');
		const others = ['c', 'd', 'e', 'f'];
		for (const [index, id] of others.entries()) submit(id, 4_000 - index * 1_000);

		expect(await poll(trigger)).toEqual([]);

		expect(ids(trigger.executions.started)).toEqual(['first', 'second', ...others]);
		expect(trigger.executions.rows.slice(0, 2).map(({ key }) => key)).toEqual([
			`agentLead:${trigger.id}:appraisal:first`,
			`agentLead:${trigger.id}:applicant:second`,
		]);
	});

	it.each([true, false])(
		'the item is as in one run for the poll, simplified: %s',
		async (simplify) => {
			const trigger = await published(options, { simplify });
			const other = world.host({ simplify }, options);
			await other.activate();
			submit('a', 5_000);

			await poll(trigger);

			expect(trigger.executions.started).toEqual(await other.tick());
		},
	);

	it('a failed run is started again, says which run it is, and is told of in the end', async () => {
		const trigger = await published(options, { options: { runAgain: 1 } });
		trigger.executions.resultOf = ({ json: { id } }) => (id === 'bad' ? 'error' : 'success');
		submit('bad', 9_000);
		submit('good', 5_000);

		for (let polls = 0; polls < 5; polls++) await poll(trigger);

		expect(trigger.executions.started).toMatchObject([
			{ id: 'bad' },
			{ id: 'good' },
			{ id: 'bad', attempt: 2 },
		]);
		expect(trigger.executions.started[0]).not.toHaveProperty('attempt');
		expect(trigger.executions.rows[2]?.key).toBe(`agentLead:${trigger.id}:applicant#2:bad`);
		const message =
			'The workflow failed 2 times for the applicant lead bad, and is not started for it again';
		const description = expect.stringMatching(/^The failed executions of this lead show why/);
		expect(trigger.reported).toMatchObject([{ message, description }]);
	});

	it('a lead is started again even if the service is down then', async () => {
		const trigger = await published(options, { options: { runAgain: 1 } });
		trigger.executions.resultOf = ({ json: { attempt } }) => (attempt ? 'success' : 'error');
		submit('a', 5_000);
		await poll(trigger);
		world.bench.sandbox.faults.add({ kind: 'status', status: 503, path: /leads$/, times: 20 });

		await trigger.failure(poll(trigger, 2 * MINUTE));
		await poll(trigger).catch(() => {});

		expect(trigger.executions.started).toMatchObject([{ id: 'a' }, { id: 'a', attempt: 2 }]);
	});

	it('a change of Runs there and back neither loses nor doubles a lead', async () => {
		const trigger = await published(options);
		const delivered: unknown[] = [];
		for (const [index, runs] of [
			'onePerLead',
			'onePerPoll',
			'onePerLead',
			'onePerPoll',
		].entries()) {
			trigger.parameters.runs = runs;
			delivered.push(...ids(await trigger.activate()));
			submit(`lead ${index}`, 5_000);
			delivered.push(...ids(await poll(trigger)));
			delivered.push(...ids(await poll(trigger)));
		}

		const all = [...delivered, ...ids(trigger.executions.started)];
		expect(all.sort()).toEqual(['lead 0', 'lead 1', 'lead 2', 'lead 3']);
		expect(delivered).toEqual(['lead 1', 'lead 3']);
	});

	it('goes on with what one run for the poll has stored', async () => {
		const before = world.host({}, options);
		await before.activate();
		submit('known', 5_000);
		expect(ids(await poll(before))).toEqual(['known']);
		const saved = copyOf(before.state);
		submit('new', 5_000);

		const trigger = await published({ ...options, saved });
		await poll(trigger);

		expect(ids(trigger.executions.started)).toEqual(['new']);
	});

	it('an activation that fails starts nothing, and the next one starts all', async () => {
		const trigger = world.hostOf(options, { startFrom: 'last24Hours' });
		submit('a', 5_000);
		const fault = { kind: 'status', status: 403, path: '/appraisal-leads', times: 20 } as const;
		world.bench.sandbox.faults.add(fault);
		await trigger.failure(trigger.activate());
		await settled();
		world.bench.sandbox.faults.clear();
		expect(trigger.executions.started).toEqual([]);

		await trigger.activate();
		await poll(trigger);

		expect(ids(trigger.executions.started)).toEqual(['a']);
	});

	it('a process that starts no triggers leaves the leads to the one that does', async () => {
		const idle = await published({ ...options, startsTriggers: false });
		submit('a', 5_000);
		expect(await poll(idle)).toEqual([]);

		const trigger = await killed(idle, { ...idle.parameters, startFrom: 'last24Hours' }, true);
		await poll(trigger);

		expect(ids(trigger.executions.started)).toEqual(['a']);
	});
});
