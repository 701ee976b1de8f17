import { existsSync } from 'node:fs';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import {
	defaultTarball,
	HOSTS,
	installPackage,
	PACKAGE_NAME,
	packageFolder,
	type StoredWorkflow,
} from '../lab/n8n';
import { agentInventory, type Client } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { forgetPackage, listPackage } from '../lab/proof/communityPackage';
import { namesOf, readManifest } from '../lab/proof/manifest';

jest.setTimeout(120_000);

const manifest = readManifest();

/**
 * A user's way with the package, each test a step of it: the steps of n8n's own installer, with a tarball of ours. Each step
 * restarts n8n, so that one kind of host is enough; the triggers have both in their own tests.
 */
describe('installed as n8n installs it', () => {
	const stage = useStage({ tarball: null, env: HOSTS.durable });
	let client: Client;
	let pull: StoredWorkflow;
	let trigger: StoredWorkflow;
	/** What the trigger owes, each once. */
	const owed: string[] = [];

	beforeAll(() => {
		client = stage.addClient({ branches: ['main'] });
	});

	async function install(tarball: string): Promise<void> {
		installPackage(stage.n8n.userFolder, tarball);
		await stage.n8n.restart();
		await listPackage(stage.n8n);
	}

	function submit(): string {
		const id = `lead-${owed.length + 1}`;
		stage.sandbox.addLead('applicant', { id }, { branchId: 'main' });
		owed.push(id);
		return id;
	}

	async function ourNodes(): Promise<string[]> {
		const all = (await stage.n8n.nodeTypes()).map(({ name }) => name);
		const ours = all.filter((name) => name.startsWith(`${PACKAGE_NAME}.`));
		// n8n makes these by itself, for AI agents.
		return ours.filter((name) => !name.endsWith('Tool')).sort();
	}

	/** What Settings → Community nodes shows of the package. */
	async function listed() {
		return (await stage.n8n.communityPackages()).map((each) => ({
			name: each.packageName,
			version: each.installedVersion,
			author: each.authorName,
			nodes: each.installedNodes.map(({ type }) => type).sort(),
			failed: each.failedLoading,
		}));
	}

	const types = namesOf(manifest.n8n.nodes)
		.map((name) => `${PACKAGE_NAME}.${name}`)
		.sort();
	const listing = [
		{
			name: PACKAGE_NAME,
			version: manifest.version,
			author: manifest.author.name,
			nodes: types,
			failed: false,
		},
	];

	it('a new n8n has nothing of it', async () => {
		expect(await ourNodes()).toEqual([]);
		expect(await listed()).toEqual([]);
	});

	it('its nodes are listed, and work', async () => {
		await install(defaultTarball());

		expect(await ourNodes()).toEqual(types);
		expect(await listed()).toEqual(listing);

		pull = await stage.leadsWorkflow(client);
		trigger = await stage.triggerWorkflow(client);
		await stage.n8n.activate(trigger);
		await stage.waitForDelivery(trigger, [submit()]);
		expect((await stage.run(pull)).items()).toHaveLength(1);

		const credential = await stage.saveCredential(stage.addInventoryClient());
		const search = await stage.webhookWorkflow([agentInventory(credential)]);
		expect((await stage.run(search)).status).toBe(200);
	});

	it('after an uninstall by n8n’s command, nothing is listed and no node is offered', async () => {
		const { n8n } = stage;
		forgetPackage(n8n.userFolder);

		const { exitCode, output } = await n8n.command(
			'community-node',
			'--uninstall',
			'--package',
			PACKAGE_NAME,
		);

		await n8n.restart();

		expect([exitCode, output.trim()]).toEqual([
			0,
			`Community package uninstalled: ${PACKAGE_NAME}`,
		]);
		expect(await listed()).toEqual([]);
		expect(await ourNodes()).toEqual([]);
		expect(existsSync(packageFolder(n8n.userFolder))).toBe(false);

		const workflows = (await n8n.workflows()).map(({ id }) => id);

		expect(workflows).toEqual(expect.arrayContaining([pull.id, trigger.id]));
		expect(await n8n.credentials()).toHaveLength(3);
	});

	it('installed again, everything goes on where it was', async () => {
		const meanwhile = submit();
		await install(defaultTarball());

		expect(await listed()).toEqual(listing);
		expect((await stage.run(pull)).items()).toHaveLength(owed.length);

		// n8n's publication service gave up on a workflow whose trigger was missing; it does not try again by itself.
		await stage.n8n.deactivate(trigger);
		await stage.n8n.activate(trigger);
		await stage.waitForDelivery(trigger, [meanwhile, submit()]);
		expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
	});
});
