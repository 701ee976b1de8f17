import { beforeAll, describe, expect, it } from '@jest/globals';

import { type StoredWorkflow } from '../lab/n8n';
import {
	agentLeads,
	APPRAISALS_PATH,
	errorText,
	START_DEADLINE_MS,
	statuses,
	TOKEN_PATH,
	tokenIndexes,
	type Client,
	type LoggedRequest,
	type SavedCredential,
} from '../lab/n8n/stage';
import { EITHER_NODE, workflowOf } from '../lab/n8n/stage/askers';
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

	it('so do executions of the HTTP Request node', async () => {
		const client = stage.addClient();
		slowDownTokens(client);
		const workflow = await workflowOf(stage, 'HTTP Request', await stage.saveCredential(client));

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.status)).toEqual(all(30, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(statuses(stage.leadsRequests(client))).toEqual(all(30, 200));
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

	it('a credential saved without a change keeps its token', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf(stage, 'Agent Leads', credential);
		await stage.run(workflow);

		await stage.n8n.updateCredential(credential.id, {});

		expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);
		expect(stage.tokenRequests(client)).toHaveLength(1);
	});
});

describe('a lifetime', () => {
	const LIFETIME_S = 4;
	/** Well within the last second, and far enough from its end for a run on a busy machine. */
	const SHORTLY_MS = 900;

	it.each(EITHER_NODE)(
		'%s: a token is used to its last second, then one new one is asked for before it is refused',
		async (asker) => {
			const client = stage.addClient({ tokenLifetime: LIFETIME_S });
			const workflow = await workflowOf(stage, asker, await stage.saveCredential(client));

			expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

			const expiry = stage.tokenExpiry(client);
			await stage.waitForTime(expiry - SHORTLY_MS);
			expect(await stage.runTimes(workflow, 1)).toEqual([200]);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 1]);

			await stage.waitForTime(expiry + 100);

			const together = await stage.runTogether(workflow, 5);

			expect(together.map((run) => run.status)).toEqual(all(5, 200));

			expect(stage.tokenRequests(client)).toHaveLength(2);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 1, ...all(5, 2)]);
			expect(statuses(stage.leadsRequests(client))).toEqual(all(8, 200));
		},
	);

	it.each<[string, unknown]>([
		['missing', undefined],
		['null', null],
		['a word', 'soon'],
		['zero', 0],
		['negative', -60],
	])('expires_in %s: the token is used until it is refused', async (_, expiresIn) => {
		const client = stage.addClient({ expiresIn });
		const workflow = await stage.leadsWorkflow(client);

		expect(await stage.runTimes(workflow, 4)).toEqual(all(4, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);

		stage.sandbox.revokeTokens(client.clientId);
		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual([200, 200, 200, 200, 401, 200]);
	});
});

describe('a refused token', () => {
	it.each([401, 403] as const)(
		'answered %i: one new token, one repeat, and the run succeeds',
		async (status) => {
			const client = stage.addClient({ rejectTokenWith: status });
			const workflow = await stage.leadsWorkflow(client);
			await stage.run(workflow);

			stage.sandbox.revokeTokens(client.clientId);

			expect((await stage.run(workflow)).items()).toHaveLength(LEADS);
			expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

			expect(stage.tokenRequests(client)).toHaveLength(2);
			expect(statuses(stage.leadsRequests(client))).toEqual([200, status, 200, 200, 200]);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 2, 2, 2]);
		},
	);

	it.each([401, 403] as const)(
		'answered %i to ten executions at once: still one new token',
		async (status) => {
			const client = stage.addClient({ rejectTokenWith: status });
			const workflow = await stage.leadsWorkflow(client);
			await stage.run(workflow);

			stage.sandbox.revokeTokens(client.clientId);
			slowDownTokens(client);

			const runs = await stage.runTogether(workflow, 10);

			expect(runs.map((run) => run.status)).toEqual(all(10, 200));
			expect(stage.tokenRequests(client)).toHaveLength(2);
		},
	);

	it('answered 401, and its successor as well: each is replaced', async () => {
		const client = stage.addClient({ rejectTokenWith: 401, expiresIn: undefined });
		const workflow = await stage.leadsWorkflow(client);

		expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

		for (let revocation = 1; revocation <= 3; revocation++) {
			stage.sandbox.revokeTokens(client.clientId);
			expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);
			expect(stage.tokenRequests(client)).toHaveLength(1 + revocation);
		}
	});

	it('answered 403, and its successor as well: the second one is not replaced for five minutes', async () => {
		const client = stage.addClient({ rejectTokenWith: 403 });
		const workflow = await stage.leadsWorkflow(client);
		await stage.run(workflow);

		stage.sandbox.revokeTokens(client.clientId);
		expect(await stage.runTimes(workflow, 1)).toEqual([200]);
		stage.sandbox.revokeTokens(client.clientId);

		expect(await stage.runTimes(workflow, 2)).toEqual([500, 500]);
		expect(stage.tokenRequests(client)).toHaveLength(2);
	});

	it('HTTP Request: a revoked token is replaced as well', async () => {
		const client = stage.addClient();
		const workflow = await workflowOf(stage, 'HTTP Request', await stage.saveCredential(client));
		await stage.run(workflow);

		stage.sandbox.revokeTokens(client.clientId);

		expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual([200, 401, 200, 200]);
	});

	it('a client without permission costs one extra token in all, not one per run', async () => {
		const client = stage.addClient({ permitted: false });

		const workflow = await stage.leadsWorkflow(client);

		for (let run = 0; run < 5; run++) {
			const execution = await stage.execute(workflow);
			expect(execution.status).toBe('error');
			expect(errorText(execution)).toMatch(
				/refused access \(403\).*Ask the operator.*A new access token did not help/,
			);
		}

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual(all(6, 403));
	});

	it('and in the next lifetime one extra token at most again', async () => {
		const client = stage.addClient({ permitted: false, tokenLifetime: 3 });
		const workflow = await stage.leadsWorkflow(client);

		await stage.runTimes(workflow, 2);

		expect(stage.tokenRequests(client)).toHaveLength(2);

		await stage.waitForTime(stage.tokenExpiry(client) + 100);

		await stage.runTimes(workflow, 3);

		expect(stage.tokenRequests(client).length).toBeLessThanOrEqual(4);
	});

	it('a client that may read applicants only: both kinds in turn cost one extra token in all', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({
			kind: 'status',
			status: 403,
			path: APPRAISALS_PATH,
			clientId,
			times: Infinity,
		});
		const credential = await stage.saveCredential(client);
		const applicants = await stage.webhookWorkflow([agentLeads(credential)]);

		const appraisals = await stage.webhookWorkflow([
			agentLeads(credential, { resource: 'appraisalLead' }),
		]);

		for (let round = 0; round < 4; round++) {
			expect(await stage.runTimes(applicants, 1)).toEqual([200]);
			expect(await stage.runTimes(appraisals, 1)).toEqual([500]);
		}

		expect(stage.tokenRequests(client)).toHaveLength(2);
	});

	it('a client that gets its permission back needs no new token', async () => {
		const client = stage.addClient({ permitted: false });
		const workflow = await stage.leadsWorkflow(client);
		await stage.run(workflow);

		stage.sandbox.updateClient(client.clientId, { permitted: true });

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);
		expect(stage.tokenRequests(client)).toHaveLength(2);
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

describe('a token request', () => {
	it('is repeated while the token service is busy, failing or out of reach', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const target = { path: TOKEN_PATH, clientId };
		stage.sandbox.faults.add({ ...target, kind: 'status', status: 429, retryAfter: 1 });
		stage.sandbox.faults.add({ ...target, kind: 'status', status: 503 });
		stage.sandbox.faults.add({ ...target, kind: 'reset' });
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		const [first, second] = stage.tokenRequests(client) as [LoggedRequest, LoggedRequest];

		expect(statuses(stage.tokenRequests(client))).toEqual([429, 503, 0, 200]);
		expect(second.at - first.at).toBeGreaterThanOrEqual(1_000);
		expect(statuses(stage.leadsRequests(client))).toEqual([200]);
	});

	it('has the bounds of the node, and then the error names the token service', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const fault = { kind: 'status', status: 429, path: TOKEN_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...fault, times: Infinity });
		const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 2 } });

		const execution = await stage.execute(workflow);

		expect(errorText(execution)).toMatch(/too busy to issue a token \(429\).*Tried 2 times/);
		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(stage.leadsRequests(client)).toEqual([]);
	});
});

describe('what n8n has kept or printed in all these tests', () => {
	it('holds no secret and no token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(40);
		expect((await stage.n8n.credentialsWithData()).length).toBeGreaterThan(20);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
