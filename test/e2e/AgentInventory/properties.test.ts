import { describe, expect, it } from '@jest/globals';

import {
	AGENCY,
	agentInventory,
	errorText,
	httpRequest,
	INVENTORY,
	INVENTORY_PATH,
	OTHER_AGENCY,
	statuses,
} from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import {
	type Account,
	all,
	FILTER_PATH,
	GET,
	ids,
	ITEMS_PATH,
	pairs,
	UNKNOWN_AGENCY,
	Accounts,
} from './accounts';

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

const accounts = new Accounts(stage);

describe('in the editor', () => {
	it('the node is offered, to an AI agent too, with a choice of properties', async () => {
		const types = await stage.n8n.nodeTypes();

		const node = types.find(({ name }) => name === 'n8n-nodes-agent-integration.agentInventory');

		expect(node).toMatchObject({ displayName: 'Agent Inventory', usableAsTool: true });
		expect(node?.credentials).toMatchObject([{ name: 'agentInventoryApi', required: true }]);

		const operation = node?.properties.find(({ name }) => name === 'operation');

		// n8n may add its own "Custom API Call" to them.
		expect(operation?.options?.slice(0, 4)).toMatchObject([
			{ value: 'findForLead', description: expect.stringMatching(/lead is about/) },
			{ value: 'get', description: expect.stringMatching(/one property/) },
			{ value: 'getAll', description: expect.stringMatching(/filtered by/) },
			{ value: 'search', description: expect.stringMatching(/by address/) },
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

	it('the credential is offered, with its secrets hidden', async () => {
		const type = await credentialType();

		expect(type).toMatchObject({
			displayName: 'Agent Inventory API',
			supportedNodes: [
				'n8n-nodes-agent-integration.agentInventory',
				'n8n-nodes-agent-integration.agentInventoryTrigger',
			],
		});

		const field = (name: string) => type?.properties.find((property) => property.name === name);

		expect(field('clientSecret')?.typeOptions).toMatchObject({ password: true });
		expect(field('accessToken')).toMatchObject({ type: 'hidden' });
		for (const name of ['clientId', 'tokenUrl', 'inventoryUrl', 'agencyRef']) {
			expect(field(name)).toMatchObject({ type: 'string', required: true });
		}
	});

	it('the HTTP Request node offers the credential among its predefined types', async () => {
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

	it('is searched by address, and a choice of it can be got', async () => {
		const here = await accounts.open();
		const [wanted] = stage.sandbox.inventory.of(AGENCY);
		if (!wanted) throw new Error('no properties');
		const { nameNo, street, postcode } = wanted.address;

		const found = await choices(here, ` ${nameNo} ${street} ${postcode} `);

		const choice = found.find(({ value }) => value === wanted.id);

		expect(choice?.name).toContain(`${nameNo} ${street}, `);
		expect(choice?.name).toContain(postcode);

		const propertyId = { __rl: true, mode: 'list', value: wanted.id };
		const workflow = await accounts.workflow(here, { operation: 'get', propertyId });
		expect((await stage.run(workflow)).items()).toEqual([{ ...wanted }]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it('opens with the first of them, and follows the AgencyRef of the options', async () => {
		const here = await accounts.open();

		const ours = await choices(here);

		const theirs = await choices(here, '', { agencyRef: OTHER_AGENCY });

		expect(ours.map(({ value }) => value)).toEqual(accounts.idsOf(AGENCY).slice(0, ours.length));
		expect(theirs.map(({ value }) => value)).toEqual(
			accounts.idsOf(OTHER_AGENCY).slice(0, theirs.length),
		);
		expect(ours.length).toBeGreaterThanOrEqual(10);
		expect(stage.inventoryRequests(here.client).map(({ agencyRef }) => agencyRef)).toEqual([
			AGENCY,
			OTHER_AGENCY,
		]);
	});

	it('says why there is none', async () => {
		const here = await accounts.open({}, { agencyRef: UNKNOWN_AGENCY });

		await expect(choices(here)).rejects.toThrow(/refused the AgencyRef/);
	});
});

describe('get many and search', () => {
	it('1,200 properties over pages of 250, each once, with one token', async () => {
		const here = await accounts.open();

		const run = await stage.run(await accounts.workflow(here));

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(accounts.idsOf(AGENCY));
		expect(accounts.idsOf(AGENCY)).toHaveLength(1_200);
		expect(stage.inventoryRequests(here.client).map(({ query }) => query['max-results'])).toEqual(
			all(5, ['250']),
		);
		expect(accounts.paths(here.client)).toEqual(all(5, FILTER_PATH));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it('a limit of 10 asks for 10', async () => {
		const here = await accounts.open();

		const workflow = await accounts.workflow(here, { returnAll: false, limit: 10 });

		const run = await stage.run(workflow);

		expect(run.items().map(({ inventoryId }) => inventoryId)).toEqual(
			accounts.idsOf(AGENCY).slice(0, 10),
		);
		expect(stage.inventoryRequests(here.client)).toMatchObject([
			{ query: { 'max-results': ['10'] } },
		]);
	});

	it('a search by address goes over its pages in their own spelling', async () => {
		const here = await accounts.open();
		// A letter that many addresses hold.
		const found = stage.sandbox.inventory
			.of(AGENCY)
			.filter(({ address }) => JSON.stringify(Object.values(address)).toLowerCase().includes('a'));

		const run = await stage.run(
			await accounts.workflow(here, { operation: 'search', searchBy: 'address', query: 'a' }),
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

	it('two agencies in one run, named by each item, with one token', async () => {
		const here = await accounts.open();
		const node = agentInventory(here.credential, {
			returnAll: false,
			limit: 3,
			options: { agencyRef: '={{ $json.entry }}' },
		});

		const execution = await stage.execute(await accounts.workflowOverItems(node), {
			entries: [OTHER_AGENCY, AGENCY],
		});

		expect(ids(execution)).toEqual([
			...accounts.idsOf(OTHER_AGENCY).slice(0, 3),
			...accounts.idsOf(AGENCY).slice(0, 3),
		]);
		expect(pairs(execution)).toEqual([...all(3, { item: 0 }), ...all(3, { item: 1 })]);

		const asked = stage.inventoryRequests(here.client).map(({ agencyRef }) => agencyRef);

		// The two depart together, and may arrive in any order.
		expect(asked.sort()).toEqual([AGENCY, OTHER_AGENCY]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});
});

describe('get', () => {
	const MANY = 100;

	it('one item reads the property by its own address', async () => {
		const here = await accounts.open();
		const wanted = stage.sandbox.inventory.of(AGENCY)[7];
		const workflow = await accounts.workflowOverItems(agentInventory(here.credential, GET));

		const run = await stage.run(workflow, { entries: [wanted?.id] });

		expect(run.items()).toEqual([{ ...wanted }]);
		expect(accounts.paths(here.client)).toEqual([`${INVENTORY_PATH}/${wanted?.id}`]);
	});

	it('100 items come in 3 requests at most, each back to its own item', async () => {
		const here = await accounts.open();
		const wanted = accounts
			.idsOf(AGENCY)
			.slice(300, 300 + MANY)
			.reverse();
		const workflow = await accounts.workflowOverItems(agentInventory(here.credential, GET));

		const execution = await stage.execute(workflow, { entries: wanted });

		expect(ids(execution)).toEqual(wanted);
		expect(pairs(execution)).toEqual(wanted.map((_, item) => ({ item })));
		expect(stage.inventoryRequests(here.client).length).toBeLessThanOrEqual(3);
		expect(new Set(accounts.paths(here.client))).toEqual(new Set([ITEMS_PATH]));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it('the HTTP Request node makes 100, with the token and the AgencyRef of the credential', async () => {
		const here = await accounts.open({}, { agencyRef: OTHER_AGENCY });
		const wanted = accounts.idsOf(OTHER_AGENCY).slice(0, MANY);
		const url = `=${stage.sandbox.inventoryUrl}/inventory/{{ $json.entry }}`;
		const node = httpRequest(here.credential, url, 'agentInventoryApi');

		const execution = await stage.execute(await accounts.workflowOverItems(node), {
			entries: wanted,
		});

		expect(ids(execution, 'HTTP Request')).toEqual(wanted);

		const requests = stage.inventoryRequests(here.client);

		expect(statuses(requests)).toEqual(all(MANY, 200));
		expect(requests.map(({ agencyRef }) => agencyRef)).toEqual(all(MANY, OTHER_AGENCY));
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it('the HTTP Request node may name another AgencyRef itself', async () => {
		const here = await accounts.open();
		const [id] = accounts.idsOf(OTHER_AGENCY);
		const url = `${stage.sandbox.inventoryUrl}/inventory/${id}`;
		const node = httpRequest(here.credential, url, 'agentInventoryApi');
		const headerParameters = { parameters: [{ name: 'agencyref', value: OTHER_AGENCY }] };
		const parameters = { ...node.parameters, sendHeaders: true, headerParameters };

		const run = await stage.run(await stage.webhookWorkflow([{ ...node, parameters }]));

		expect(run.items()).toMatchObject([{ id }]);
		expect(stage.inventoryRequests(here.client)).toMatchObject([{ agencyRef: OTHER_AGENCY }]);
	});

	it('items of two agencies come in one request for each, back to their own items', async () => {
		const here = await accounts.open();
		const entries = [AGENCY, OTHER_AGENCY].flatMap((agencyRef) =>
			accounts
				.idsOf(agencyRef)
				.slice(0, 20)
				.map((id) => ({ id, agencyRef })),
		);
		entries.sort((one, other) => one.id.localeCompare(other.id));
		const node = agentInventory(here.credential, {
			operation: 'get',
			propertyId: '={{ $json.entry.id }}',
			options: { agencyRef: '={{ $json.entry.agencyRef }}' },
		});

		const execution = await stage.execute(await accounts.workflowOverItems(node), { entries });

		expect(ids(execution)).toEqual(entries.map(({ id }) => id));
		expect(pairs(execution)).toEqual(entries.map((_, item) => ({ item })));

		const requests = stage.inventoryRequests(here.client);

		expect(requests.map(({ agencyRef }) => agencyRef).sort()).toEqual([AGENCY, OTHER_AGENCY]);
		expect(stage.tokenRequests(here.client)).toHaveLength(1);
	});

	it('an unknown ID is the error of its item alone', async () => {
		const here = await accounts.open();
		const [one, two] = accounts.idsOf(AGENCY) as [string, string];
		const node = agentInventory(here.credential, GET);
		const entries = [one, 'nowhere', two, one];

		const workflow = await accounts.workflowOverItems({ ...node, onError: 'continueErrorOutput' });

		const execution = await stage.execute(workflow, { entries });

		expect(execution.status).toBe('success');
		expect(ids(execution)).toEqual([one, two, one]);
		expect(pairs(execution)).toEqual([{ item: 0 }, { item: 2 }, { item: 3 }]);
		expect(execution.json(INVENTORY, 1)).toMatchObject([
			{ entry: 'nowhere', error: 'The service found no such property (404)' },
		]);
		expect(pairs(execution, INVENTORY, 1)).toEqual([{ item: 1 }]);

		const strict = await stage.execute(await accounts.workflowOverItems(node), { entries });

		expect(strict.status).toBe('error');
		expect(errorText(strict, INVENTORY)).toContain('no such property (404)');
		expect(strict.nodeError(INVENTORY)).toMatchObject({ context: { itemIndex: 1 } });
	});
});

it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
	expect(stage.issuedTokens().length).toBeGreaterThan(5);
	expect(stage.n8n.logs()).toMatch(/debug/);
	expect(await stage.leaksInAll()).toEqual([]);
});
