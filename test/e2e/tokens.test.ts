import { beforeAll, describe, expect, it } from '@jest/globals';
import times from 'lodash/times';
import type { ICredentialDataDecryptedObject, INodeListSearchResult } from 'n8n-workflow';

import type { StoredWorkflow } from '../lab/n8n';
import {
	AGENCY,
	agentInventory,
	agentLeads,
	APPLICANTS_PATH,
	errorText,
	HOUR,
	httpRequest,
	TOKEN_PATH,
	type Client,
	type ClientSettings,
	type Fault,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

const LEADS = 3;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

beforeAll(() => {
	const to = stage.sandbox.now();
	stage.sandbox.addLeads('applicant', LEADS, { from: to - HOUR, to });
});

/** A client, and a workflow of our node and one of n8n's own HTTP Request node that share its credential. */
async function pairOf(
	settings: Partial<ClientSettings> = {},
	changes: ICredentialDataDecryptedObject = {},
) {
	const client = stage.addClient(settings);
	const credential = await stage.saveCredential(client, changes);
	const url = `${stage.sandbox.leadsUrl}/applicant-leads`;
	return {
		client,
		credential,
		ours: await stage.webhookWorkflow(agentLeads(credential)),
		theirs: await stage.webhookWorkflow(httpRequest(credential, url)),
	};
}

/** Runs one after the other; the statuses of their answers. */
async function runTimes(workflow: StoredWorkflow, count: number): Promise<number[]> {
	const answers: number[] = [];
	while (answers.length < count) answers.push((await stage.run(workflow)).status);
	return answers;
}

const leadTokens = (client: Client) =>
	stage.requestsOf(client, 'leads').map(({ tokenIndex }) => tokenIndex);

describe('one token for all', () => {
	it('30 executions started together from cold share one token, and later ones use it', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		// Until all executions are waiting for a token.
		const slow: Fault = { kind: 'latency', ms: 1_500, path: TOKEN_PATH, times: Infinity };
		stage.sandbox.faults.add({ ...slow, clientId });
		const workflow = await stage.leadsWorkflow(client);

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.items().length)).toEqual(times(30, () => LEADS));
		expect(stage.tokensIssued(client)).toBe(1);

		expect(await runTimes(workflow, 5)).toEqual(times(5, () => 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(leadTokens(client)).toEqual(times(35, () => 1));
	});

	it('our node and the HTTP Request node use the same stored token', async () => {
		const { client, ours, theirs } = await pairOf();

		for (const workflow of [ours, theirs, ours])
			expect(await runTimes(workflow, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(leadTokens(client)).toEqual(times(6, () => 1));
	});
});

describe('a power cut', () => {
	type Pair = Awaited<ReturnType<typeof pairOf>>;
	let usual: Pair;
	let endless: Pair;
	let forbidden: Pair;

	beforeAll(async () => {
		usual = await pairOf();
		endless = await pairOf({ expiresIn: undefined });
		forbidden = await pairOf({ permitted: false });
		for (const { ours } of [usual, endless, forbidden]) await stage.run(ours);

		await stage.n8n.kill9();
		await stage.n8n.restart();
	});

	it('the stored token is used again, one without a lifetime too', async () => {
		for (const { client, ours, theirs } of [usual, endless]) {
			for (const workflow of [ours, theirs])
				expect(await runTimes(workflow, 2)).toEqual([200, 200]);

			expect(stage.tokenRequests(client)).toHaveLength(1);
			expect(leadTokens(client)).toEqual(times(5, () => 1));
		}
	});

	it('a client without permission costs one further token, however often it is tried', async () => {
		expect(await runTimes(forbidden.ours, 3)).toEqual([500, 500, 500]);

		expect(stage.tokenRequests(forbidden.client)).toHaveLength(3);
	});
});

describe('a credential in n8n', () => {
	it('is tested with what is typed in, though a good token of it is stored', async () => {
		const { credential, ours } = await pairOf();
		await stage.run(ours);
		stage.secrets.push('wr+ong/secret');

		const good = await stage.n8n.testCredential(credential.id);
		const wrong = await stage.n8n.testCredential(credential.id, { clientSecret: 'wr+ong/secret' });

		expect(good.status).toBe('OK');
		expect(wrong.message).toMatch(/refused the client ID and client secret/);
		expect(stage.leaks(good.message + wrong.message)).toEqual([]);
	});

	it('that allows no HTTP Request domain still serves its own node, and no other', async () => {
		const { client, ours, theirs } = await pairOf({}, { allowedHttpRequestDomains: 'none' });

		expect((await stage.run(ours)).items()).toHaveLength(LEADS);

		const other = await stage.n8n.execute(theirs);

		expect(errorText(other, 'HTTP Request')).toMatch(/prevent use within an HTTP Request/);
		expect(stage.requestsOf(client, 'leads')).toHaveLength(1);
	});

	it('gives the list of properties, from which one is chosen', async () => {
		const credential = await stage.saveCredential(stage.addClient({ integration: 'inventory' }));
		const [wanted] = stage.sandbox.inventory.of(AGENCY);
		const { nameNo, street, postcode } = wanted?.address ?? {};
		const choice = (value = '') => ({ propertyId: { __rl: true, mode: 'list', value } });
		const get = (value?: string) =>
			agentInventory(credential, { operation: 'get', ...choice(value) });
		const { type, parameters, credentials } = get();

		const { results } = await stage.n8n.rest.post<INodeListSearchResult>(
			'/rest/dynamic-node-parameters/resource-locator-results',
			{
				path: 'parameters.propertyId',
				methodName: 'searchProperties',
				nodeTypeAndVersion: { name: type, version: 1 },
				currentNodeParameters: parameters,
				credentials,
				filter: ` ${nameNo} ${street} ${postcode} `,
			},
		);

		expect(results).toContainEqual(
			expect.objectContaining({
				name: expect.stringContaining(`${nameNo} ${street}, `),
				value: wanted?.id,
			}),
		);

		const run = await stage.run(await stage.webhookWorkflow(get(wanted?.id)));

		expect(run.items()).toEqual([wanted]);
	});
});

describe('what n8n shows and keeps', () => {
	const failing =
		(path: string, fault: Fault) =>
		({ clientId }: Client) =>
			stage.sandbox.faults.add({ ...fault, path, clientId, times: Infinity });

	it.each<[string, (client: Client) => unknown]>([
		['a refused token', failing(APPLICANTS_PATH, { kind: 'status', status: 401 })],
		['a web page', failing(APPLICANTS_PATH, { kind: 'html', status: 502 })],
		['an answer cut short', failing(APPLICANTS_PATH, { kind: 'truncate' })],
		['a refused pair', ({ clientId }) => stage.sandbox.revokeClient(clientId)],
		['a token service out of reach', failing(TOKEN_PATH, { kind: 'reset' })],
	])('%s: no secret and no token in the execution', async (_, fail) => {
		const client = stage.addClient();
		const workflow: StoredWorkflow = await stage.leadsWorkflow(client, {
			options: { maxTries: 1 },
		});
		fail(client);

		const execution = await stage.n8n.execute(workflow);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).not.toBe('');
		expect(stage.leaks(execution.text)).toEqual([]);
	});

	it('is never a secret or a token', async () => {
		const { client, credential, ours } = await pairOf();
		await stage.run(ours);
		const saved = (await stage.n8n.credentials()).find(({ id }) => id === credential.id);

		expect(saved?.data).toMatchObject({ clientId: client.clientId });
		expect(saved?.data.accessToken).not.toBe('');
		expect(stage.sandbox.tokens.byValue.size).toBeGreaterThan(5);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
