import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import sortBy from 'lodash/sortBy';

import { chain, HOSTS, PACKAGE_NAME, until, type Host } from '../lab/n8n';
import type { Stage } from '../lab/n8n/stage';
import {
	AGENCY,
	agentInventory,
	agentInventoryTrigger,
	agentProducts,
	INVENTORY_TRIGGER,
	MINUTE,
	NO_OPERATION,
	Pushed,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { root } from '../lab/paths';
import { CREDENTIALS, NODES } from '../lab/publishedTypes';

/** The table in docs/installation.md says the same. All other tests run in the n8n of test/e2e. */
const VERSION = '2.39.10';
const n8nModules = join(root, 'test', 'proof', 'n8n', 'oldest', 'node_modules');

/** One run of each node of the package, by its name. */
const RUNS: Record<string, (stage: Stage) => Promise<void>> = {
	agentLeads: async (stage) => {
		const client = stage.addClient({ branches: ['pull'] });
		stage.sandbox.addLead('applicant', { id: 'pulled' }, { branchId: 'pull' });
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toMatchObject([{ id: 'pulled' }]);
	},
	agentInventory: async (stage) => {
		const credential = await stage.saveCredential(stage.addClient({ integration: 'inventory' }));
		const workflow = await stage.webhookWorkflow(
			agentInventory(credential, { returnAll: false, limit: 3 }),
		);

		const ids = (await stage.run(workflow)).items().map(({ inventoryId }) => inventoryId);
		const known = stage.sandbox.inventory.of(AGENCY).map(({ id }) => id);
		expect(known).toEqual(expect.arrayContaining(ids));
		expect(ids).toHaveLength(3);
	},
	agentProducts: async (stage) => {
		const credential = await stage.saveCredential(stage.addClient({ integration: 'products' }));
		const workflow = await stage.webhookWorkflow(agentProducts(credential, { listingId: 1 }));

		expect((await stage.run(workflow)).items()).toMatchObject([{ outcome: 'activated' }]);
		expect((await stage.run(workflow)).items()).toMatchObject([{ outcome: 'alreadyActive' }]);
		expect(stage.sandbox.counts.credits).toBe(1);
	},
	agentLeadsTrigger: async (stage) => {
		const client = stage.addClient({ branches: ['new'] });
		// What comes in the minute before publishing may be delivered, too.
		const receivedAt = stage.sandbox.now() - 3 * MINUTE;
		const createdAt = new Date(receivedAt).toISOString();
		stage.sandbox.addLead('applicant', { id: 'old', createdAt }, { branchId: 'new', receivedAt });
		const workflow = await stage.triggerWorkflow(client);
		await stage.n8n.activate(workflow);
		stage.sandbox.addLead('applicant', { id: 'new' }, { branchId: 'new' });

		await stage.waitForDelivery(workflow, ['new']);
		await stage.nextPoll(client);
		expect(await stage.delivered(workflow)).toEqual(['new']);
	},
	agentInventoryTrigger: async (stage) => {
		const { sandbox, n8n } = stage;
		const known = sandbox.inventory.fill(AGENCY, 20).find(({ archived }) => !archived);
		if (!known) throw new Error('Each of 20 properties is archived');
		const { id: cheaper, price } = known;
		const credential = await stage.saveCredential(stage.addClient({ integration: 'inventory' }));
		const trigger = agentInventoryTrigger(credential);
		const workflow = await stage.save(chain('Properties', trigger, NO_OPERATION));
		await n8n.activate(workflow);
		await sandbox.waitForRequest(
			({ path, status }) => path.endsWith('/inventory/items') && status === 200,
			{ timeoutMs: MINUTE },
		);

		sandbox.inventory.change(AGENCY, cheaper, { price: 90_000 });
		const { id: created } = sandbox.inventory.create(AGENCY, { price: 250_000 });

		const told = await until('both changes', MINUTE, async () => {
			const executions = await n8n.executions(workflow);
			const items = executions.flatMap((each) => each.triggerItems(INVENTORY_TRIGGER));
			return items.length >= 2 ? sortBy(items, 'json.event') : undefined;
		});
		expect(told.map(({ json }) => json)).toMatchObject([
			{ id: created, event: 'created', previous: {} },
			{ id: cheaper, event: 'priceChanged', previous: { price }, price: 90_000 },
		]);
		await n8n.deactivate(workflow);
	},
	agentLeadsPushTrigger: async (stage) => {
		const pushed = await Pushed.start(stage);
		const [often, polled] = [pushed.newId(), pushed.newId()];

		const statuses = await pushed.pushOften(often);
		const { status } = await pushed.pushAndPoll(polled);

		expect(new Set([...statuses, status])).toEqual(new Set([200]));
		for (const id of [often, polled]) expect(pushed.target.attempts(id)).toHaveLength(1);
		await stage.n8n.deactivate(pushed.workflow);
		await pushed.stop();
	},
};

const names = NODES.map(({ description: { name } }) => name);

it('there is a run for each node of the package', () => {
	expect(Object.keys(RUNS).sort()).toEqual([...names].sort());
});

describe.each(Object.keys(HOSTS) as Host[])('progress kept in the %s way', (host) => {
	const stage = useStage({ n8nModules, env: HOSTS[host] });

	it('is that version, and loads every node and credential without a complaint', async () => {
		const nodes = (await stage.n8n.nodeTypes()).map(({ name }) => name);
		const credentials = (await stage.n8n.credentialTypes()).map(({ name }) => name);

		expect(stage.n8n.version).toBe(VERSION);
		expect(nodes).toEqual(expect.arrayContaining(names.map((name) => `${PACKAGE_NAME}.${name}`)));
		expect(credentials).toEqual(expect.arrayContaining(CREDENTIALS.map(({ name }) => name)));
		for (const line of stage.n8n.logs().split('\n'))
			expect(line).not.toMatch(new RegExp(`${PACKAGE_NAME}|failed to load|skipping package`, 'i'));
	});

	it.each(Object.entries(RUNS))('%s runs', async (_, run) => {
		await run(stage);
	});

	it('Agent Leads Trigger starts a run for each lead, and no second one after n8n was killed', async () => {
		const client = stage.addClient({ branches: ['each'] });
		const workflow = await stage.triggerWorkflow(client, { runs: 'onePerLead' });
		await stage.n8n.activate(workflow);
		const ids = ['first', 'second'];
		for (const id of ids) stage.sandbox.addLead('applicant', { id }, { branchId: 'each' });
		await stage.waitForDelivery(workflow, ids);

		await stage.n8n.kill9();
		await stage.n8n.restart();
		await stage.nextPoll(client);
		await stage.nextPoll(client);

		expect((await stage.delivered(workflow)).sort()).toEqual(ids);
		expect(await stage.n8n.executions(workflow)).toHaveLength(ids.length);
	});
});
