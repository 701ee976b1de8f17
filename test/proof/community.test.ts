import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { expect, it } from '@jest/globals';

import { defaultTarball, HOSTS, PACKAGE_NAME, type StoredWorkflow } from '../lab/n8n';
import type { Client } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { NODES } from '../lab/publishedTypes';

/** n8n's installer asks npm. This one has the package as it was packed: the registry that n8n insists on may not have it yet. */
const NPM = `#!/bin/sh
case "$1" in
view) echo '"0.1.0"' ;;
pack) cp '${defaultTarball()}' package.tgz && echo package.tgz ;;
esac`;

const npmFolder = mkdtempSync(join(tmpdir(), 'npm-'));
writeFileSync(join(npmFolder, 'npm'), NPM, { mode: 0o755 });

// A user's way with the package by n8n's own installer, each test a step of it. One kind of host is enough: the triggers have
// both in their own tests.
const stage = useStage({
	tarball: null,
	env: {
		...HOSTS.durable,
		PATH: [npmFolder, process.env.PATH].join(delimiter),
		// The installer asks the registry itself before it asks npm.
		HTTPS_PROXY: 'http://127.0.0.1:9',
	},
});
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

async function packages(method: 'DELETE' | 'PATCH' | 'POST'): Promise<void> {
	const path = '/rest/community-packages';
	if (method === 'DELETE') await stage.n8n.rest.call(method, `${path}?name=${PACKAGE_NAME}`);
	else await stage.n8n.rest.call(method, path, { name: PACKAGE_NAME });
}

it('a new n8n has nothing of it', async () => {
	expect(await ourNodes()).toEqual([]);
});

it('once it is installed, its nodes work', async () => {
	await packages('POST');

	expect(await ourNodes()).toEqual(expect.arrayContaining(types));

	client = stage.addClient({ branches: ['main'] });
	pull = await stage.leadsWorkflow(client);
	trigger = await stage.triggerWorkflow(client);
	await stage.n8n.activate(trigger);
	await stage.waitForDelivery(trigger, [submit()]);
	expect((await stage.run(pull)).items()).toHaveLength(1);
});

it('once it is updated, active workflows go on, and after a restart too', async () => {
	await packages('PATCH');
	await stage.waitForDelivery(trigger, [submit()]);
	await stage.n8n.restart();

	await stage.waitForDelivery(trigger, [submit()]);
	expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
	expect((await stage.run(pull)).items()).toHaveLength(owed.length);
});

it('once it is uninstalled, no node of it is offered, and workflows and credentials stay', async () => {
	await packages('DELETE');
	await stage.n8n.restart();

	expect(await ourNodes()).toEqual([]);
	expect(await stage.n8n.workflows()).toHaveLength(2);
	expect(await stage.n8n.credentials()).toHaveLength(2);
});

it('installed again, everything goes on where it was', async () => {
	const meanwhile = submit();
	await packages('POST');

	expect((await stage.run(pull)).items()).toHaveLength(owed.length);

	// n8n's publication service gave up on a workflow whose trigger was missing; it does not try again by itself.
	await stage.n8n.deactivate(trigger);
	await stage.n8n.activate(trigger);
	await stage.waitForDelivery(trigger, [meanwhile, submit()]);
	expect((await stage.delivered(trigger)).sort()).toEqual([...owed].sort());
});
