import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { HOSTS, until, type Host, type StoredWorkflow } from '../lab/n8n';
import {
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	DAY,
	HOUR,
	MINUTE,
	SECOND,
	Stage,
	START_DEADLINE_MS,
	STOP_DEADLINE_MS,
	TOKEN_PATH,
	TRIGGER,
	type Client,
} from '../lab/n8n/stage';

const POLL_INTERVAL = 5 * SECOND;
/** Enough for an activation, and for all that a poll does. */
const WELL_BEFORE_NEXT_POLL = 3 * SECOND;

const hosts = Object.keys(HOSTS) as Host[];
const stages = new Map<Host, Stage>();

beforeAll(async () => {
	await Promise.all(
		hosts.map(async (host) => {
			stages.set(host, await Stage.start({ env: { ...HOSTS[host], N8N_LOG_LEVEL: 'debug' } }));
		}),
	);
}, START_DEADLINE_MS);

afterAll(async () => {
	await Promise.all([...stages.values()].map(async (stage) => await stage.stop()));
}, STOP_DEADLINE_MS);

describe.each(hosts)('Agent Leads Trigger where n8n keeps progress in the %s way', (host) => {
	let stage: Stage;
	let client: Client;
	let workflow: StoredWorkflow;
	/** The leads that each workflow shall have got once when all is over. */
	const owed = new Map<StoredWorkflow, string[]>();
	let leads = 0;

	beforeAll(async () => {
		const started = stages.get(host);
		if (!started) throw new Error(host);
		stage = started;
		client = stage.addClient({ branches: ['main'] });
		workflow = await stage.triggerWorkflow(client);
	});

	/** A lead that the service receives now, and that the main workflow shall get once. */
	function submit(kind: 'applicant' | 'appraisal', createdAt?: string): string {
		const id = submitUnexpected(kind, createdAt);
		owe(workflow, id);
		return id;
	}

	function submitUnexpected(
		kind: 'applicant' | 'appraisal',
		createdAt = iso(stage.sandbox.now()),
		options: { branchId?: string; receivedAt?: number } = {},
	): string {
		const id = `${host}-${++leads}`;
		stage.sandbox.addLead(kind, { id, createdAt }, { branchId: 'main', ...options });
		return id;
	}

	function owe(by: StoredWorkflow, id: string): void {
		owed.set(by, [...(owed.get(by) ?? []), id]);
	}

	/** Waits for a moment with no poll under way and none about to begin. */
	async function betweenPolls(): Promise<void> {
		const left = POLL_INTERVAL - (Date.now() % POLL_INTERVAL);
		if (left < WELL_BEFORE_NEXT_POLL) await stage.waitForTime(Date.now() + left + SECOND);
		await until('all executions to end', 10_000, async () => {
			const all = await stage.n8n.executions(workflow);
			return all.every(({ summary }) => summary.stoppedAt !== null) ? true : undefined;
		});
	}

	it('an activation delivers no lead that was there before', async () => {
		const now = stage.sandbox.now();
		const earlier = now - 3 * MINUTE;
		submitUnexpected('applicant', iso(now - DAY));
		submitUnexpected('appraisal', iso(earlier));
		submitUnexpected('applicant', '0001-01-01T00:00Z', { receivedAt: earlier });
		await betweenPolls();

		// n8n may return from publishing before it polls first.
		const between = submit('applicant');
		await stage.n8n.activate(workflow);

		const after = submit('applicant');
		await stage.waitForDelivery(workflow, [between, after]);

		expect((await stage.delivered(workflow)).sort()).toEqual([between, after].sort());
	});

	it('leads that come between two polls are delivered in the order of their submission', async () => {
		await betweenPolls();
		const now = Math.floor(stage.sandbox.now() / SECOND) * SECOND;
		const second = submit('applicant', iso(now - 20 * SECOND));
		const third = submit('appraisal', iso(now - 10 * SECOND));
		const first = submit('applicant', iso(now - 30 * SECOND));

		await stage.waitForDelivery(workflow, [first, second, third]);

		expect((await stage.delivered(workflow)).slice(-3)).toEqual([first, second, third]);
	});

	it('a manual run gets a sample, and takes nothing away from the active workflow', async () => {
		const id = submit('applicant');

		const execution = await stage.n8n.runManually(workflow, TRIGGER);

		expect(execution.status).toBe('success');
		expect(execution.json(TRIGGER)).not.toEqual([]);

		await stage.waitForDelivery(workflow, [id]);
	});

	it('a service that is busy or fails does not keep a workflow from being activated', async () => {
		const failing = [
			{ path: APPLICANTS_PATH, status: 429 },
			{ path: APPRAISALS_PATH, status: 500 },
		];
		const busy = [{ path: TOKEN_PATH, status: 429 }];

		await betweenPolls();
		const cases = await Promise.all([activateUnder(failing), activateUnder(busy)]);

		for (const each of cases) await stage.waitForDelivery(each.workflow, [each.id]);
	});

	/** Activates a workflow of its own while requests fail, and submits a lead once they do not. */
	async function activateUnder(faults: Array<{ path: string; status: number }>) {
		const branch = `branch-${leads}`;
		const other = stage.addClient({ branches: [branch] });
		const { clientId } = other;
		submitUnexpected('applicant', iso(stage.sandbox.now() - HOUR), { branchId: branch });
		const added = faults.map((fault) =>
			stage.sandbox.faults.add({ ...fault, kind: 'status', clientId, times: Infinity }),
		);
		const activated = await stage.triggerWorkflow(other, { options: { maxTries: 1 } });

		await stage.n8n.activate(activated);

		for (const fault of added) fault.remove();
		const failed = stage.sandbox.requests.filter(
			(request) => request.clientId === clientId && (request.status ?? 0) >= 400,
		);
		expect(new Set(failed.map(({ path }) => path))).toEqual(
			new Set(faults.map(({ path }) => path)),
		);
		const id = submitUnexpected('appraisal', undefined, { branchId: branch });
		owe(activated, id);
		return { workflow: activated, id };
	}

	it('a refused credential does, and n8n says why', async () => {
		const other = stage.addClient();
		const refused = await stage.triggerWorkflow({ ...other, clientSecret: 'wr+ong/secret' });
		stage.secrets.push('wr+ong/secret');

		await expect(stage.n8n.activate(refused)).rejects.toThrow(
			/refused the client ID and client secret/,
		);

		await stage.n8n.deactivate(refused);
		expect(await stage.delivered(refused)).toEqual([]);
	});

	it('a power cut between two polls loses nothing', async () => {
		await betweenPolls();

		await stage.n8n.kill9();
		const meanwhile = [submit('applicant'), submit('appraisal')];
		await stage.n8n.restart();

		await stage.waitForDelivery(workflow, [...meanwhile, submit('applicant')]);
	}, 120_000);

	it('nothing was delivered twice, before or after', async () => {
		// When a second poll has begun, what the first one found has been handed on.
		await stage.nextPoll(client);
		await stage.nextPoll(client);

		await betweenPolls();

		for (const [each, ids] of owed) {
			expect((await stage.delivered(each)).sort()).toEqual([...ids].sort());
		}
	});

	it('nothing that n8n has kept or printed holds a secret or a token', async () => {
		const { n8n } = stage;

		expect(stage.issuedTokens().length).toBeGreaterThan(2);

		for (const each of stage.workflows) {
			for (const { text } of await n8n.executions(each)) expect(stage.leaks(text)).toEqual([]);
		}
		expect(n8n.logs()).toMatch(/debug/);
		expect(stage.leaks(n8n.logs())).toEqual([]);

		const folder = join(n8n.userFolder, '.n8n');

		const stored = readdirSync(folder).filter((name) => /^database\.sqlite|\.log$/.test(name));

		expect(stored).toContain('database.sqlite');
		for (const name of stored) {
			expect(stage.leaks(readFileSync(join(folder, name), 'latin1'))).toEqual([]);
		}
	});
});

function iso(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
