import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import sortBy from 'lodash/sortBy';

import { chain, HOSTS, nodeForN8n, PACKAGE_NAME, until, type Host } from '../lab/n8n';
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
	TRIGGER,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { namesOf, readManifest } from '../lab/proof/manifest';
import { root } from '../lab/paths';

/** Of a test in which n8n is started anew. */
const RESTART_DEADLINE_MS = 300_000;

const hosts = Object.keys(HOSTS) as Host[];
const manifest = readManifest();

interface Version {
	n8n: string;
	/** The package folder that n8n is installed in. */
	folder: string;
}

/** The table in docs/installation.md says the same. */
const VERSIONS: Version[] = [
	{ n8n: '2.41.1', folder: 'test/proof/n8n/newest' },
	{ n8n: '2.39.10', folder: 'test/e2e' },
];

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

const NODES = namesOf(manifest.n8n.nodes);
const CREDENTIALS = namesOf(manifest.n8n.credentials);

it('there is a run for each node of the package', () => {
	expect(Object.keys(RUNS).sort()).toEqual([...NODES].sort());
});

const cases = VERSIONS.flatMap((version) => hosts.map((host) => ({ ...version, host })));

describe.each(cases)('n8n $n8n, progress kept in the $host way', ({ n8n, folder, host }) => {
	const n8nModules = join(root, folder, 'node_modules');
	const stage = useStage({ n8nModules, env: HOSTS[host] });

	it('is that version, on a Node that it is made for', () => {
		const { engines } = readJson<{ engines: { node: string } }>(
			join(n8nModules, 'n8n', 'package.json'),
		);
		const { satisfies } = createRequire(join(n8nModules, 'n8n', 'package.json'))('semver') as {
			satisfies: (version: string, range: string) => boolean;
		};

		const node = execFileSync(nodeForN8n(), ['--version'], { encoding: 'utf8' }).trim();

		expect(stage.n8n.version).toBe(n8n);
		expect([node, engines.node, satisfies(node, engines.node)]).toEqual([node, engines.node, true]);
	});

	it('loads every node and credential without a complaint', async () => {
		const nodes = (await stage.n8n.nodeTypes()).map(({ name }) => name);

		const credentials = (await stage.n8n.credentialTypes()).map(({ name }) => name);

		expect(nodes).toEqual(expect.arrayContaining(NODES.map((name) => `${PACKAGE_NAME}.${name}`)));
		expect(credentials).toEqual(expect.arrayContaining(CREDENTIALS));

		const complaints = stage.n8n
			.logs()
			.split('\n')
			.filter(
				(line) => line.includes(PACKAGE_NAME) || /failed to load|skipping package/i.test(line),
			);

		expect(complaints).toEqual([]);
	});

	it.each(Object.entries(RUNS))('%s runs', async (_, run) => {
		await run(stage);
	});

	// test/e2e/onePerLead.test.ts does so, and more, in the n8n of its folder.
	if (folder !== 'test/e2e') {
		it(
			'starts a run for each lead, and no second one after it was killed',
			async () => {
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

				const runs = await stage.n8n.executions(workflow);
				const leads = runs.map((run) => run.triggerItems(TRIGGER));

				expect(leads.map((items) => items.map(({ json }) => json.id)).sort()).toEqual([
					['first'],
					['second'],
				]);
			},
			RESTART_DEADLINE_MS,
		);
	}
});

function readJson<T>(file: string): T {
	return JSON.parse(readFileSync(file, 'utf8')) as T;
}
