import type { ICredentialDataDecryptedObject, IWorkflowSettings } from 'n8n-workflow';

import { credentialOf } from '../../credentialOf';
import { Sandbox } from '../../sandbox';
import { spellings } from '../../sandbox/spellings';
import { HOUR } from '../../times';
import {
	chain,
	N8n,
	until,
	webhook,
	type Execution,
	type N8nOptions,
	type NodeInput,
	type SavedCredential,
	type StoredWorkflow,
	type WebhookRun,
} from '..';
import { readExample, setUp, type ExampleSetup } from './examples';
import { agentLeads, agentLeadsTrigger, NO_OPERATION, TRIGGER, type NodeParameters } from './nodes';
import {
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	INVENTORY_PATH,
	INVENTORY_TOKEN_PATH,
	TOKEN_PATH,
	type Client,
	type ClientSettings,
	type LoggedRequest,
} from './service';

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

	/** Applicant leads of the last hour, which every client without branches sees. */
	addRecentLeads(count: number): void {
		const now = this.sandbox.now();
		this.sandbox.addLeads('applicant', count, { from: now - HOUR, to: now });
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

	/** Imports an example as the editor does, after a user has set it up. */
	async importExample(file: string, setup: ExampleSetup): Promise<StoredWorkflow> {
		return await this.save(setUp(readExample(file), setup));
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

	/** Runs one after the other; the statuses of their answers. */
	async runTimes(workflow: StoredWorkflow, count: number): Promise<number[]> {
		const answers: number[] = [];
		for (let run = 0; run < count; run++) answers.push((await this.run(workflow)).status);
		return answers;
	}

	/** Runs started together. */
	async runTogether(workflow: StoredWorkflow, count: number): Promise<WebhookRun[]> {
		return await Promise.all(Array.from({ length: count }, () => this.run(workflow)));
	}

	/** What a client asked the leads API for, oldest first. */
	leadsRequests(client: Client): LoggedRequest[] {
		return this.requestsOf(client, (path) => path.startsWith('/leads-api/'));
	}

	/** What a client asked the inventory API for, oldest first. */
	inventoryRequests(client: Client): LoggedRequest[] {
		return this.requestsOf(client, (path) => path.startsWith(INVENTORY_PATH));
	}

	/** What a client asked the products API for, oldest first. */
	productsRequests(client: Client): LoggedRequest[] {
		return this.requestsOf(client, (path) => path.startsWith('/products-api/'));
	}

	/** What a client asked its token service for, oldest first. */
	tokenRequests(client: Client): LoggedRequest[] {
		return this.requestsOf(client, (path) => [TOKEN_PATH, INVENTORY_TOKEN_PATH].includes(path));
	}

	private requestsOf({ clientId }: Client, isMeant: (path: string) => boolean): LoggedRequest[] {
		return this.sandbox.requests.filter(
			(request) => request.clientId === clientId && isMeant(request.path),
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
