import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { refusedRunsIn, until, type NodeInput } from '../lab/n8n';
import { LeadRuns } from '../lab/n8n/stage';
import { useOnEachHost } from '../lab/n8n/stage/useStage';
import { useInAll } from '../lab/standIn';

const WAIT_FOR_CALL: NodeInput = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	webhookId: randomUUID(),
	parameters: { resume: 'webhook' },
};

const onEach = useOnEachHost(async (env) => {
	const runs = await LeadRuns.start(env);
	await runs.publish('once');
	await runs.publish('again', { runAgain: 1 });
	await runs.publish('twins', { isTwin: true });
	await runs.publish('waits', { runAgain: 1, next: WAIT_FOR_CALL });
	return runs;
});

/** Where n8n carries out one run at a time. */
const narrow = useInAll(
	async () => await LeadRuns.start({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' }),
);

/** On each host, the leads of which a run was lost with its process, failed once, and failed each time. */
const unlucky = new Map<LeadRuns, { lost: string; once: string; always: string }>();

describe('One per Lead, where n8n keeps progress in either way', () => {
	it('each lead has a run of its own: beside one whose run fails, and behind two triggers', async () => {
		await onEach(async (runs) => {
			const before = runs.submit('once');
			const failing = runs.submit('once', { refusals: 1 });
			const after = runs.submit('once');
			const ofTwins = [runs.submit('twins'), runs.submit('twins')];

			for (const id of [before, after, ...ofTwins]) await runs.waitFor(id, 'success');
			await runs.waitFor(failing, 'error');

			expect(await runs.executions('once')).toHaveLength(3);
		});
	});

	it('n8n is killed: leads whose runs are cut off, and all others, are neither lost nor run twice', async () => {
		await onEach(async (runs) => {
			const cutOff = runs.submit('once', { isHeld: true });
			const lost = runs.submit('again', { isHeld: true });
			await runs.target.arrival(cutOff, lost);

			await runs.stage.n8n.kill9();
			runs.target.release(lost);
			const meanwhile = runs.submit('once');
			await runs.stage.n8n.restart();

			for (const id of [meanwhile, runs.submit('once')]) await runs.waitFor(id, 'success');
			for (const id of [cutOff, lost]) await runs.waitFor(id, 'crashed');
			unlucky.set(runs, { lost, once: '', always: '' });
		});
	});

	it('a run that fails does not start again at once', async () => {
		await onEach(async (runs) => {
			const once = runs.submit('again', { refusals: 1 });
			const always = runs.submit('again', { refusals: 2 });
			unlucky.set(runs, { lost: unlucky.get(runs)?.lost ?? '', once, always });
			for (const id of [once, always]) await runs.waitFor(id, 'error');

			await runs.twoPolls('again');

			expect(await runs.oddLeads()).toEqual([]);
		});
	});

	it('a run that waits is not failed, and one that a person stops has ended', async () => {
		await onEach(async (runs) => {
			const waiting = runs.submit('waits');
			const stopped = runs.submit('again', { isHeld: true });
			const [run] = await runs.waitFor(stopped, 'running');

			await runs.stage.n8n.stopExecution(run?.id ?? '');

			await runs.waitFor(stopped, 'canceled');
			await runs.waitFor(waiting, 'waiting');
		});
	});

	it('a workflow may be published again while its runs are under way', async () => {
		await onEach(async (runs) => {
			const held = runs.submit('once', { isHeld: true });
			await runs.target.arrival(held);

			const meanwhile = await runs.publishAgain('once');
			const between = runs.submit('once', { isHeld: true });
			await runs.target.arrival(between);
			await runs.publishOver('once');

			for (const id of [runs.submit('once'), meanwhile]) await runs.waitFor(id, 'success');
			runs.target.release(held, between);
			for (const id of [held, between]) await runs.waitFor(id, 'success');
		});
	});
});

// It takes about as long as the pause of the leads above.
describe('One per Lead, where n8n carries out one run at a time', () => {
	it('n8n is killed while leads wait for their turn: each has one run', async () => {
		await narrow.publish('narrow');
		const first = narrow.submit('narrow', { isHeld: true });
		await narrow.target.arrival(first);
		const waiting = [narrow.submit('narrow'), narrow.submit('narrow')];
		for (const id of waiting) await narrow.waitFor(id, 'new');
		expect(refusedRunsIn(narrow.stage.n8n.logs())).toBe(0);

		await narrow.stage.n8n.kill9();
		await narrow.stage.n8n.restart();

		await narrow.waitFor(first, 'crashed');
		for (const id of waiting) await narrow.waitFor(id, 'success');
		await narrow.twoPolls('narrow');
		expect(await narrow.oddLeads()).toEqual([]);
	});
});

describe('One per Lead, when the pause of a lead whose run has failed is over', () => {
	it('it has another run, and is reported once if that fails too; others go on', async () => {
		await onEach(async (runs) => {
			const { lost = '', once = '', always = '' } = unlucky.get(runs) ?? {};

			await runs.waitFor(lost, 'crashed', 'success');
			await runs.waitFor(once, 'error', 'success');
			await runs.waitFor(always, 'error', 'error');
			expect(runs.target.attempts(once)).toEqual([undefined, 2]);

			const report = await until('the report', 30_000, async () => {
				const messages = (await runs.executions('again')).map(({ error }) => error?.message);
				return messages.find((message) => message?.includes('failed 2 times'));
			});
			await runs.waitFor(runs.submit('again'), 'success');

			expect(report).toMatch(/^The workflow failed 2 times for the \w+ lead /);
			expect(report).toContain(`${always}, and is not started for it again`);
			expect(await runs.oddLeads()).toEqual([]);
		});
	});
});
