import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeCredentialsDetails,
	IWorkflowSettings,
} from 'n8n-workflow';

import { credentialOf } from '../credentialOf';
import { Sandbox } from '../sandbox';
import { AGENCY_REFS } from '../sandbox/inventory';
import {
	chain,
	EVERY_FIVE_SECONDS,
	N8n,
	until,
	webhook,
	type Execution,
	type N8nOptions,
	type NodeInput,
	type StoredWorkflow,
	type WebhookRun,
	type WorkflowJson,
} from '.';

export type Client = Sandbox['leadsClient'];
export type ClientSettings = Parameters<Sandbox['addClient']>[0];
export type Fault = Parameters<Sandbox['faults']['add']>[0];
export type LoggedRequest = Sandbox['requests'][number];
export type SavedCredential = INodeCredentialsDetails & { id: string };
type NodeParameters = INode['parameters'];

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const TOKEN_PATH = '/auth/oauth2/token';
export const APPLICANTS_PATH = '/leads-api/applicant-leads';
export const APPRAISALS_PATH = '/leads-api/appraisal-leads';
export const INVENTORY_TOKEN_PATH = '/identity/connect/token';
export const INVENTORY_PATH = '/inventory-api/inventory';
export const PREMIUM_PATH = '/products-api/products/premium-listings';

/** The names of the nodes under test, in every workflow. */
export const NODE = 'Agent Leads';
export const TRIGGER = 'Agent Leads Trigger';
export const INVENTORY = 'Agent Inventory';
export const PRODUCTS = 'Agent Products';

/** The agency of an inventory credential, unless a test says otherwise. */
export const [AGENCY, OTHER_AGENCY] = AGENCY_REFS;

const POLL_DEADLINE_MS = 15_000;
const DELIVERY_DEADLINE_MS = 30_000;

/** For `beforeAll` and `afterAll`. */
export const START_DEADLINE_MS = 240_000;
export const STOP_DEADLINE_MS = 60_000;

/** A real n8n and a sandbox service, and what a test file puts on them. */
export class Stage {
	/** Every secret and workflow there has been, for a search through all that n8n has kept. */
	readonly secrets: string[] = [];
	readonly workflows: StoredWorkflow[] = [];
	private clients = 0;

	private constructor(
		readonly n8n: N8n,
		readonly sandbox: Sandbox,
	) {}

	static async start(options: N8nOptions = {}): Promise<Stage> {
		const sandbox = await Sandbox.start();
		try {
			return new Stage(await N8n.start(options), sandbox);
		} catch (error) {
			// Left open, it would keep the test runner from ending.
			await sandbox.stop();
			throw error;
		}
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await this.sandbox.stop();
	}

	/** A client of its own for a test, so that what it counts is its own too. */
	addClient(settings: Partial<ClientSettings> = {}): Client {
		const number = ++this.clients;
		const client = this.sandbox.addClient({
			integration: 'leads',
			clientId: `client-${number}`,
			clientSecret: `s+e%41c:r é&t=/?#"of-${number}`,
			...settings,
		});
		const { clientId, clientSecret } = client;
		this.secrets.push(clientSecret, Buffer.from(`${clientId}:${clientSecret}`).toString('base64'));
		return client;
	}

	/** @param changes to what a person fills in for this client */
	async saveCredential(
		client: Client,
		changes: ICredentialDataDecryptedObject = {},
	): Promise<SavedCredential> {
		const { type, data } = credentialOf(this.sandbox, client);
		return await this.n8n.createCredential(type, client.clientId, { ...data, ...changes });
	}

	addInventoryClient(settings: Partial<ClientSettings> = {}): Client {
		return this.addClient({ integration: 'inventory', ...settings });
	}

	addProductsClient(settings: Partial<ClientSettings> = {}): Client {
		return this.addClient({ integration: 'products', ...settings });
	}

	/* old names: */
	saveInventoryCredential = this.saveCredential.bind(this);
	saveProductsCredential = this.saveCredential.bind(this);
	/* end of old names */

	/** An active workflow of a webhook and the nodes given. */
	async webhookWorkflow(nodes: NodeInput[], settings: IWorkflowSettings = {}) {
		const workflow = chain(`Workflow ${this.workflows.length + 1}`, webhook(), ...nodes);
		const stored = await this.save({
			...workflow,
			settings: { ...workflow.settings, ...settings },
		});
		await this.n8n.activate(stored);
		return stored;
	}

	/** A workflow, not active yet, that our trigger starts with the leads of a client. */
	async triggerWorkflow(client: Client, parameters: NodeParameters = {}): Promise<StoredWorkflow> {
		const credential = await this.saveCredential(client);
		const name = `Workflow ${this.workflows.length + 1}`;
		return await this.save(chain(name, agentLeadsTrigger(credential, parameters), NO_OPERATION));
	}

	/** The ids of the leads that our trigger has started a workflow with, repeats included, in that order. */
	async delivered(workflow: StoredWorkflow): Promise<string[]> {
		const executions = await this.n8n.executions(workflow);
		return executions
			.filter(({ summary }) => summary.mode === 'trigger')
			.flatMap((execution) => execution.triggerItems(TRIGGER).items)
			.flatMap(({ json: { id } }) => (typeof id === 'string' ? [id] : []));
	}

	/** Waits until our trigger has started a workflow with all these leads. */
	async waitForDelivery(workflow: StoredWorkflow, ids: string[]): Promise<void> {
		await until(`the delivery of ${ids.join(', ')}`, DELIVERY_DEADLINE_MS, async () => {
			const delivered = await this.delivered(workflow);
			return ids.every((id) => delivered.includes(id)) ? true : undefined;
		});
	}

	/** Waits for a poll that begins from now on, until the service has answered it. */
	async nextPoll({ clientId }: Client): Promise<void> {
		const now = this.sandbox.now();
		for (const path of [APPLICANTS_PATH, APPRAISALS_PATH]) {
			await this.sandbox.waitForRequest(
				(request) =>
					request.clientId === clientId &&
					request.path === path &&
					request.at >= now &&
					request.status === 200,
				{ timeoutMs: POLL_DEADLINE_MS },
			);
		}
	}

	async save(workflow: Parameters<N8n['createWorkflow']>[0]): Promise<StoredWorkflow> {
		const stored = await this.n8n.createWorkflow(workflow);
		this.workflows.push(stored);
		return stored;
	}

	/**
	 * Imports an example as the editor does, and sets up in it what a user sets up: credentials, addresses, and that the
	 * nodes that were deactivated are not. Waits are made short.
	 */
	async importExample(file: string, { credentials, parameters = {} }: ExampleSetup) {
		const example = readExample(file);
		const nodes = example.nodes.map((node): INode => ({
			...node,
			disabled: false,
			...(node.waitBetweenTries !== undefined && { waitBetweenTries: 100 }),
			credentials: Object.fromEntries(
				Object.keys(node.credentials ?? {}).map((type) => [type, given(credentials, type)]),
			),
			parameters: {
				...node.parameters,
				...(node.parameters.pollTimes !== undefined && { pollTimes: EVERY_FIVE_SECONDS }),
				...parameters[node.name],
			},
		}));
		return await this.save({ ...example, nodes });
	}

	/** An active workflow that gets the leads of a client by our node. */
	async leadsWorkflow(client: Client, parameters: NodeParameters = {}): Promise<StoredWorkflow> {
		return await this.webhookWorkflow([agentLeads(await this.saveCredential(client), parameters)]);
	}

	async run(workflow: StoredWorkflow, body?: unknown): Promise<WebhookRun> {
		return await this.n8n.runByWebhook(workflow, body);
	}

	/** Runs a workflow and reads its execution, however it ended. */
	async execute(workflow: StoredWorkflow, body?: unknown): Promise<Execution> {
		return await (await this.run(workflow, body)).execution();
	}

	/** Runs started together. */
	async runTogether(workflow: StoredWorkflow, count: number): Promise<WebhookRun[]> {
		return await Promise.all(Array.from({ length: count }, () => this.run(workflow)));
	}

	/** What a client asked the leads API for, oldest first. */
	leadsRequests({ clientId }: Client): LoggedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.clientId === clientId && request.path.startsWith('/leads-api/'),
		);
	}

	/** What a client asked the inventory API for, oldest first. */
	inventoryRequests({ clientId }: Client): LoggedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.clientId === clientId && request.path.startsWith(INVENTORY_PATH),
		);
	}

	/** What a client asked the products API for, oldest first. */
	productsRequests({ clientId }: Client): LoggedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.clientId === clientId && request.path.startsWith('/products-api/'),
		);
	}

	/** What a client asked its token service for, oldest first. */
	tokenRequests({ clientId }: Client): LoggedRequest[] {
		return this.sandbox.requests.filter(
			({ path, ...request }) =>
				request.clientId === clientId && (path === TOKEN_PATH || path === INVENTORY_TOKEN_PATH),
		);
	}

	tokensIssued({ clientId }: Client): number {
		return this.sandbox.counts.tokens[clientId] ?? 0;
	}

	/** When the newest token of a client expires, in epoch milliseconds. */
	tokenExpiry({ clientId }: Client): number {
		const token = [...this.sandbox.tokens.byValue.values()]
			.filter((each) => each.clientId === clientId)
			.at(-1);
		if (!token) throw new Error(`${clientId} has no token`);
		return token.expiresAt;
	}

	issuedTokens(): string[] {
		return [...this.sandbox.tokens.byValue.keys()];
	}

	/** The secrets and tokens of this stage that a text holds, in whatever spelling. */
	leaks(text: string): string[] {
		return [...this.secrets.flatMap(spellings), ...this.issuedTokens()].filter((value) =>
			text.includes(value),
		);
	}

	/** The same for all that n8n hands out of its credentials, has kept of executions and has printed. */
	async leaksInAll(): Promise<string[]> {
		const { n8n } = this;
		const texts = [JSON.stringify(await n8n.credentialsWithData()), n8n.logs()];
		const leaks = texts.flatMap((text) => this.leaks(text));
		for (const workflow of this.workflows) {
			for (const { id } of await n8n.listExecutions(workflow)) {
				leaks.push(...this.leaks((await n8n.getExecution(id)).text));
			}
		}
		return leaks;
	}

	/** Waits for the clock, which n8n, the sandbox and this process share. */
	async waitForTime(epochMs: number): Promise<void> {
		await until(`${new Date(epochMs).toISOString()}`, 30_000, async () =>
			Promise.resolve(Date.now() >= epochMs ? true : undefined),
		);
	}
}

/** What a user enters in an example: credentials by their type, and parameters by the name of the node. */
export interface ExampleSetup {
	credentials: Record<string, SavedCredential>;
	parameters?: Record<string, NodeParameters>;
}

const EXAMPLES = join(__dirname, '../../..', 'examples');

export function exampleFiles(): string[] {
	return readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowJson {
	return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;
}

function given(credentials: ExampleSetup['credentials'], type: string): SavedCredential {
	const credential = credentials[type];
	if (!credential) throw new Error(`The example wants a credential of the type ${type}`);
	return credential;
}

/** Our node, as a user sets it up to get all leads of the last 24 hours. */
export function agentLeads(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: NODE,
		type: 'n8n-nodes-agent-integration.agentLeads',
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'last24Hours',
			filterBy: 'none',
			returnAll: true,
			...parameters,
		},
		credentials: { agentLeadsApi: credential },
	};
}

/** Our node, as a user sets it up to get all properties of an agency. */
export function agentInventory(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: INVENTORY,
		type: 'n8n-nodes-agent-integration.agentInventory',
		parameters: { resource: 'property', operation: 'getAll', returnAll: true, ...parameters },
		credentials: { agentInventoryApi: credential },
	};
}

/** Our node, as a user sets it up to activate a premium listing. */
export function agentProducts(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: PRODUCTS,
		type: 'n8n-nodes-agent-integration.agentProducts',
		parameters: { resource: 'premiumListing', operation: 'activate', ...parameters },
		credentials: { agentProductsApi: credential },
	};
}

/** Our trigger, as a user sets it up to get all leads from now on, but polling every five seconds. */
export function agentLeadsTrigger(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: TRIGGER,
		type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
		parameters: {
			pollTimes: EVERY_FIVE_SECONDS,
			leadTypes: ['applicant', 'appraisal'],
			filterBy: 'none',
			simplify: true,
			startFrom: 'activation',
			options: {},
			...parameters,
		},
		credentials: { agentLeadsApi: credential },
	};
}

const NO_OPERATION: NodeInput = { name: 'No Operation', type: 'n8n-nodes-base.noOp' };

/** n8n's own HTTP Request node with our credential. */
export function httpRequest(
	credential: SavedCredential,
	url: string,
	credentialType = 'agentLeadsApi',
): NodeInput {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credentialType,
			options: {},
		},
		credentials: { [credentialType]: credential },
	};
}

export function statuses(requests: LoggedRequest[]): Array<number | null> {
	return requests.map((request) => request.status);
}

export function tokenIndexes(requests: LoggedRequest[]): Array<number | null> {
	return requests.map((request) => request.tokenIndex);
}

/** The headline and the sentences below it, as n8n shows them for a failed node. */
export function errorText(execution: Execution, node = NODE): string {
	const error = execution.nodeError(node);
	if (!error) throw new Error(`${node} did not fail: ${execution.status}`);
	return [error.message, error.description].filter(Boolean).join(' ');
}

function spellings(secret: string): string[] {
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		new URLSearchParams({ '': secret }).toString().slice(1),
		Buffer.from(secret).toString('base64'),
	];
}
