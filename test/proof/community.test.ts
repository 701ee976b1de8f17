import { rmSync } from 'node:fs';

import { expect, it } from '@jest/globals';

import { defaultTarball, HOSTS, PACKAGE_NAME, type StoredWorkflow } from '../lab/n8n';
import { installPackage, packageFolder } from '../lab/n8n/installation';
import type { Client } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { NODES } from '../lab/publishedTypes';

// A user's way with the package, each test a step of it, in the steps of n8n's own installer. Each step restarts n8n, so that
// one kind of host is enough; the triggers have both in their own tests.
const stage = useStage({ tarball: null, env: HOSTS.durable });
const types = NODES.map(({ description: { name } }) => `${PACKAGE_NAME}.${name}`);
let client: Client;
let pull: StoredWorkflow;
let trigger: StoredWorkflow;
/** What the trigger owes, each once. */
const owed: string[] = [];

function submit(): string {
	const id = `lead-${owed.length + 1}`;
	stage.sandbox.addLead('applicant', { id }, { branchId: 'main' });
	owed.push(id);
	return id;
}

async function ourNodes(): Promise<string[]> {
	const all = (await stage.n8n.nodeTypes()).map(({ name }) => name);
	return all.filter((name) => name.startsWith(`${PACKAGE_NAME}.`));
}

it('a new n8n has nothing of it', async () => {
	expect(await ourNodes()).toEqual([]);
});

it('once it is installed, its nodes work', async () => {
	installPackage(stage.n8n.userFolder, defaultTarball());
	await stage.n8n.restart();

	expect(await ourNodes()).toEqual(expect.arrayContaining(types));

	client = stage.addClient({ branches: ['main'] });
	pull = await stage.leadsWorkflow(client);
	trigger = await stage.triggerWorkflow(client);
	await stage.n8n.activate(trigger);
	await stage.waitForDelivery(trigger, [submit()]);
	expect((await stage.run(pull)).items()).toHaveLength(1);
});

it('once it is uninstalled, no node of it is offered, and workflows and credentials stay', async () => {
	rmSync(packageFolder(stage.n8n.userFolder), { recursive: true });
	await stage.n8n.restart();

	expect(await ourNodes()).toEqual([]);
	expect(await stage.n8n.workflows()).toHaveLength(2);
	expect(await stage.n8n.credentials()).toHaveLength(2);
});

it('installed again, everything goes on where it was', async () => {
	const meanwhile = submit();
	installPackage(stage.n8n.userFolder, defaultTarball());
	await stage.n8n.restart();

	expect((await stage.run(pull)).items()).toHaveLength(owed.length);

	// n8n's publication service gave up on a workflow whose trigger was missing; it does not try again by itself.
	await stage.n8n.deactivate(trigger);
	await stage.n8n.activate(trigger);
	await stage.waitForDelivery(trigger, [meanwhile, submit()]);
	expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
});
