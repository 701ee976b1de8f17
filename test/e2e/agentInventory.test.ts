import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import type { Execution, NodeInput, StoredWorkflow } from '../lab/n8n';
import {
	AGENCY,
	agentInventory,
	errorText,
	httpRequest,
	INVENTORY,
	INVENTORY_PATH,
	INVENTORY_TOKEN_PATH,
	OTHER_AGENCY,
	Stage,
	START_DEADLINE_MS,
	statuses,
	STOP_DEADLINE_MS,
	tokenIndexes,
	type Client,
	type ClientSettings,
	type LoggedRequest,
	type SavedCredential,
} from '../lab/n8n/stage';

jest.setTimeout(60_000);

const UNKNOWN_AGENCY = '99999999-0000-4000-8000-000000000000';
const FILTER_PATH = `${INVENTORY_PATH}/filter`;
const ITEMS_PATH = `${INVENTORY_PATH}/items`;

/** For a page of a run on a busy machine. */
const PAGE_DEADLINE = { timeoutMs: 30_000 };

let stage: Stage;

beforeAll(async () => {
	stage = await Stage.start({ env: { N8N_LOG_LEVEL: 'debug' } });
}, START_DEADLINE_MS);

afterAll(async () => {
	await stage?.stop();
}, STOP_DEADLINE_MS);

interface Account {
	client: Client;
	credential: SavedCredential;
}

/** A client and a credential of a test's own. */
async function account(
	settings: Partial<ClientSettings> = {},
	changes: ICredentialDataDecryptedObject = {},
): Promise<Account> {
	const client = stage.addInventoryClient(settings);
	return { client, credential: await stage.saveInventoryCredential(client, changes) };
}

async function inventoryWorkflow(
	{ credential }: Account,
	parameters: INode['parameters'] = {},
): Promise<StoredWorkflow> {
	return await stage.webhookWorkflow([agentInventory(credential, parameters)]);
}

/** A workflow that hands a node each entry of the body's list as an item of its own: `$json.entry`. */
async function workflowOverItems(node: NodeInput): Promise<StoredWorkflow> {
	const splitOut = {
		name: 'Split Out',
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: 'body.entries', options: { destinationFieldName: 'entry' } },
	};
	return await stage.webhookWorkflow([splitOut, node]);
}

const GET = { operation: 'get', propertyId: '={{ $json.entry }}' };

/** The ids of an agency's properties, in the service's order. */
function idsOf(agencyRef: string): string[] {
	return stage.sandbox.inventory.of(agencyRef).map(({ id }) => id);
}

function ids(execution: Execution, node = INVENTORY, output = 0): unknown[] {
	return execution.json(node, output).map(({ inventoryId, id }) => inventoryId ?? id);
}

function pairs(execution: Execution, node = INVENTORY, output = 0): unknown[] {
	return execution.items(node, output).map(({ pairedItem }) => pairedItem);
}

function paths(client: Client): string[] {
	return stage.inventoryRequests(client).map(({ path }) => path);
}

/** `count` times the same. */
function all<T>(count: number, value: T): T[] {
	return new Array<T>(count).fill(value);
}

async function runTimes(workflow: StoredWorkflow, count: number): Promise<number[]> {
	const answers: number[] = [];
	for (let run = 0; run < count; run++) answers.push((await stage.run(workflow)).status);
	return answers;
}

describe('in the editor', () => {
	test('the node is offered, to an AI agent too, with a choice of properties', async () => {
		const types = await stage.n8n.nodeTypes();

		const node = types.find(({ name }) => name === 'n8n-nodes-agent-integration.agentInventory');
		expect(node).toMatchObject({ displayName: 'Agent Inventory', usableAsTool: true });
		expect(node?.credentials).toMatchObject([{ name: 'agentInventoryApi', required: true }]);
		const operation = node?.properties.find(({ name }) => name === 'operation');
		// n8n may add its own "Custom API Call" to them.
		expect(operation?.options?.slice(0, 3)).toMatchObject([
			{ value: 'get', description: expect.stringMatching(/ID is known/) },
			{ value: 'getAll', description: expect.stringMatching(/filters/) },
			{ value: 'search', description: expect.stringMatching(/words/) },
		]);
		const propertyId = node?.properties.find(({ name }) => name === 'propertyId');
		expect(propertyId).toMatchObject({
			type: 'resourceLocator',
			modes: [
				{
					name: 'list',
					typeOptions: { searchListMethod: 'searchProperties', searchable: true },
				},
				{ name: 'id' },
			],
		});

		const tool = types.find(
			({ name }) => name === 'n8n-nodes-agent-integration.agentInventoryTool',
		);
		expect(tool).toMatchObject({ inputs: [], outputs: ['ai_tool'] });
		expect(tool?.credentials).toMatchObject([{ name: 'agentInventoryApi' }]);
	});

	async function credentialType() {
		const types = await stage.n8n.credentialTypes();
		return types.find(({ name }) => name === 'agentInventoryApi');
	}

	test('the credential is offered, with its secrets hidden', async () => {
		const type = await credentialType();

		expect(type).toMatchObject({
			displayName: 'Agent Inventory API',
			supportedNodes: ['n8n-nodes-agent-integration.agentInventory'],
		});
		const field = (name: string) => type?.properties.find((property) => property.name === name);
		expect(field('clientSecret')?.typeOptions).toMatchObject({ password: true });
		expect(field('accessToken')).toMatchObject({ type: 'hidden' });
		for (const name of ['clientId', 'tokenUrl', 'inventoryUrl', 'agencyRef']) {
			expect(field(name)).toMatchObject({ type: 'string', required: true });
		}
	});

	test('the HTTP Request node offers the credential among its predefined types', async () => {
		// By this alone the editor knows which types that node can use.
		expect(await credentialType()).toHaveProperty('authenticate');
	});
});

describe('the list of properties to choose from', () => {
	async function choices(
		{ credential }: Account,
		filter?: string,
		options: Record<string, string> = {},
	) {
		const node = agentInventory(credential, {
			operation: 'get',
			propertyId: { __rl: true, mode: 'list', value: '' },
			options,
		});
		return await stage.n8n.searchList(node, 'propertyId', 'searchProperties', filter);
	}

	test('is searched by address, and a choice of it can be got', async () => {
		const here = await account();
		const [wanted] = stage.sandbox.inventory.of(AGENCY);
		if (!wanted) throw new Error('no properties');
		const { nameNo, street, postcode } = wanted.address;

		const found = await choices(here, ` ${nameNo} ${street} ${postcode} `);

		const choice = found.find(({ value }) => value === wanted.id);
		expect(choice?.name).toContain(`${nameNo} ${street}, `);
		expect(choice?.name).toContain(postcode);
		const propertyId = { __rl: true, mode: 'list', value: wanted.id };
		const workflow = await inventoryWorkflow(here, { operation: 'get', propertyId });
		expect((await stage.run(workflow)).items()).toEqual([{ ...wanted }]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test('opens with the first of them, and follows the AgencyRef of the options', async () => {
		const here = await account();

		const ours = await choices(here);
		const theirs = await choices(here, '', { agencyRef: OTHER_AGENCY });

		expect(ours.map(({ value }) => value)).toEqual(idsOf(AGENCY).slice(0, ours.length));
		expect(theirs.map(({ value }) => value)).toEqual(idsOf(OTHER_AGENCY).slice(0, theirs.length));
		expect(ours.length).toBeGreaterThanOrEqual(10);
		expect(stage.inventoryRequests(here.client).map(({ agencyRef }) => agencyRef)).toEqual([
			AGENCY,
			OTHER_AGENCY,
		]);
	});

	test('says why there is none', async () => {
		const here = await account({}, { agencyRef: UNKNOWN_AGENCY });

		await expect(choices(here)).rejects.toThrow(/refused the AgencyRef/);
	});
});

describe('get many and search', () => {
	test('1,200 properties over pages of 250, each once, with one token', async () => {
		const here = await account();

		const run = await stage.run(await inventoryWorkflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(idsOf(AGENCY));
		expect(idsOf(AGENCY)).toHaveLength(1_200);
		expect(stage.inventoryRequests(here.client).map(({ query }) => query['max-results'])).toEqual(
			all(5, ['250']),
		);
		expect(paths(here.client)).toEqual(all(5, FILTER_PATH));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test('a limit of 10 asks for 10', async () => {
		const here = await account();

		const workflow = await inventoryWorkflow(here, { returnAll: false, limit: 10 });
		const run = await stage.run(workflow);

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(idsOf(AGENCY).slice(0, 10));
		expect(stage.inventoryRequests(here.client)).toMatchObject([
			{ query: { 'max-results': ['10'] } },
		]);
	});

	test('a search by address goes over its pages in their own spelling', async () => {
		const here = await account();
		// A letter that many addresses hold.
		const found = stage.sandbox.inventory
			.of(AGENCY)
			.filter(({ address }) => JSON.stringify(Object.values(address)).toLowerCase().includes('a'));

		const run = await stage.run(
			await inventoryWorkflow(here, { operation: 'search', searchBy: 'address', query: 'a' }),
		);

		expect(run.items().map(({ id }) => id)).toEqual(found.map(({ id }) => id));
		const requests = stage.inventoryRequests(here.client);
		expect(requests.length).toBeGreaterThan(1);
		expect(requests).toHaveLength(Math.ceil(found.length / 250));
		for (const [index, { path, query }] of requests.entries()) {
			expect(path).toBe(INVENTORY_PATH);
			expect(Object.keys(query).sort()).toEqual(
				['address', 'maxResults', ...(index > 0 ? ['nextToken'] : [])].sort(),
			);
		}
	});

	test('two agencies in one run, named by each item, with one token', async () => {
		const here = await account();
		const node = agentInventory(here.credential, {
			returnAll: false,
			limit: 3,
			options: { agencyRef: '={{ $json.entry }}' },
		});

		const execution = await stage.execute(await workflowOverItems(node), {
			entries: [OTHER_AGENCY, AGENCY],
		});

		expect(ids(execution)).toEqual([
			...idsOf(OTHER_AGENCY).slice(0, 3),
			...idsOf(AGENCY).slice(0, 3),
		]);
		expect(pairs(execution)).toEqual([...all(3, { item: 0 }), ...all(3, { item: 1 })]);
		expect(stage.inventoryRequests(here.client).map(({ agencyRef }) => agencyRef)).toEqual([
			OTHER_AGENCY,
			AGENCY,
		]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});
});

describe('get', () => {
	const MANY = 100;

	test('one item reads the property by its own address', async () => {
		const here = await account();
		const wanted = stage.sandbox.inventory.of(AGENCY)[7];
		const workflow = await workflowOverItems(agentInventory(here.credential, GET));

		const run = await stage.run(workflow, { entries: [wanted?.id] });

		expect(run.items()).toEqual([{ ...wanted }]);
		expect(paths(here.client)).toEqual([`${INVENTORY_PATH}/${wanted?.id}`]);
	});

	test('100 items come in 3 requests at most, each back to its own item', async () => {
		const here = await account();
		const wanted = idsOf(AGENCY)
			.slice(300, 300 + MANY)
			.reverse();
		const workflow = await workflowOverItems(agentInventory(here.credential, GET));

		const execution = await stage.execute(workflow, { entries: wanted });

		expect(ids(execution)).toEqual(wanted);
		expect(pairs(execution)).toEqual(wanted.map((_, item) => ({ item })));
		expect(stage.inventoryRequests(here.client).length).toBeLessThanOrEqual(3);
		expect(new Set(paths(here.client))).toEqual(new Set([ITEMS_PATH]));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test('the HTTP Request node makes 100, with the token and the AgencyRef of the credential', async () => {
		const here = await account({}, { agencyRef: OTHER_AGENCY });
		const wanted = idsOf(OTHER_AGENCY).slice(0, MANY);
		const url = `=${stage.sandbox.inventoryUrl}/inventory/{{ $json.entry }}`;
		const node = httpRequest(here.credential, url, 'agentInventoryApi');

		const execution = await stage.execute(await workflowOverItems(node), { entries: wanted });

		expect(ids(execution, 'HTTP Request')).toEqual(wanted);
		const requests = stage.inventoryRequests(here.client);
		expect(statuses(requests)).toEqual(all(MANY, 200));
		expect(requests.map(({ agencyRef }) => agencyRef)).toEqual(all(MANY, OTHER_AGENCY));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test('the HTTP Request node may name another AgencyRef itself', async () => {
		const here = await account();
		const [id] = idsOf(OTHER_AGENCY);
		const url = `${stage.sandbox.inventoryUrl}/inventory/${id}`;
		const node = httpRequest(here.credential, url, 'agentInventoryApi');
		const headerParameters = { parameters: [{ name: 'agencyref', value: OTHER_AGENCY }] };
		const parameters = { ...node.parameters, sendHeaders: true, headerParameters };

		const run = await stage.run(await stage.webhookWorkflow([{ ...node, parameters }]));

		expect(run.items()).toMatchObject([{ id }]);
		expect(stage.inventoryRequests(here.client)).toMatchObject([{ agencyRef: OTHER_AGENCY }]);
	});

	test('items of two agencies come in one request for each, back to their own items', async () => {
		const here = await account();
		const entries = [AGENCY, OTHER_AGENCY].flatMap((agencyRef) =>
			idsOf(agencyRef)
				.slice(0, 20)
				.map((id) => ({ id, agencyRef })),
		);
		entries.sort((one, other) => one.id.localeCompare(other.id));
		const node = agentInventory(here.credential, {
			operation: 'get',
			propertyId: '={{ $json.entry.id }}',
			options: { agencyRef: '={{ $json.entry.agencyRef }}' },
		});

		const execution = await stage.execute(await workflowOverItems(node), { entries });

		expect(ids(execution)).toEqual(entries.map(({ id }) => id));
		expect(pairs(execution)).toEqual(entries.map((_, item) => ({ item })));
		const requests = stage.inventoryRequests(here.client);
		expect(requests.map(({ agencyRef }) => agencyRef).sort()).toEqual([AGENCY, OTHER_AGENCY]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test('an unknown ID is the error of its item alone', async () => {
		const here = await account();
		const [one, two] = idsOf(AGENCY) as [string, string];
		const node = agentInventory(here.credential, GET);
		const entries = [one, 'nowhere', two, one];

		const workflow = await workflowOverItems({ ...node, onError: 'continueErrorOutput' });
		const execution = await stage.execute(workflow, { entries });

		expect(execution.status).toBe('success');
		expect(ids(execution)).toEqual([one, two, one]);
		expect(pairs(execution)).toEqual([{ item: 0 }, { item: 2 }, { item: 3 }]);
		expect(execution.json(INVENTORY, 1)).toMatchObject([
			{ entry: 'nowhere', error: 'The service found no such property (404)' },
		]);
		expect(pairs(execution, INVENTORY, 1)).toEqual([{ item: 1 }]);

		const strict = await stage.execute(await workflowOverItems(node), { entries });
		expect(strict.status).toBe('error');
		expect(errorText(strict, INVENTORY)).toContain('no such property (404)');
		expect(strict.nodeError(INVENTORY)).toMatchObject({ context: { itemIndex: 1 } });
	});
});

describe('in the middle of paging', () => {
	test.each([
		['a Retry-After', 1],
		['no Retry-After', undefined],
	])('a 429 with %s is waited for, and nothing is lost', async (_, retryAfter) => {
		const here = await account();
		const { clientId } = here.client;
		stage.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter,
			path: FILTER_PATH,
			clientId,
			after: 2,
		});

		const run = await stage.run(await inventoryWorkflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(idsOf(AGENCY));
		const requests = stage.inventoryRequests(here.client);
		expect(statuses(requests)).toEqual([200, 200, 429, 200, 200, 200]);
		const [refused, repeated] = requests.slice(2) as [LoggedRequest, LoggedRequest];
		expect(repeated.query).toEqual(refused.query);
		expect(repeated.at - refused.at).toBeGreaterThanOrEqual((retryAfter ?? 0) * 1_000);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	test.each([401, 403] as const)(
		'a token revoked between two pages (%i) costs one new one, and nothing is lost',
		async (status) => {
			const here = await account({ rejectTokenWith: status });
			const { clientId } = here.client;
			const workflow = await inventoryWorkflow(here);

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

			expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(idsOf(AGENCY));
			const requests = stage.inventoryRequests(here.client);
			expect(statuses(requests)).toEqual([200, status, 200, 200, 200, 200]);
			expect(tokenIndexes(requests)).toEqual([1, 1, 2, 2, 2, 2]);
			expect(stage.tokenRequests(here.client)).toHaveLength(2);
		},
	);

	test('a token that expires between two pages is replaced before it is refused', async () => {
		const LIFETIME_S = 2;
		const here = await account({ tokenLifetime: LIFETIME_S });
		const { clientId } = here.client;
		stage.sandbox.faults.add({
			kind: 'latency',
			ms: LIFETIME_S * 1_000,
			path: FILTER_PATH,
			clientId,
			after: 1,
			when: 'after',
		});

		const run = await stage.run(await inventoryWorkflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(idsOf(AGENCY));
		const requests = stage.inventoryRequests(here.client);
		expect(statuses(requests)).toEqual(all(5, 200));
		expect(tokenIndexes(requests)).toEqual([1, 1, 2, 2, 2]);
		expect(stage.tokenRequests(here.client)).toHaveLength(2);
	});
});

describe('tokens', () => {
	test('30 executions started together from cold share one', async () => {
		const here = await account();
		stage.sandbox.faults.add({
			kind: 'latency',
			ms: 1_500,
			path: INVENTORY_TOKEN_PATH,
			clientId: here.client.clientId,
			times: Infinity,
		});
		const workflow = await inventoryWorkflow(here, { returnAll: false, limit: 2 });

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.items().length)).toEqual(all(30, 2));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
		expect(tokenIndexes(stage.inventoryRequests(here.client))).toEqual(all(30, 1));
	});

	describe('for a wrong AgencyRef', () => {
		const parameters = { returnAll: false, limit: 1, options: { agencyRef: UNKNOWN_AGENCY } };

		test('one extra at most however often it is tried, and the right one goes on', async () => {
			const here = await account();
			const wrong = await inventoryWorkflow(here, parameters);
			const right = await inventoryWorkflow(here, { returnAll: false, limit: 1 });
			expect(await runTimes(right, 1)).toEqual([200]);

			for (let attempt = 0; attempt < 5; attempt++) {
				const execution = await stage.execute(wrong);
				expect(execution.status).toBe('error');
				expect(errorText(execution, INVENTORY)).toMatch(
					/refused the AgencyRef.*\(403\).*Check the AgencyRef/,
				);
				expect(await runTimes(right, 1)).toEqual([200]);
			}

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);
		});

		test('one extra at most in the next lifetime again', async () => {
			const here = await account({ tokenLifetime: 3 });
			const wrong = await inventoryWorkflow(here, parameters);
			await runTimes(wrong, 2);
			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);

			await stage.waitForTime(stage.tokenExpiry(here.client) + 100);
			await runTimes(wrong, 3);

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(4);
		});

		test('one extra at most from the HTTP Request node too', async () => {
			const here = await account({}, { agencyRef: UNKNOWN_AGENCY });
			const url = `${stage.sandbox.inventoryUrl}/inventory`;
			const node = httpRequest(here.credential, url, 'agentInventoryApi');

			expect(await runTimes(await stage.webhookWorkflow([node]), 5)).toEqual(all(5, 500));

			expect(stage.tokenRequests(here.client).length).toBeLessThanOrEqual(2);
		});

		test('in a batch, it is the error of its own items alone', async () => {
			const here = await account();
			const [one, two] = idsOf(AGENCY) as [string, string];
			const entries = [
				{ id: one },
				{ id: one, agencyRef: UNKNOWN_AGENCY },
				{ id: two },
				{ id: two, agencyRef: UNKNOWN_AGENCY },
			];
			const node = agentInventory(here.credential, {
				operation: 'get',
				propertyId: '={{ $json.entry.id }}',
				options: { agencyRef: '={{ $json.entry.agencyRef }}' },
			});
			const workflow = await workflowOverItems({ ...node, onError: 'continueErrorOutput' });

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

	test('a good credential', async () => {
		const here = await account();

		expect(await outcome(here)).toMatch(/^OK: /);
		expect(statuses(stage.tokenRequests(here.client))).toEqual([200]);
		expect(stage.inventoryRequests(here.client)).toMatchObject([
			{ status: 200, agencyRef: AGENCY, query: { maxResults: ['1'] } },
		]);
	});

	test('a wrong secret: the pair is to be checked', async () => {
		const here = await account();
		stage.secrets.push('wr+ong/secret');

		const message = await outcome(here, { clientSecret: 'wr+ong/secret' });

		expect(message).toMatch(/^Error: .*refused the client ID and client secret/);
		expect(message).not.toContain('AgencyRef');
		expect(stage.inventoryRequests(here.client)).toEqual([]);
	});

	test('a wrong AgencyRef (403): that is to be checked, and the permission', async () => {
		const here = await account();

		const message = await outcome(here, { agencyRef: UNKNOWN_AGENCY });

		expect(message).toMatch(/^Error: .*refused the AgencyRef, or .*may not read.*\(403\)/);
		expect(message).not.toContain('client secret');
	});

	test('a token that the API does not take (401): the addresses are to be checked', async () => {
		const here = await account();
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
		usual = await account();
		wrong = await account({}, { agencyRef: UNKNOWN_AGENCY });
		usualWorkflow = await inventoryWorkflow(usual, { returnAll: false, limit: 1 });
		wrongWorkflow = await inventoryWorkflow(wrong, { returnAll: false, limit: 1 });
		await runTimes(usualWorkflow, 1);
		await runTimes(wrongWorkflow, 5);

		await stage.n8n.kill9();
		await stage.n8n.restart();
	}, START_DEADLINE_MS);

	test('the stored token is used again', async () => {
		expect(await runTimes(usualWorkflow, 2)).toEqual([200, 200]);

		expect(tokenIndexes(stage.inventoryRequests(usual.client))).toEqual([1, 1, 1]);
		expect(stage.tokenRequests(usual.client)).toHaveLength(1);
	});

	test('a wrong AgencyRef costs no further token', async () => {
		expect(stage.tokenRequests(wrong.client).length).toBeLessThanOrEqual(2);

		expect(await runTimes(wrongWorkflow, 5)).toEqual(all(5, 500));

		expect(stage.tokenRequests(wrong.client).length).toBeLessThanOrEqual(2);
	});
});

describe('what n8n shows and keeps', () => {
	test('a credential holds its token, and n8n hands out neither that nor the secret', async () => {
		const here = await account();
		await runTimes(await inventoryWorkflow(here, { returnAll: false, limit: 1 }), 1);

		const { data } = await stage.n8n.getCredential(here.credential.id);

		expect(data).toMatchObject({ clientId: here.client.clientId, agencyRef: AGENCY });
		expect(data.accessToken).not.toBe('');
		expect(stage.leaks(JSON.stringify(data))).toEqual([]);
	});

	test('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(20);
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
