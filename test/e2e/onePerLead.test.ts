import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { HOSTS, refusedRunsIn, until, type Host } from '../lab/n8n';
import { LeadRuns, START_DEADLINE_MS, STOP_DEADLINE_MS, WAIT_FOR_CALL } from '../lab/n8n/stage';

// A lead whose run was lost has a pause of a minute before the next one.
jest.setTimeout(150_000);

const hosts = Object.keys(HOSTS) as Host[];
const BRANCHES = ['once', 'again', 'twins', 'waits'];
const scenes = new Map<Host, LeadRuns>();
/** Where n8n carries out one run at a time. */
let narrow: LeadRuns;

beforeAll(async () => {
	await Promise.all([
		...hosts.map(async (host) => {
			const runs = await LeadRuns.start(HOSTS[host]);
			scenes.set(host, runs);
			await runs.publish('once');
			await runs.publish('again', { runAgain: 1 });
			await runs.publish('twins', { isTwin: true });
			await runs.publish('waits', { runAgain: 1, next: WAIT_FOR_CALL });
		}),
		LeadRuns.start({ N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' }).then(async (runs) => {
			narrow = runs;
			await runs.publish('narrow');
		}),
	]);
}, START_DEADLINE_MS);

afterAll(async () => {
	await Promise.all([...scenes.values(), narrow].map(async (runs) => await runs.stop()));
}, STOP_DEADLINE_MS);

/** Does the same where n8n keeps progress in either way, side by side. */
async function onEach(act: (runs: LeadRuns) => Promise<void>): Promise<void> {
	await Promise.all(
		[...scenes].map(async ([host, runs]) => {
			await act(runs).catch((error: Error) => {
				error.message = `${host}: ${error.message}`;
				throw error;
			});
		}),
	);
}

describe('One per Lead, where n8n keeps progress in either way', () => {
	it('each lead has a run of its own', async () => {
		await onEach(async (runs) => {
			const ids = [runs.submit('once'), runs.submit('once'), runs.submit('once')];

			for (const id of ids) await runs.waitFor(id, 'success');

			expect(await runs.executions('once')).toHaveLength(3);
		});
	});

	it('a run that fails does not touch its neighbours', async () => {
		await onEach(async (runs) => {
			const before = runs.submit('once');
			const failing = runs.submit('once', { refusals: 1 });
			const after = runs.submit('once');

			await runs.waitFor(before, 'success');
			await runs.waitFor(after, 'success');
			await runs.waitFor(failing, 'error');
		});
	});

	it('two triggers of a workflow share the leads', async () => {
		await onEach(async (runs) => {
			const ids = [runs.submit('twins'), runs.submit('twins')];

			for (const id of ids) await runs.waitFor(id, 'success');
		});
	});

	it('n8n has nothing to refuse while it lives', async () => {
		await onEach(async (runs) => {
			for (const branch of ['once', 'twins']) await runs.twoPolls(branch);

			expect(refusedRunsIn(runs.stage.n8n.logs())).toBe(0);
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

			const after = runs.submit('once');
			await runs.waitFor(meanwhile, 'success');
			await runs.waitFor(after, 'success');
			await runs.waitFor(cutOff, 'crashed');
			await runs.waitFor(lost, 'crashed');
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

	it('a run that fails does not start again at once', async () => {
		await onEach(async (runs) => {
			for (const refusals of [1, 2])
				await runs.waitFor(runs.submit('again', { refusals }), 'error');

			await runs.twoPolls('again');

			expect(await runs.oddLeads()).toEqual([]);
		});
	});

	it('a workflow may be published again while its runs are under way', async () => {
		await onEach(async (runs) => {
			const held = runs.submit('once', { isHeld: true });
			await runs.target.arrival(held);
			let meanwhile = '';

			await runs.publishAgain('once', () => (meanwhile = runs.submit('once')));
			const between = runs.submit('once', { isHeld: true });
			await runs.target.arrival(between);
			await runs.publishOver('once');

			await runs.waitFor(runs.submit('once'), 'success');
			await runs.waitFor(meanwhile, 'success');
			for (const id of [held, between]) runs.target.release(id);
			for (const id of [held, between]) await runs.waitFor(id, 'success');
		});
	});

	it('a run that was lost with its process, or failed, is followed by another one', async () => {
		await onEach(async (runs) => {
			const [lost = '', , once = '', always = ''] = runs.leadsOf('again');

			await runs.waitFor(lost, 'crashed', 'success');
			await runs.waitFor(once, 'error', 'success');
			await runs.waitFor(always, 'error', 'error');

			expect(runs.target.attempts(once)).toEqual([undefined, 2]);
		});
	});

	it('a lead whose runs have all failed is reported once, in words, and others go on', async () => {
		await onEach(async (runs) => {
			const always = runs.leadsOf('again')[3] ?? '';
			const reports = async () =>
				(await runs.executions('again')).flatMap(({ error }) =>
					error?.message.includes('failed 2 times') ? error.message : [],
				);

			await until('the report', 30_000, async () => (await reports())[0]);
			await runs.waitFor(runs.submit('again'), 'success');
			await runs.twoPolls('again');

			expect(await reports()).toEqual([expect.stringContaining(`lead ${always}`)]);
		});
	});

	it('after a graceful stop n8n is asked for no run that it knows', async () => {
		await onEach(async (runs) => {
			await runs.stage.n8n.restart();

			for (const branch of BRANCHES) await runs.twoPolls(branch);

			expect(refusedRunsIn(runs.stage.n8n.logsSinceStart())).toBe(0);
			expect(await runs.oddLeads()).toEqual([]);
		});
	});
});

describe('One per Lead, where n8n carries out one run at a time', () => {
	it('a lead that waits for its turn is left alone', async () => {
		const first = narrow.submit('narrow', { isHeld: true });
		await narrow.target.arrival(first);
		const waiting = [narrow.submit('narrow'), narrow.submit('narrow')];
		for (const id of waiting) await narrow.waitFor(id, 'new');
		await narrow.twoPolls('narrow');

		narrow.target.release(first);

		for (const id of [first, ...waiting]) await narrow.waitFor(id, 'success');
		await narrow.twoPolls('narrow');
		expect(await narrow.oddLeads()).toEqual([]);
		expect(refusedRunsIn(narrow.stage.n8n.logs())).toBe(0);
	});

	it('n8n is killed while a lead waits for its turn: it has one run', async () => {
		const first = narrow.submit('narrow', { isHeld: true });
		await narrow.target.arrival(first);
		const waiting = narrow.submit('narrow');
		await narrow.waitFor(waiting, 'new');

		await narrow.stage.n8n.kill9();
		await narrow.stage.n8n.restart();

		await narrow.waitFor(first, 'crashed');
		await narrow.waitFor(waiting, 'success');
		await narrow.twoPolls('narrow');
		expect(await narrow.oddLeads()).toEqual([]);
	});
});
