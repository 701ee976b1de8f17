import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';

import { HOSTS, until, type Host } from '../lab/n8n';
import { lackingCredential, LeadRuns, START_DEADLINE_MS, STOP_DEADLINE_MS } from '../lab/n8n/stage';

// The pauses of a lead whose run n8n did not begin grow from a minute. Each wait has a deadline of its own.
jest.setTimeout(360_000);

const hosts = Object.keys(HOSTS) as Host[];
const scenes = new Map<Host, LeadRuns>();

beforeAll(async () => {
	await Promise.all(
		hosts.map(async (host) => {
			const runs = await LeadRuns.start(HOSTS[host]);
			scenes.set(host, runs);
			await runs.publish('barred', { next: lackingCredential(runs.target.node) });
		}),
	);
}, START_DEADLINE_MS);

afterAll(async () => {
	await Promise.all([...scenes.values()].map(async (runs) => await runs.stop()));
}, STOP_DEADLINE_MS);

/**
 * A lead of which n8n has listed two runs as failed before they began. The trigger has stored both: had n8n been killed
 * before, it would take the second for the lead's run (see operations.md).
 */
async function submitBarred(runs: LeadRuns): Promise<string> {
	const id = runs.submit('barred');
	await until('a second run that n8n does not begin', 120_000, async () => {
		const executions = await runs.executions('barred');
		return executions.filter(({ status }) => status === 'error').length >= 2 || undefined;
	});
	await until('that to be stored', 30_000, async () => {
		const progress = await runs.progress('barred');
		return /"key":3,"failed":0/.test(progress) || undefined;
	});
	return id;
}

it('a lead whose run n8n does not begin has it once that is put right, even if n8n is killed meanwhile', async () => {
	const attempts = await Promise.all(
		[...scenes.values()].map(async (runs) => {
			const barred = await submitBarred(runs);

			await runs.stage.n8n.kill9();
			await runs.stage.n8n.restart();
			await runs.publishOver('barred', runs.target.node);

			await runs.waitFor(barred, 'success');
			return runs.target.attempts(barred);
		}),
	);

	expect(attempts).toEqual(hosts.map(() => [undefined]));
});
