import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeCredentialsDetails,
	INodeTypeDescription,
} from 'n8n-workflow';

import { Execution, isFinished, type ExecutionSummary } from './execution';
import { N8nProcess, type N8nOptions } from './process';
import { send } from '../send';
import { Rest } from './rest';
import { until } from './waiting';
import { MANUAL_TRIGGER, WEBHOOK, type StoredWorkflow, type WorkflowJson } from './workflow';

/** If n8n is killed while it publishes, it takes that up again after two minutes. */
const PUBLICATION_DEADLINE_MS = 180_000;
const EXECUTION_DEADLINE_MS = 60_000;
/** The most that n8n lists at once. */
const PAGE = 100;

/** What the `credentials` of a node need to use one. */
export type SavedCredential = INodeCredentialsDetails & { id: string };

/** A credential as the editor reads it: a placeholder stands for each secret. */
interface Credential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** How far n8n has come with starting or stopping the triggers of a workflow, where a service of its own does that. */
interface Publication {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

/** What a caller of a production webhook gets. */
export interface WebhookRun {
	status: number;
	text: string;
	/** The items of the last node; throws unless the answer is 200 with a list. */
	items(): Array<Record<string, unknown>>;
}

type Stored = Pick<StoredWorkflow, 'id'>;

/** A real n8n with this package installed, its owner logged in. */
export class N8n extends N8nProcess {
	readonly rest = new Rest(this.url);
	/** The version that n8n says it has. */
	version = '';
	private hasPublicationService = false;
	private readonly finished = new Map<string, Execution>();

	static async start(options: N8nOptions = {}): Promise<N8n> {
		const n8n = new N8n('start', options);
		await n8n.launch();
		const { versionCli, useWorkflowPublicationService = false } = await n8n.rest.logIn();
		n8n.version = versionCli;
		n8n.hasPublicationService = useWorkflowPublicationService;
		return n8n;
	}

	/** The node types as the editor loads them. */
	async nodeTypes(): Promise<INodeTypeDescription[]> {
		return JSON.parse(await this.rest.call('GET', '/types/nodes.json')) as INodeTypeDescription[];
	}

	/** The credential types as the editor loads them. */
	async credentialTypes(): Promise<ICredentialType[]> {
		return JSON.parse(await this.rest.call('GET', '/types/credentials.json')) as ICredentialType[];
	}

	async createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<SavedCredential> {
		const { id } = await this.rest.post<Credential>('/rest/credentials', { type, name, data });
		return { id, name };
	}

	/** All credentials with their data, as far as n8n hands it out. */
	async credentials(): Promise<Credential[]> {
		return await this.rest.get('/rest/credentials?includeData=true');
	}

	/** Saves a credential as the editor does: what is not changed goes back as it was read, placeholders included. */
	async updateCredential(id: string, changes: ICredentialDataDecryptedObject): Promise<void> {
		await this.rest.patch(`/rest/credentials/${id}`, await this.edited(id, changes));
	}

	/** Tests a credential as the editor does, with changes that are typed in but not saved. */
	async testCredential(
		id: string,
		changes: ICredentialDataDecryptedObject = {},
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const credentials = await this.edited(id, changes);
		return await this.rest.post('/rest/credentials/test', { credentials });
	}

	private async edited(id: string, changes: ICredentialDataDecryptedObject): Promise<Credential> {
		const path = `/rest/credentials/${id}?includeData=true`;
		const { name, type, data } = await this.rest.get<Credential>(path);
		return { id, name, type, data: { ...data, ...changes } };
	}

	async workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await this.rest.get('/rest/workflows');
	}

	async createWorkflow(workflow: WorkflowJson): Promise<StoredWorkflow> {
		return await this.rest.post('/rest/workflows', workflow);
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		return await this.rest.get(`/rest/workflows/${id}`);
	}

	/** Saves a workflow as the editor does: the version that is active stays active. */
	async updateWorkflow(workflow: StoredWorkflow): Promise<StoredWorkflow> {
		const { id, versionId, name, nodes, connections } = workflow;
		return await this.rest.patch(`/rest/workflows/${id}`, { versionId, name, nodes, connections });
	}

	/** Activates a workflow and waits until its triggers run; throws what n8n says if they cannot. */
	async activate({ id, versionId }: Pick<StoredWorkflow, 'id' | 'versionId'>): Promise<void> {
		await this.rest.post(`/rest/workflows/${id}/activate`, { versionId });
		// For a moment n8n has done with the publication and shows no trigger yet.
		const publication = await this.publication(id, ['in_progress', 'not_published']);
		if (!publication || publication.status === 'published') return;
		const reasons = publication.triggers.map(({ errorMessage }) => errorMessage).join(', ');
		throw new Error(`The activation of ${id} came to ${publication.status}: ${reasons}`);
	}

	/** Deactivates a workflow and waits until its triggers have stopped. */
	async deactivate({ id }: Stored): Promise<void> {
		await this.rest.post(`/rest/workflows/${id}/deactivate`);
		await this.publication(id, ['in_progress']);
	}

	private async publication(id: string, pending: string[]): Promise<Publication | undefined> {
		if (!this.hasPublicationService) return undefined;
		return await until('n8n to publish the change', PUBLICATION_DEADLINE_MS, async () => {
			const path = `/rest/workflows/${id}/publication-status`;
			const publication = await this.rest.get<Publication>(path);
			return !pending.includes(publication.status) && publication;
		});
	}

	/**
	 * Starts a workflow as "Execute workflow" in the editor does.
	 * @param trigger the name of the node to start from; the Manual Trigger when not given
	 * @returns the id of the execution
	 */
	async startManually(
		{ id, nodes }: Pick<StoredWorkflow, 'id' | 'nodes'>,
		trigger = nodes.find((node) => node.type === MANUAL_TRIGGER)?.name,
	): Promise<string> {
		const body = { triggerToStartFrom: { name: trigger } };
		const path = `/rest/workflows/${id}/run`;
		return (await this.rest.post<{ executionId: string }>(path, body)).executionId;
	}

	async runManually(workflow: StoredWorkflow, trigger?: string): Promise<Execution> {
		return await this.waitForExecution(await this.startManually(workflow, trigger));
	}

	/** Calls the Webhook node of an active workflow: a production execution. */
	async runByWebhook(
		{ nodes }: Pick<StoredWorkflow, 'nodes'>,
		body: unknown = {},
	): Promise<WebhookRun> {
		const trigger = nodes.find((node) => node.type === WEBHOOK);
		const url = `${this.url}/webhook/${trigger?.webhookId}`;
		const { status, text } = await send(url, 'POST', body);
		return { status, text, items: () => itemsOf(status, text) };
	}

	/** Does the same, while nobody else does, and reads the execution, however it ended. */
	async execute(workflow: StoredWorkflow, body?: unknown): Promise<Execution> {
		const earlier = (await this.listExecutions(workflow)).map(({ id }) => id);
		await this.runByWebhook(workflow, body);
		return await until('the execution to be stored', EXECUTION_DEADLINE_MS, async () => {
			const [newest] = await this.listExecutions(workflow);
			return newest && !earlier.includes(newest.id) && (await this.ended(newest.id));
		});
	}

	/**
	 * The executions of a workflow, newest first, without their data; 100 at most. n8n asks its database for those under way
	 * and for the others at the same time: one that ends meanwhile may be in neither answer, so it is asked twice.
	 */
	async listExecutions(workflow: Stored): Promise<ExecutionSummary[]> {
		const before = await this.page(workflow);
		const { results } = await this.page(workflow);
		return uniqBy([...results, ...before.results], 'id').slice(0, PAGE);
	}

	/** All executions of a workflow with their data, oldest first; those that have not finished, as far as they are. */
	async executions(workflow: Stored): Promise<Execution[]> {
		const listed = await this.listExecutions(workflow);
		// Before 2.41, n8n has no cursor: the tests in such an n8n have fewer executions.
		let { nextCursor } = await this.page(workflow);
		while (nextCursor) {
			const page = await this.page(workflow, nextCursor);
			listed.push(...page.results);
			({ nextCursor } = page);
		}
		const all: Execution[] = [];
		for (const { id } of sortBy(uniqBy(listed, 'id'), ({ id }) => Number(id))) {
			const execution = this.finished.get(id) ?? (await this.findExecution(id));
			if (execution) all.push(execution);
		}
		return all;
	}

	private async page({ id }: Stored, nextCursor?: string) {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const cursor = nextCursor ? `&cursor=${nextCursor}` : '';
		return await this.rest.get<{ results: ExecutionSummary[]; nextCursor?: string | null }>(
			`/rest/executions?limit=${PAGE}&filter=${filter}${cursor}`,
		);
	}

	/** An execution with its data, as far as it is stored. */
	async getExecution(id: string): Promise<Execution> {
		const execution = await this.findExecution(id);
		if (!execution) throw new Error(`n8n has no execution ${id}`);
		return execution;
	}

	/** The same; undefined of one that n8n has listed and deleted since. */
	private async findExecution(id: string): Promise<Execution | undefined> {
		type Answer = ExecutionSummary & { data: string };
		const answer = await this.rest.get<Answer | undefined>(`/rest/executions/${id}`);
		if (!answer) return undefined;
		const { data, ...summary } = answer;
		const execution = new Execution(summary, data);
		if (isFinished(summary)) this.finished.set(id, execution);
		return execution;
	}

	async waitForExecution(id: string, deadlineMs = EXECUTION_DEADLINE_MS): Promise<Execution> {
		return await until(`execution ${id} to finish`, deadlineMs, async () => await this.ended(id));
	}

	private async ended(id: string): Promise<Execution | undefined> {
		const execution = await this.getExecution(id);
		return isFinished(execution.summary) ? execution : undefined;
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest.post(`/rest/executions/${id}/stop`);
	}
}

function itemsOf(status: number, text: string): Array<Record<string, unknown>> {
	const body: unknown = status === 200 ? JSON.parse(text) : undefined;
	if (!Array.isArray(body)) throw new Error(`The webhook answered ${status}: ${text}`);
	return body as Array<Record<string, unknown>>;
}
