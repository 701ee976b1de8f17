import times from 'lodash/times';
import type { ICredentialDataDecryptedObject, IWorkflowSettings } from 'n8n-workflow';

import { credentialOf } from '../../credentialOf';
import { Sandbox } from '../../sandbox';
import { spellings } from '../../spellings';
import {
	chain,
	N8n,
	until,
	webhook,
	type N8nOptions,
	type NodeInput,
	type SavedCredential,
	type StoredWorkflow,
	type WebhookRun,
	type WorkflowJson,
} from '..';
import { agentLeads, agentLeadsTrigger, NO_OPERATION, TRIGGER, type NodeParameters } from './nodes';
import {
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	INVENTORY_TOKEN_PATH,
	TOKEN_PATH,
	type Client,
	type ClientSettings,
	type LoggedRequest,
} from './service';

const POLL_DEADLINE_MS = 60_000;
const DELIVERY_DEADLINE_MS = 90_000;

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

	static async start(
		options?: N8nOptions,
		service?: Parameters<typeof Sandbox.start>[0],
	): Promise<Stage> {
		const sandbox = await Sandbox.start(service);
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

	/** A client of its own for a test, so that what it counts is its own too; of the leads API, if not told otherwise. */
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

	async save(workflow: WorkflowJson): Promise<StoredWorkflow> {
		const stored = await this.n8n.createWorkflow(workflow);
		this.workflows.push(stored);
		return stored;
	}

	/** An active workflow of nodes in a row. */
	async publish(name: string, nodes: NodeInput[], more: IWorkflowSettings = {}) {
		const workflow = chain(name, ...nodes);
		const stored = await this.save({ ...workflow, settings: { ...workflow.settings, ...more } });
		await this.n8n.activate(stored);
		return stored;
	}

	/** An active workflow of a webhook and the nodes given. */
	async webhookWorkflow(...nodes: NodeInput[]): Promise<StoredWorkflow> {
		return await this.publish(`Workflow ${this.workflows.length + 1}`, [webhook(), ...nodes]);
	}

	/** An active workflow that gets the leads of a client by our node. */
	async leadsWorkflow(client: Client, parameters: NodeParameters = {}): Promise<StoredWorkflow> {
		return await this.webhookWorkflow(agentLeads(await this.saveCredential(client), parameters));
	}

	/** A workflow, not active yet, that our trigger starts with the leads of a client. */
	async triggerWorkflow(client: Client, parameters: NodeParameters = {}): Promise<StoredWorkflow> {
		const trigger = agentLeadsTrigger(await this.saveCredential(client), parameters);
		return await this.save(chain(`Workflow ${this.workflows.length + 1}`, trigger, NO_OPERATION));
	}

	/** The ids of the leads that our trigger has started a workflow with, repeats included, in that order. */
	async delivered(workflow: StoredWorkflow): Promise<string[]> {
		const executions = await this.n8n.executions(workflow);
		return executions
			.filter(({ summary }) => summary.mode === 'trigger')
			.flatMap((execution) => execution.triggerItems(TRIGGER))
			.flatMap(({ json: { id } }) => (typeof id === 'string' ? [id] : []));
	}

	/** Waits until our trigger has started a workflow with all these leads. */
	async waitForDelivery(workflow: StoredWorkflow, ids: string[]): Promise<void> {
		await until(`the delivery of ${ids.join(', ')}`, DELIVERY_DEADLINE_MS, async () => {
			const delivered = await this.delivered(workflow);
			return ids.every((id) => delivered.includes(id));
		});
	}

	/** Waits for a poll that begins from now on, until the service has answered it. */
	async nextPoll(client: Client): Promise<void> {
		const now = this.sandbox.now();
		for (const path of [APPLICANTS_PATH, APPRAISALS_PATH]) {
			const isPoll = (request: LoggedRequest) =>
				request.clientId === client.clientId && request.path === path && request.at >= now;
			const isAnswered = (request: LoggedRequest) => isPoll(request) && request.status === 200;
			await this.sandbox.waitForRequest(isAnswered, { timeoutMs: POLL_DEADLINE_MS });
		}
	}

	async run(workflow: StoredWorkflow, body?: unknown): Promise<WebhookRun> {
		return await this.n8n.runByWebhook(workflow, body);
	}

	/** Runs started together. */
	async runTogether(workflow: StoredWorkflow, count: number, body?: unknown) {
		return await Promise.all(times(count, async () => await this.run(workflow, body)));
	}

	/** What a client asked an API for, oldest first. */
	requestsOf(client: Client, api: 'leads' | 'products'): LoggedRequest[] {
		return this.requests(client, (path) => path.startsWith(`/${api}-api/`));
	}

	/** What a client asked its token service for, oldest first. */
	tokenRequests(client: Client): LoggedRequest[] {
		return this.requests(client, (path) => [TOKEN_PATH, INVENTORY_TOKEN_PATH].includes(path));
	}

	private requests({ clientId }: Client, isOf: (path: string) => boolean): LoggedRequest[] {
		const { requests } = this.sandbox;
		return requests.filter((request) => request.clientId === clientId && isOf(request.path));
	}

	tokensIssued({ clientId }: Client): number {
		return this.sandbox.counts.tokens[clientId] ?? 0;
	}

	/** The secrets and tokens of this stage that a text holds, in whatever spelling. */
	leaks(text: string): string[] {
		const tokens = this.sandbox.tokens.byValue.keys();
		return [...this.secrets.flatMap(spellings), ...tokens].filter((value) => text.includes(value));
	}

	/** The same for all that n8n hands out of its credentials, has kept of executions and has printed. */
	async leaksInAll(): Promise<string[]> {
		const { n8n } = this;
		const texts = [JSON.stringify(await n8n.credentials()), n8n.logs()];
		for (const workflow of this.workflows)
			texts.push(...(await n8n.executions(workflow)).map(({ text }) => text));
		return texts.flatMap((text) => this.leaks(text));
	}
}

export type Both = Pick<Stage, 'n8n' | 'sandbox'>;

/** Starts a sandbox service and a real n8n for some work, and ends both, whatever comes of it. */
export async function withN8n<T>(
	work: (both: Both) => Promise<T>,
	options: { n8n?: N8nOptions; sandbox?: Parameters<typeof Stage.start>[1] },
): Promise<T> {
	const stage = await Stage.start(options.n8n, options.sandbox);
	return await work(stage).finally(async () => await stage.stop());
}
