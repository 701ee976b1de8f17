import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { StoredWorkflow } from '../../lab/n8n';
import {
	AGENCY,
	agentInventory,
	errorText,
	httpRequest,
	INVENTORY,
	INVENTORY_PATH,
	INVENTORY_TOKEN_PATH,
	START_DEADLINE_MS,
	statuses,
	tokenIndexes,
	type LoggedRequest,
} from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { type Account, all, FILTER_PATH, ids, pairs, UNKNOWN_AGENCY, Accounts } from './accounts';

/** For a page of a run on a busy machine. */
const PAGE_DEADLINE = { timeoutMs: 30_000 };

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

const accounts = new Accounts(stage);

describe('in the middle of paging', () => {
	it.each([
		['a Retry-After', 1],
		['no Retry-After', undefined],
	])('a 429 with %s is waited for, and nothing is lost', async (_, retryAfter) => {
		const here = await accounts.open();
		const { clientId } = here.client;
		stage.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter,
			path: FILTER_PATH,
			clientId,
			after: 2,
		});

		const run = await stage.run(await accounts.workflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(accounts.idsOf(AGENCY));

		const requests = stage.inventoryRequests(here.client);

		expect(statuses(requests)).toEqual([200, 200, 429, 200, 200, 200]);

		const [refused, repeated] = requests.slice(2) as [LoggedRequest, LoggedRequest];

		expect(repeated.query).toEqual(refused.query);
		expect(repeated.at - refused.at).toBeGreaterThanOrEqual((retryAfter ?? 0) * 1_000);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it.each([401, 403] as const)(
		'a token revoked between two pages (%i) costs one new one, and nothing is lost',
		async (status) => {
			const here = await accounts.open({ rejectTokenWith: status });
			const { clientId } = here.client;
			const workflow = await accounts.workflow(here);

			// The journal tells of an answer just before it goes out: no next page can come sooner.
			const isFirstPage = (request: LoggedRequest) =>
				request.clientId === clientId && request.path === FILTER_PATH && request.status === 200;
			const revoked = stage.sandbox.waitForRequest((request) => {
				if (!isFirstPage(request)) return false;
				stage.sandbox.revokeTokens(clientId);
				return true;
			}, PAGE_DEADLINE);
			const run = await stage.run(workflow);

			await revoked;

			expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(accounts.idsOf(AGENCY));

			const requests = stage.inventoryRequests(here.client);

			expect(statuses(requests)).toEqual([200, status, 200, 200, 200, 200]);
			expect(tokenIndexes(requests)).toEqual([1, 1, 2, 2, 2, 2]);
			expect(stage.tokenRequests(here.client)).toHaveLength(2);
		},
	);

	it('a token that expires between two pages is replaced before it is refused', async () => {
		const LIFETIME_S = 2;
		const here = await accounts.open({ tokenLifetime: LIFETIME_S });
		const { clientId } = here.client;
		stage.sandbox.faults.add({
			kind: 'latency',
			ms: LIFETIME_S * 1_000,
			path: FILTER_PATH,
			clientId,
			after: 1,
			when: 'after',
		});

		const run = await stage.run(await accounts.workflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(accounts.idsOf(AGENCY));

		const requests = stage.inventoryRequests(here.client);

		expect(statuses(requests)).toEqual(all(5, 200));
		expect(tokenIndexes(requests)).toEqual([1, 1, 2, 2, 2]);
		expect(stage.tokenRequests(here.client)).toHaveLength(2);
	});
});

describe('tokens', () => {
	it('30 executions started together from cold share one', async () => {
		const here = await accounts.open();
		stage.sandbox.faults.add({
			kind: 'latency',
			ms: 1_500,
			path: INVENTORY_TOKEN_PATH,
			clientId: here.client.clientId,
			times: Infinity,
		});
		const workflow = await accounts.workflow(here, { returnAll: false, limit: 2 });

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.items().length)).toEqual(all(30, 2));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
		expect(tokenIndexes(stage.inventoryRequests(here.client))).toEqual(all(30, 1));
	});

	describe('for a wrong AgencyRef', () => {
		const parameters = { returnAll: false, limit: 1, options: { agencyRef: UNKNOWN_AGENCY } };

		it('one extra at most however often it is tried, and the right one goes on', async () => {
			const here = await accounts.open();
			const wrong = await accounts.workflow(here, parameters);
			const right = await accounts.workflow(here, { returnAll: false, limit: 1 });

			expect(await accounts.runTimes(right, 1)).toEqual([200]);

			for (let attempt = 0; attempt < 5; attempt++) {
				const execution = await stage.execute(wrong);
				expect(execution.status).toBe('error');
				expect(errorText(execution, INVENTORY)).toMatch(
					/refused the AgencyRef.*\(403\).*Check the AgencyRef/,
				);
				expect(await accounts.runTimes(right, 1)).toEqual([200]);
			}

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);
		});

		it('one extra at most in the next lifetime again', async () => {
			const here = await accounts.open({ tokenLifetime: 3 });
			const wrong = await accounts.workflow(here, parameters);

			await accounts.runTimes(wrong, 2);

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);

			await stage.waitForTime(stage.tokenExpiry(here.client) + 100);

			await accounts.runTimes(wrong, 3);

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(4);
		});

		it('one extra at most from the HTTP Request node too', async () => {
			const here = await accounts.open({}, { agencyRef: UNKNOWN_AGENCY });
			const url = `${stage.sandbox.inventoryUrl}/inventory`;
			const node = httpRequest(here.credential, url, 'agentInventoryApi');

			expect(await accounts.runTimes(await stage.webhookWorkflow([node]), 5)).toEqual(all(5, 500));

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);
		});

		it('in a batch, it is the error of its own items alone', async () => {
			const here = await accounts.open();
			const [one, two] = accounts.idsOf(AGENCY) as [string, string];
			const entries = [
				{ id: one, agencyRef: AGENCY },
				{ id: one, agencyRef: UNKNOWN_AGENCY },
				{ id: two, agencyRef: AGENCY },
				{ id: two, agencyRef: UNKNOWN_AGENCY },
			];
			const node = agentInventory(here.credential, {
				operation: 'get',
				propertyId: '={{ $json.entry.id }}',
				options: { agencyRef: '={{ $json.entry.agencyRef }}' },
			});

			const workflow = await accounts.workflowOverItems({
				...node,
				onError: 'continueErrorOutput',
			});

			for (let attempt = 0; attempt < 5; attempt++) {
				const execution = await stage.execute(workflow, { entries });
				expect(ids(execution)).toEqual([one, two]);
				expect(pairs(execution)).toEqual([{ item: 0 }, { item: 2 }]);
				expect(execution.json(INVENTORY, 1)).toMatchObject(
					all(2, { error: expect.stringContaining('refused the AgencyRef') }),
				);
			}

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);
		});
	});
});

describe('the credential test', () => {
	/** What a user sees; no secret and no token is ever in it. */
	async function outcome(
		{ credential }: Account,
		typedIn: ICredentialDataDecryptedObject = {},
	): Promise<string> {
		const { status, message } = await stage.n8n.testCredential(credential.id, typedIn);
		expect(stage.leaks(message)).toEqual([]);
		return `${status}: ${message}`;
	}

	it('a good credential', async () => {
		const here = await accounts.open();

		expect(await outcome(here)).toBe('OK: Connected to Example Agents, 4 branches');
		expect(statuses(stage.tokenRequests(here.client))).toEqual([200]);
		expect(stage.inventoryRequests(here.client)).toMatchObject([
			{ status: 200, agencyRef: AGENCY, query: { maxResults: ['1'] } },
		]);
	});

	it('a wrong secret: the pair is to be checked', async () => {
		const here = await accounts.open();
		stage.secrets.push('wr+ong/secret');

		const message = await outcome(here, { clientSecret: 'wr+ong/secret' });

		expect(message).toMatch(/^Error: .*refused the client ID and client secret/);
		expect(message).not.toContain('AgencyRef');
		expect(stage.inventoryRequests(here.client)).toEqual([]);
	});

	it('a wrong AgencyRef (403): that is to be checked, and the permission', async () => {
		const here = await accounts.open();

		const message = await outcome(here, { agencyRef: UNKNOWN_AGENCY });

		expect(message).toMatch(/^Error: .*refused the AgencyRef, or .*may not read.*\(403\)/);
		expect(message).not.toContain('client secret');
	});

	it('a token that the API does not take (401): the addresses are to be checked', async () => {
		const here = await accounts.open();
		stage.sandbox.faults.add({
			kind: 'status',
			status: 401,
			path: INVENTORY_PATH,
			clientId: here.client.clientId,
			times: Infinity,
		});

		const message = await outcome(here);

		expect(message).toMatch(/^Error: .*issued a token, but .*\(401\).*Token URL/);
		expect(message).not.toContain('AgencyRef');
	});
});

describe('a power cut', () => {
	let usual: Account;
	let wrong: Account;
	let usualWorkflow: StoredWorkflow;
	let wrongWorkflow: StoredWorkflow;

	beforeAll(async () => {
		usual = await accounts.open();
		wrong = await accounts.open({}, { agencyRef: UNKNOWN_AGENCY });
		usualWorkflow = await accounts.workflow(usual, { returnAll: false, limit: 1 });
		wrongWorkflow = await accounts.workflow(wrong, { returnAll: false, limit: 1 });
		await accounts.runTimes(usualWorkflow, 1);
		await accounts.runTimes(wrongWorkflow, 5);

		await stage.n8n.kill9();
		await stage.n8n.restart();
	}, START_DEADLINE_MS);

	it('the stored token is used again', async () => {
		expect(await accounts.runTimes(usualWorkflow, 2)).toEqual([200, 200]);

		expect(tokenIndexes(stage.inventoryRequests(usual.client))).toEqual([1, 1, 1]);
		expect(stage.tokenRequests(usual.client)).toHaveLength(1);
	});

	it('a wrong AgencyRef costs no further token', async () => {
		expect(stage.tokenRequests(wrong.client).length).toBeLessThanOrEqual(2);

		expect(await accounts.runTimes(wrongWorkflow, 5)).toEqual(all(5, 500));

		expect(stage.tokenRequests(wrong.client).length).toBeLessThanOrEqual(2);
	});
});

describe('what n8n shows and keeps', () => {
	it('a credential holds its token, and n8n hands out neither that nor the secret', async () => {
		const here = await accounts.open();
		await accounts.runTimes(await accounts.workflow(here, { returnAll: false, limit: 1 }), 1);

		const { data } = await stage.n8n.getCredential(here.credential.id);

		expect(data).toMatchObject({ clientId: here.client.clientId, agencyRef: AGENCY });
		expect(data.accessToken).not.toBe('');
		expect(stage.leaks(JSON.stringify(data))).toEqual([]);
	});

	it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(20);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
