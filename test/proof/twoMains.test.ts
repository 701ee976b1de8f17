import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, expect, it, jest } from '@jest/globals';
import sample from 'lodash/sample';
import times from 'lodash/times';

import { chain, HOSTS, N8n, until } from '../lab/n8n';
import { LeadTarget } from '../lab/n8n/leadTarget';
import { agentLeadsTrigger, SECOND, Stage } from '../lab/n8n/stage';
import { startPostgres } from '../lab/proof/services';

jest.setTimeout(600_000);

const LEADS = 40;
const BURST = 20;
/** In which a lead that both mains had found would come a second time. */
const LONGEST_WAIT = 35 * SECOND;

const started: Array<{ stop(): Promise<void> }> = [];

async function keep<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
	const each = await starting;
	started.push(each);
	return each;
}

afterAll(async () => {
	for (const each of started.reverse()) await each.stop();
}, 120_000);

it('two mains that poll one database lose no lead if one of them is killed, and most have one run', async () => {
	const postgres = await keep(startPostgres());
	const key = { N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex') };
	const env = { ...HOSTS.default, ...postgres.env, ...key };
	const stage = await keep(Stage.start({ env }));
	const target = await keep(LeadTarget.start());
	const client = stage.addClient({ branches: ['two'] });
	const trigger = agentLeadsTrigger(await stage.saveCredential(client), { runs: 'onePerLead' });
	const workflow = await stage.save(chain('Two mains', trigger, target.node));
	const ids: string[] = [];
	const submit = (count: number) =>
		times(count, () => {
			const id = `lead-${ids.length + 1}`;
			ids.push(id);
			stage.sandbox.addLead('applicant', { id }, { branchId: 'two' });
		});
	const allHaveCome = async () =>
		await until('each lead to be posted', 400_000, async () =>
			Promise.resolve(ids.every((id) => target.attempts(id).length > 0) || undefined),
		);
	await stage.n8n.activate(workflow);
	submit(5);
	await allHaveCome();
	// It has the active workflows of the first one, as for a while in a rolling update.
	const other = await keep(N8n.start({ env }));

	while (ids.length < LEADS) {
		submit(BURST);
		await allHaveCome();
	}
	await delay(LONGEST_WAIT);
	await sample([stage.n8n, other])?.kill9();
	submit(3);
	await allHaveCome();

	const refusals = [stage.n8n, other].map(
		(each) => each.logs().match(/duplicate deduplication key/g)?.length ?? 0,
	);
	// What both start within a few milliseconds runs twice: docs/operations.md says so.
	const twice = ids.filter((id) => target.attempts(id).length > 1);
	expect(twice.length).toBeLessThan(ids.length / 2);
	expect(Math.max(...refusals)).toBeGreaterThan(0);
});
