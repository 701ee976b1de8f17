import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import {
	defaultTarball,
	HOSTS,
	installPackage,
	PACKAGE_NAME,
	packageFolder,
	type Host,
	type StoredWorkflow,
} from '../lab/n8n';
import { agentInventory, type Client } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { forgetPackage, listPackage } from '../lab/proof/communityPackage';
import { namesOf, readManifest } from '../lab/proof/manifest';

jest.setTimeout(120_000);

const PREVIOUS = join(__dirname, 'previous', `${PACKAGE_NAME}-0.0.9.tgz`);

const manifest = readManifest();

/** A user's way with the package, each test a step of it: the steps of n8n's own installer, with a tarball of ours. */
describe.each(Object.keys(HOSTS) as Host[])(
	'installed as n8n installs it, progress kept in the %s way',
	(host) => {
		const stage = useStage({ tarball: null, env: HOSTS[host] });
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
			const id = `${host}-${owed.length + 1}`;
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

		function listing(version: string, nodes: string[]) {
			const { name: author } = manifest.author;
			return [{ name: PACKAGE_NAME, version, author, nodes, failed: false }];
		}

		const types = (names: string[]) => names.map((name) => `${PACKAGE_NAME}.${name}`).sort();
		const before = types(['agentLeads', 'agentLeadsTrigger']);
		const after = types(namesOf(manifest.n8n.nodes));

		it('a new n8n has nothing of it', async () => {
			expect(await ourNodes()).toEqual([]);
			expect(await listed()).toEqual([]);
		});

		it('the version before is installed: it is listed, and a workflow runs', async () => {
			await install(PREVIOUS);

			expect(await ourNodes()).toEqual(before);
			expect(await listed()).toEqual(listing('0.0.9', before));

			pull = await stage.leadsWorkflow(client);
			trigger = await stage.triggerWorkflow(client);
			await stage.n8n.activate(trigger);
			await stage.waitForDelivery(trigger, [submit()]);
			expect((await stage.run(pull)).items()).toHaveLength(1);
		});

		it('after a restart the saved workflows run', async () => {
			await stage.n8n.restart();

			expect((await stage.run(pull)).items()).toHaveLength(1);

			await stage.waitForDelivery(trigger, [submit()]);
		});

		it('the upgrade takes over workflows, credentials, tokens and progress', async () => {
			const credentials = await stage.n8n.credentialsWithData();
			const tokens = stage.tokenRequests(client).length;
			const meanwhile = submit();
			await install(defaultTarball());

			expect(await ourNodes()).toEqual(after);
			expect(await listed()).toEqual(listing(manifest.version, after));
			expect(await stage.n8n.credentialsWithData()).toEqual(credentials);
			expect((await stage.run(pull)).items()).toHaveLength(3);

			await stage.waitForDelivery(trigger, [meanwhile, submit()]);
			expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
			expect(stage.tokenRequests(client)).toHaveLength(tokens);
		});

		it('its new nodes work', async () => {
			const credential = await stage.saveCredential(stage.addInventoryClient());
			const workflow = await stage.webhookWorkflow([agentInventory(credential)]);

			expect((await stage.run(workflow)).status).toBe(200);
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

			expect(await listed()).toEqual(listing(manifest.version, after));
			expect((await stage.run(pull)).items()).toHaveLength(owed.length);

			// n8n's publication service gave up on a workflow whose trigger was missing; it does not try again by itself.
			if (host === 'durable') {
				await stage.n8n.deactivate(trigger);
				await stage.n8n.activate(trigger);
			}
			await stage.waitForDelivery(trigger, [meanwhile, submit()]);
			expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
		});
	},
);
