import type {
	ICredentialDataDecryptedObject,
	INode,
	INodeCredentialsDetails,
	IWorkflowSettings,
} from 'n8n-workflow';

import { Sandbox } from '../sandbox';
import {
	chain,
	N8n,
	until,
	webhook,
	type Execution,
	type N8nOptions,
	type NodeInput,
	type StoredWorkflow,
	type WebhookRun,
} from './harness';

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

/** The name of the node under test, in every workflow. */
export const NODE = 'Agent Leads';

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
		return new Stage(await N8n.start(options), sandbox);
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
		this.secrets.push(client.clientSecret);
		return client;
	}

	async saveCredential(
		{ clientId, clientSecret }: Client,
		changes: ICredentialDataDecryptedObject = {},
	): Promise<SavedCredential> {
		const { authUrl, leadsUrl } = this.sandbox;
		return await this.n8n.createCredential('agentLeadsApi', clientId, {
			clientId,
			clientSecret,
			authUrl,
			leadsUrl,
			...changes,
		});
	}

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

	async save(workflow: Parameters<N8n['createWorkflow']>[0]): Promise<StoredWorkflow> {
		const stored = await this.n8n.createWorkflow(workflow);
		this.workflows.push(stored);
		return stored;
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

	/** What a client asked the token service for, oldest first. */
	tokenRequests({ clientId }: Client): LoggedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.clientId === clientId && request.path === TOKEN_PATH,
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

	/** Waits for the clock, which n8n, the sandbox and this process share. */
	async waitForTime(epochMs: number): Promise<void> {
		await until(`${new Date(epochMs).toISOString()}`, 30_000, async () =>
			Promise.resolve(Date.now() >= epochMs ? true : undefined),
		);
	}
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

/** n8n's own HTTP Request node with our credential. */
export function httpRequest(credential: SavedCredential, url: string): NodeInput {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'agentLeadsApi',
			options: {},
		},
		credentials: { agentLeadsApi: credential },
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
