import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { isFinished, until, type StoredWorkflow } from '../lab/n8n';
import {
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	DAY,
	HOUR,
	MINUTE,
	SECOND,
	Stage,
	TOKEN_PATH,
	TRIGGER,
	type Client,
} from '../lab/n8n/stage';
import { useOnEachHost } from '../lab/n8n/stage/useStage';

/** A workflow that is started by Agent Leads Trigger, with a branch to itself. */
class Scene {
	/** The leads that each workflow shall have got once when all is over. */
	readonly owed = new Map<StoredWorkflow, string[]>();
	private leads = 0;

	constructor(
		readonly stage: Stage,
		readonly client: Client,
		readonly workflow: StoredWorkflow,
	) {}

	static async start(env: Record<string, string>): Promise<Scene> {
		const stage = await Stage.start({ env: { ...env, N8N_LOG_LEVEL: 'debug' } });
		const client = stage.addClient({ branches: ['main'] });
		return new Scene(stage, client, await stage.triggerWorkflow(client));
	}

	async stop(): Promise<void> {
		await this.stage.stop();
	}

	/** A lead that the service receives now, and that a workflow shall get once. */
	submit(kind: 'applicant' | 'appraisal', createdAt = this.ago(0), by = this.workflow): string {
		const id = this.submitUnexpected(kind, createdAt, by === this.workflow ? 'main' : by.name);
		this.owed.set(by, [...(this.owed.get(by) ?? []), id]);
		return id;
	}

	submitUnexpected(
		kind: 'applicant' | 'appraisal',
		createdAt: string,
		branchId = 'main',
		receivedAt = this.stage.sandbox.now(),
	): string {
		const id = `lead-${++this.leads}`;
		this.stage.sandbox.addLead(kind, { id, createdAt }, { branchId, receivedAt });
		return id;
	}

	ago(ms: number): string {
		return `${new Date(this.stage.sandbox.now() - ms).toISOString().slice(0, 19)}Z`;
	}

	/** Waits for a moment with no poll under way and none about to begin. */
	async afterPoll(): Promise<void> {
		await this.stage.nextPoll(this.client);
		await until('all executions to end', 10_000, async () =>
			(await this.stage.n8n.listExecutions(this.workflow)).every(isFinished),
		);
	}
}

const onEach = useOnEachHost(async (env) => await Scene.start(env));

it('an activation delivers no lead that was there before', async () => {
	await onEach(async (scene) => {
		const { stage, workflow } = scene;
		const earlier = stage.sandbox.now() - 3 * MINUTE;
		scene.submitUnexpected('applicant', scene.ago(DAY));
		scene.submitUnexpected('appraisal', scene.ago(3 * MINUTE));
		scene.submitUnexpected('applicant', '0001-01-01T00:00Z', 'main', earlier);
		// n8n may return from publishing before it polls first.
		const between = scene.submit('applicant');
		await stage.n8n.activate(workflow);

		const after = scene.submit('applicant');
		await stage.waitForDelivery(workflow, [between, after]);

		expect((await stage.delivered(workflow)).sort()).toEqual([between, after].sort());
	});
});

it('leads that come between two polls are delivered in the order of their submission', async () => {
	await onEach(async (scene) => {
		const { stage, workflow } = scene;
		await scene.afterPoll();
		const second = scene.submit('applicant', scene.ago(20 * SECOND));
		const third = scene.submit('appraisal', scene.ago(10 * SECOND));
		const first = scene.submit('applicant', scene.ago(30 * SECOND));

		await stage.waitForDelivery(workflow, [first, second, third]);

		expect((await stage.delivered(workflow)).slice(-3)).toEqual([first, second, third]);
	});
});

it('a manual run gets a sample, and takes nothing away from the active workflow', async () => {
	await onEach(async (scene) => {
		const { stage, workflow } = scene;
		const id = scene.submit('applicant');

		const execution = await stage.n8n.runManually(workflow, TRIGGER);

		expect(execution.status).toBe('success');
		expect(execution.json(TRIGGER)).not.toEqual([]);

		await stage.waitForDelivery(workflow, [id]);
	});
});

it.each([
	['fails', [APPLICANTS_PATH, APPRAISALS_PATH]],
	['is busy', [TOKEN_PATH]],
])('a service that %s does not keep a workflow from being activated', async (branch, paths) => {
	await onEach(async (scene) => {
		const { stage } = scene;
		const client = stage.addClient({ branches: [branch] });
		const { clientId } = client;
		scene.submitUnexpected('applicant', scene.ago(HOUR), branch);
		const status = paths.includes(TOKEN_PATH) ? 429 : 500;
		const faults = paths.map((path) =>
			stage.sandbox.faults.add({ kind: 'status', status, path, clientId, times: Infinity }),
		);
		const draft = await stage.triggerWorkflow(client, { options: { maxTries: 1 } });
		const workflow = { ...draft, name: branch };

		await stage.n8n.activate(workflow);

		for (const fault of faults) fault.remove();
		const failed = stage.sandbox.requests.filter(
			(request) => request.clientId === clientId && request.status === status,
		);
		expect(new Set(failed.map(({ path }) => path))).toEqual(new Set(paths));
		await stage.waitForDelivery(workflow, [scene.submit('appraisal', undefined, workflow)]);
	});
});

it('a refused credential does, and n8n says why', async () => {
	await onEach(async ({ stage }) => {
		const client = stage.addClient();
		const refused = await stage.triggerWorkflow({ ...client, clientSecret: 'wr+ong/secret' });
		stage.secrets.push('wr+ong/secret');

		await expect(stage.n8n.activate(refused)).rejects.toThrow(
			/refused the client ID and client secret/,
		);

		await stage.n8n.deactivate(refused);
		expect(await stage.delivered(refused)).toEqual([]);
	});
});

it('a power cut between two polls loses nothing, and nothing was delivered twice, before or after', async () => {
	await onEach(async (scene) => {
		const { stage, client, workflow, owed } = scene;
		await scene.afterPoll();

		await stage.n8n.kill9();
		const meanwhile = [scene.submit('applicant'), scene.submit('appraisal')];
		await stage.n8n.restart();

		await stage.waitForDelivery(workflow, [...meanwhile, scene.submit('applicant')]);

		// When a second poll has begun, what the first one found has been handed on.
		await stage.nextPoll(client);
		await scene.afterPoll();
		for (const [each, ids] of owed)
			expect((await stage.delivered(each)).sort()).toEqual([...ids].sort());
	});
});

it('nothing that n8n has kept or printed holds a secret or a token', async () => {
	await onEach(async ({ stage }) => {
		const folder = join(stage.n8n.userFolder, '.n8n');
		const stored = readdirSync(folder).filter((name) => /^database\.sqlite|\.log$/.test(name));

		expect(stored).toContain('database.sqlite');
		for (const name of stored)
			expect(stage.leaks(readFileSync(join(folder, name), 'latin1'))).toEqual([]);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
