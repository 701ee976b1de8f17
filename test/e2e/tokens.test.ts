import { beforeAll, describe, expect, it } from '@jest/globals';

import { type StoredWorkflow } from '../lab/n8n';
import {
	START_DEADLINE_MS,
	TOKEN_PATH,
	tokenIndexes,
	type Client,
	type SavedCredential,
} from '../lab/n8n/stage';
import { workflowOf } from '../lab/n8n/stage/askers';
import { useStage } from '../lab/n8n/stage/useStage';

const LEADS = 3;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

beforeAll(() => stage.addRecentLeads(LEADS));

/** Keeps token requests under way until all executions that were started together are waiting for one. */
function slowDownTokens({ clientId }: Client): void {
	stage.sandbox.faults.add({
		kind: 'latency',
		ms: 1_500,
		path: TOKEN_PATH,
		clientId,
		times: Infinity,
	});
}

/** `count` times the same. */
function all<T>(count: number, value: T): T[] {
	return new Array<T>(count).fill(value);
}

describe('one token for all', () => {
	it('30 executions started together from cold share one token, and later ones use it', async () => {
		const client = stage.addClient();
		slowDownTokens(client);
		const workflow = await stage.leadsWorkflow(client);

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.items().length)).toEqual(all(30, LEADS));
		expect(stage.tokensIssued(client)).toBe(1);

		expect(await stage.runTimes(workflow, 5)).toEqual(all(5, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(client))).toEqual(all(35, 1));
	});

	it('our node and the HTTP Request node use the same stored token', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const ours = await workflowOf(stage, 'Agent Leads', credential);
		const theirs = await workflowOf(stage, 'HTTP Request', credential);

		expect(await stage.runTimes(ours, 2)).toEqual([200, 200]);
		expect(await stage.runTimes(theirs, 2)).toEqual([200, 200]);
		expect(await stage.runTimes(ours, 1)).toEqual([200]);

		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(client))).toEqual(all(5, 1));
	});
});

describe('a power cut', () => {
	interface Case {
		client: Client;
		credential: SavedCredential;
		workflow: StoredWorkflow;
	}

	async function caseOf(client: Client): Promise<Case> {
		const credential = await stage.saveCredential(client);
		return { client, credential, workflow: await workflowOf(stage, 'Agent Leads', credential) };
	}

	let usual: Case;
	let endless: Case;
	let forbidden: Case;
	let shared: StoredWorkflow;

	beforeAll(async () => {
		usual = await caseOf(stage.addClient());
		endless = await caseOf(stage.addClient({ expiresIn: undefined }));
		forbidden = await caseOf(stage.addClient({ permitted: false }));
		shared = await workflowOf(stage, 'HTTP Request', usual.credential);
		for (const { workflow } of [usual, endless, forbidden]) await stage.run(workflow);

		await stage.n8n.kill9();
		await stage.n8n.restart();
	}, START_DEADLINE_MS);

	it('the stored token is used again', async () => {
		expect(await stage.runTimes(usual.workflow, 2)).toEqual([200, 200]);
		expect(await stage.runTimes(shared, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(usual.client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(usual.client))).toEqual(all(5, 1));
	});

	it('so is one without a lifetime', async () => {
		expect(await stage.runTimes(endless.workflow, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(endless.client)).toHaveLength(1);
	});

	it('a client without permission costs no further token', async () => {
		expect(await stage.runTimes(forbidden.workflow, 3)).toEqual([500, 500, 500]);

		expect(stage.tokenRequests(forbidden.client)).toHaveLength(2);
	});
});

describe('what n8n has kept or printed in all these tests', () => {
	it('holds no secret and no token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(4);
		expect((await stage.n8n.credentialsWithData()).length).toBeGreaterThan(3);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
