import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { HOSTS, refusedRunsIn, until, type Host } from '../lab/n8n';
import { LeadRuns, START_DEADLINE_MS, STOP_DEADLINE_MS, WAIT_FOR_CALL } from '../lab/n8n/stage';

// A lead whose run was lost or has failed has a pause of a minute before the next one.
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

/** The leads whose runs have all failed, as n8n reports them. */
async function reportsOf(runs: LeadRuns): Promise<string[]> {
	return (await runs.executions('again')).flatMap(({ error }) =>
		error?.message.includes('failed 2 times') ? error.message : [],
	);
}

interface Line {
	first: string;
	waiting: string[];
}

/** Leads of which the first has a run under way until it is released; the others wait for their turn. */
async function standInLine(): Promise<Line> {
	const first = narrow.submit('narrow', { isHeld: true });
	await narrow.target.arrival(first);
	return { first, waiting: [narrow.submit('narrow'), narrow.submit('narrow')] };
}

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

			const after = runs.submit('once');
			await runs.waitFor(meanwhile, 'success');
			await runs.waitFor(after, 'success');
			await runs.waitFor(cutOff, 'crashed');
			await runs.waitFor(lost, 'crashed');
		});
	});

	it('a run that fails does not start again at once', async () => {
		await onEach(async (runs) => {
			const failing = [1, 2].map((refusals) => runs.submit('again', { refusals }));
			for (const id of failing) await runs.waitFor(id, 'error');

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
});

// They take about as long as the pause of the leads above.
describe('One per Lead, where n8n carries out one run at a time', () => {
	it('n8n is killed while leads wait for their turn: each has one run', async () => {
		const { first, waiting } = await standInLine();
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
	it('a run that was lost with its process, or failed, is followed by another one', async () => {
		await onEach(async (runs) => {
			const [lost = '', once = '', always = ''] = runs.leadsOf('again');

			await runs.waitFor(lost, 'crashed', 'success');
			await runs.waitFor(once, 'error', 'success');
			await runs.waitFor(always, 'error', 'error');

			expect(runs.target.attempts(once)).toEqual([undefined, 2]);
		});
	});

	it('a lead whose runs have all failed is reported once, in words, and others go on', async () => {
		await onEach(async (runs) => {
			const always = runs.leadsOf('again')[2] ?? '';

			const report = await until('the report', 30_000, async () => (await reportsOf(runs))[0]);
			await runs.waitFor(runs.submit('again'), 'success');

			expect(report).toMatch(/^The workflow has failed 2 times for the \w+ lead /);
			expect(report).toContain(`${always}, and is not started for it again`);
		});
	});
});
