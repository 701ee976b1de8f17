// @ts-check
// npm start: a real n8n with this package installed, beside a sandbox of the service, ready to be tried.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { build } from './build.mjs';
import { ensureN8n, ensureRoot } from './ensure-install.mjs';
import { load } from './lib/compile.mjs';
import { root, tmp } from './lib/paths.mjs';
import { portOrFree } from './lib/ports.mjs';
import { Failure, main } from './lib/run.mjs';
import { filledIn } from './lib/filledIn.js';
import { startsByItself } from './lib/startsByItself.js';
import { startSandbox } from './lib/sandbox.mjs';
import { pack } from './pack.mjs';

/**
 * @typedef {import('../test/lab/n8n/index.js')} Harness
 * @typedef {import('../test/lab/n8n/index.js').N8n} N8n
 * @typedef {import('../test/lab/n8n/index.js').WorkflowJson} Workflow
 * @typedef {import('./lib/sandbox.mjs').Addresses} Addresses
 * @typedef {Record<string, { id: string, name: string }>} Credentials by type
 */

const N8N_PORT = Number(process.env.N8N_PORT ?? 5678);
const SANDBOX_PORT = 5690;
const CREDENTIAL_NAMES = {
	leads: 'Agent Leads (sandbox)',
	inventory: 'Agent Inventory (sandbox)',
	products: 'Agent Products (sandbox)',
};
const SMTP_CREDENTIAL = 'SMTP (sandbox)';
const PUSH_TYPE = 'agentLeadsPushApi';
const PUSH_CREDENTIAL = 'Agent Leads Push (sandbox)';
const PUSH_TRIGGER = 'n8n-nodes-agent-integration.agentLeadsPushTrigger';
const userFolder = join(root, '.n8n');
const logFile = join(tmp, 'logs', 'n8n.log');

await main(async () => {
	await ensureRoot();
	const release = await lockFolder();
	await ensureN8n();
	await build();
	await pack();
	/** @type {Harness} */
	const harness = await load('test/lab/n8n/index.ts');

	const options = ['--seed', String(newSeed()), '--changes-every', '60'];
	const sandbox = await startSandbox(await portOrFree(SANDBOX_PORT), options);
	try {
		const n8n = await startN8n(harness);
		try {
			const pushKey = randomBytes(32).toString('hex');
			await furnish(n8n, sandbox.addresses, pushKey);
			await registerPushes(n8n, sandbox.addresses, pushKey);
			announce(n8n.url, harness.OWNER, sandbox.addresses);
			await Promise.race([
				stopSignal(),
				ended(n8n.exited(), `n8n stopped unexpectedly; its log is ${logFile}.`),
				ended(sandbox.exited, 'The sandbox service stopped unexpectedly.'),
			]);
			console.log('\nStopping …');
		} finally {
			await n8n.stop();
		}
	} finally {
		await sandbox.stop();
		await release();
	}
});

/** Two n8ns on one database would both run each workflow. */
async function lockFolder() {
	const { lock } = await import('proper-lockfile');
	mkdirSync(tmp, { recursive: true });
	const options = { lockfilePath: join(tmp, 'start.lock'), realpath: false, stale: 5_000 };
	try {
		return await lock(userFolder, options);
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
		throw new Failure(
			'npm start is already running in this folder, and two cannot share .n8n. Use that one, or stop it with Ctrl-C and run npm start again. If it was killed, wait five seconds.',
		);
	}
}

/** Leads of their own for each start: n8n remembers those of the last one, and would run none of them again. */
function newSeed() {
	return Math.floor(Date.now() / 1_000);
}

/** @param {Harness} harness */
async function startN8n({ N8n }) {
	mkdirSync(join(tmp, 'logs'), { recursive: true });
	rmSync(logFile, { force: true });
	return await N8n.start({
		userFolder,
		port: await portOrFree(N8N_PORT),
		logFile,
		// Whoever tries n8n will try its Code node, which needs a runner.
		env: { N8N_RUNNERS_MODE: 'internal', N8N_RUNNERS_AUTH_TOKEN: '' },
	});
}

/**
 * Puts credentials and the example workflows in place. What an earlier run left is kept; only the addresses in a
 * credential are brought up to date.
 * @param {N8n} n8n
 * @param {Addresses} addresses
 * @param {string} pushKey
 */
async function furnish(n8n, addresses, pushKey) {
	const credentials = await ensureCredentials(n8n, addresses);
	const data = { authentication: 'apiKey', apiKey: pushKey };
	credentials.smtp = await ensureCredential(n8n, 'smtp', SMTP_CREDENTIAL, addresses.smtp);
	credentials[PUSH_TYPE] = await ensureCredential(n8n, PUSH_TYPE, PUSH_CREDENTIAL, data);
	const present = (await n8n.workflows()).map((workflow) => workflow.name);
	const triggers = await triggerTypes(n8n);
	for (const example of examples()) {
		if (present.includes(example.name)) continue;
		const stored = await n8n.createWorkflow(setUp(example, credentials, addresses));
		if (isComplete(stored) && startsByItself(example, triggers)) await n8n.activate(stored);
	}
}

/**
 * @param {N8n} n8n
 * @param {Addresses} addresses
 */
async function ensureCredentials(n8n, addresses) {
	const { credentialOf } = await load('test/lab/credentialOf.ts');
	/** @type {Credentials} */
	const credentials = {};
	for (const [integration, name] of Object.entries(CREDENTIAL_NAMES)) {
		const { type, data } = credentialOf(addresses, clientOf(addresses.clients, integration));
		credentials[type] = await ensureCredential(n8n, type, name, data);
	}
	return credentials;
}

/**
 * @param {Addresses['clients']} clients
 * @param {string} integration
 */
function clientOf(clients, integration) {
	const client = clients.find((each) => each.integration === integration);
	if (!client) throw new Failure(`The sandbox service has no client for ${integration}.`);
	return client;
}

/**
 * @param {N8n} n8n
 * @param {string} type
 * @param {string} name
 * @param {Record<string, string | number | boolean>} data
 */
async function ensureCredential(n8n, type, name, data) {
	const present = (await n8n.credentials()).find((credential) => credential.name === name);
	if (!present) return await n8n.createCredential(type, name, data);
	await n8n.updateCredential(present.id, data);
	return { id: present.id, name };
}

/**
 * Under other names than the files have, which people import beside them.
 * @returns {Workflow[]}
 */
function examples() {
	const dir = join(root, 'examples');
	return readdirSync(dir)
		.filter((file) => file.endsWith('.json'))
		.map((file) => JSON.parse(readFileSync(join(dir, file), 'utf8')))
		.map((workflow) => ({ ...workflow, name: `${workflow.name} (sandbox)` }));
}

/**
 * Each node that posts has an address of its own, so that two workflows that send a lead are not taken for a repeat.
 * @param {Workflow} workflow
 * @param {Credentials} credentials
 * @param {Addresses} addresses
 * @returns {Workflow}
 */
function setUp(workflow, credentials, { url }) {
	const nodes = workflow.nodes.map((node) => ({
		...node,
		parameters: filledIn(
			node.parameters,
			`${url}/_sandbox/crm/${node.name.toLowerCase().replaceAll(' ', '-')}`,
		),
		credentials: Object.fromEntries(
			Object.entries(node.credentials ?? {}).map(([type, given]) => [
				type,
				credentials[type] ?? given,
			]),
		),
	}));
	return { ...workflow, nodes };
}

/**
 * Whether each node has its credential: the sandbox stands for none of the CRMs.
 * @param {Workflow} workflow
 */
function isComplete({ nodes }) {
	return nodes.every(({ credentials = {} }) => Object.values(credentials).every(({ id }) => id));
}

/**
 * Does what a person asks the operator to do: from now on the sandbox pushes each new lead to the examples that take them.
 * @param {N8n} n8n which has given them their addresses
 * @param {Addresses} addresses
 * @param {string} key
 */
async function registerPushes(n8n, addresses, key) {
	const names = pushedTo().map(({ name }) => name);
	const present = (await n8n.workflows()).filter(({ name }) => names.includes(name));
	const stored = await Promise.all(present.map(async ({ id }) => await n8n.getWorkflow(id)));
	const triggers = stored.flatMap(({ nodes }) => nodes).filter(({ type }) => type === PUSH_TRIGGER);
	for (const { webhookId } of triggers) {
		// As n8n’s editor shows it, so that it is the same if a person enters it.
		const url = `${editorOf(n8n.url)}/webhook/${webhookId}/leads`;
		const answer = await fetch(`${addresses.url}/_sandbox/push-addresses`, {
			method: 'POST',
			body: JSON.stringify({ url, key }),
		});
		if (!answer.ok) throw new Failure('The sandbox service did not take the address for pushes.');
	}
}

/**
 * The node types that start a workflow.
 * @param {N8n} n8n
 */
async function triggerTypes(n8n) {
	return (await n8n.nodeTypes())
		.filter((type) => type.group.includes('trigger'))
		.map((type) => type.name);
}

/** The examples that take pushed leads. */
function pushedTo() {
	return examples().filter(({ nodes }) => nodes.some(({ type }) => type === PUSH_TRIGGER));
}

/** @param {string} url of n8n */
function editorOf(url) {
	return `http://localhost:${new URL(url).port}`;
}

/**
 * Says that all is there, and what to do next.
 * @param {string} url
 * @param {{ email: string, password: string }} owner
 * @param {Addresses} addresses
 */
function announce(url, owner, addresses) {
	const leads = `${addresses.url}/_sandbox/leads`;
	const pushed = pushedTo().map(({ name }) => `“${name}”`);
	console.log(
		[
			'',
			'Ready.',
			'',
			`  Workflows  ${editorOf(url)}/home/workflows`,
			`  Log in     ${owner.email}   ${owner.password}`,
			`  Sandbox    ${addresses.url}/_sandbox`,
			`  Log        ${logFile}`,
			'',
			'Next: open the workflows and log in. Then add a lead: on the sandbox’s page, or run',
			'',
			`  curl ${leads} -d kind=applicant`,
			'',
			'In Windows PowerShell, type curl.exe instead of curl, or run',
			'',
			`  Invoke-RestMethod ${leads} -Method Post -Body @{ kind = 'applicant' }`,
			'',
			`The lead is pushed to ${pushed.join(' and ')} at once; published workflows that poll`,
			'get it within a minute. Executions lists each run, including those for the last day’s leads.',
			'A property also changes every minute.',
			'The sandbox’s page shows what reached the CRM and the mailbox. It has what you need to make credentials by',
			'hand, and forms that make the service fail.',
			'',
			'Ctrl-C stops everything. To start over from nothing, delete the folder .n8n.',
		].join('\n'),
	);
}

/**
 * Settles at Ctrl-C, when the terminal closes, or when a supervisor asks. Before this is called such a signal ends this
 * process at once, and its children with it.
 */
function stopSignal() {
	return new Promise((resolve) => {
		// Every signal is caught for good: a second Ctrl-C must not cut the orderly end short.
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve);
	});
}

/**
 * @param {Promise<unknown>} exited
 * @param {string} explanation
 */
async function ended(exited, explanation) {
	await exited;
	throw new Failure(explanation);
}
