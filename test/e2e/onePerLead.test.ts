import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { HOSTS, until, type Host } from '../lab/n8n';
import { LeadRuns, START_DEADLINE_MS, STOP_DEADLINE_MS, WAIT_FOR_CALL } from '../lab/n8n/stage';

// A lead whose run was lost has a pause of a minute before the next one.
jest.setTimeout(150_000);

const hosts = Object.keys(HOSTS) as Host[];
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
			await runs.publish('narrow', { runAgain: 1 });
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
	/** Leads of `again`, by the host: one that is refused at first, and one that always is. */
	const refused = new Map<LeadRuns, { once: string; always: string }>();

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
			const once = runs.submit('again', { refusals: 1 });
			const always = runs.submit('again', { refusals: Infinity });
			refused.set(runs, { once, always });

			await runs.waitFor(once, 'error');
			await runs.waitFor(always, 'error');
			await runs.twoPolls('again');

			expect(await runs.oddLeads()).toEqual([]);
		});
	});

	it('until now n8n had no run to refuse', async () => {
		await onEach(async (runs) => {
			for (const branch of ['once', 'again', 'twins', 'waits']) await runs.twoPolls(branch);

			expect(runs.stage.n8n.refusedRuns()).toBe(0);
		});
	});

	it('after a graceful stop, a lead is run again that had failed', async () => {
		await onEach(async (runs) => {
			const { once = '', always = '' } = refused.get(runs) ?? {};

			await runs.stage.n8n.restart();

			await runs.waitFor(once, 'error', 'success');
			await runs.waitFor(always, 'error', 'error');
			expect(runs.target.attempts(once)).toEqual([undefined, 2]);
		});
	});

	it('a lead whose runs have all failed is reported once, in words', async () => {
		await onEach(async (runs) => {
			const { always } = refused.get(runs) ?? {};
			const reports = async () =>
				(await runs.executions('again')).filter(({ error }) =>
					error?.message.includes(`failed 2 times for the`),
				);

			await until('the report', 30_000, async () => (await reports())[0]);
			await runs.twoPolls('again');

			const [report, ...more] = await reports();
			expect(more).toEqual([]);
			expect(report?.error?.message).toContain(String(always));
			await runs.waitFor(runs.submit('again'), 'success');
		});
	});

	it('leads whose runs are cut off, and all others, are neither lost nor run twice', async () => {
		await onEach(async (runs) => {
			const cutOff = runs.submit('once', { isHeld: true });
			await runs.target.arrival(cutOff);

			await runs.stage.n8n.kill9();
			const meanwhile = runs.submit('once');
			await runs.stage.n8n.restart();

			const after = runs.submit('once');
			await runs.waitFor(meanwhile, 'success');
			await runs.waitFor(after, 'success');
			await runs.waitFor(cutOff, 'crashed');
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

	it('a run that was lost with its process is started again', async () => {
		await onEach(async (runs) => {
			const lost = runs.submit('again', { isHeld: true });
			await runs.target.arrival(lost);

			await runs.stage.n8n.kill9();
			runs.target.release(lost);
			await runs.stage.n8n.restart();

			await runs.waitFor(lost, 'crashed');
			await runs.waitFor(lost, 'crashed', 'success');
			expect(runs.target.attempts(lost)).toEqual([undefined, 2]);
		});
	});

	it('no lead has had another run since', async () => {
		await onEach(async (runs) => {
			for (const branch of ['once', 'again', 'twins', 'waits']) await runs.twoPolls(branch);

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
		expect(narrow.stage.n8n.refusedRuns()).toBe(0);
	});
});
