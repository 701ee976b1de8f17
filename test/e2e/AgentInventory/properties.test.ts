import { describe, expect, it } from '@jest/globals';

import { AGENCY, agentInventory, httpRequest, OTHER_AGENCY, statuses } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { type Account, all, ids, Accounts } from './accounts';

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
});

describe('get', () => {
	const MANY = 100;

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
});

it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
	expect(stage.issuedTokens().length).toBeGreaterThan(2);
	expect(stage.n8n.logs()).toMatch(/debug/);
	expect(await stage.leaksInAll()).toEqual([]);
});
