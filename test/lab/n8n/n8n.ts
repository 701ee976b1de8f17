import { randomUUID } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeCredentialsDetails,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeTypeDescription,
} from 'n8n-workflow';

import { DataTables } from './dataTables';
import type { Execution, ExecutionSummary } from './execution';
import { Executions } from './executions';
import { send } from './http';
import type { N8nProcess } from './process';
import { processFor, type N8nOptions } from './processFor';
import { Rest, type Owner } from './rest';
import { until } from './waiting';
import {
	MANUAL_TRIGGER,
	WEBHOOK,
	type NodeInput,
	type StoredWorkflow,
	type WorkflowJson,
} from './workflow';

/** If n8n is killed while it publishes, it takes that up again after two minutes. */
const PUBLICATION_DEADLINE_MS = 180_000;

export const OWNER: Owner = {
	email: 'owner@example.com',
	password: 'Leads4Breakfast',
	firstName: 'Olive',
	lastName: 'Owner',
};

/** What the `credentials` of a node need to use one. */
export type SavedCredential = INodeCredentialsDetails & { id: string };

/** A credential as the editor reads it: with the secrets blanked out. */
export interface Credential {
	id: string;
	name: string;
	type: string;
	data: ICredentialDataDecryptedObject;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** A row of n8n's page Settings → Community nodes. */
export interface CommunityPackage {
	packageName: string;
	installedVersion: string;
	authorName: string | null;
	authorEmail: string | null;
	installedNodes: Array<{ name: string; type: string; latestVersion: number }>;
	failedLoading?: boolean;
	updateAvailable?: string;
}

/** What the next major version of n8n breaks; `ruleId` tells what, such as `get-paired-item-v3`. */
interface BreakingChanges {
	instanceResults: Array<{ ruleId: string }>;
	workflowResults: Array<{ ruleId: string; nbAffectedWorkflows: number }>;
}

/** How far n8n has come with starting or stopping the triggers of a workflow, where a service of its own does that. */
interface PublicationStatus {
	status: 'failed' | 'in_progress' | 'not_published' | 'partial' | 'published';
	triggers: Array<{ nodeId: string; errorMessage: string | null }>;
}

/** What a caller of a production webhook gets, and the execution behind it. */
export interface WebhookRun {
	status: number;
	text: string;
	milliseconds: number;
	/** The items of the last node; throws unless the answer is 200 with a list. */
	items(): Array<Record<string, unknown>>;
	/** Finds the execution, once it is stored. */
	execution(): Promise<Execution>;
}

/** A real n8n with this package installed, its owner logged in. */
export class N8n {
	readonly dataTables: DataTables;
	private readonly rest: Rest;
	private readonly stored: Executions;

	private constructor(
		private readonly process: N8nProcess,
		readonly userFolder: string,
		private readonly remove: () => void,
	) {
		this.rest = new Rest(process.url);
		this.dataTables = new DataTables(this.rest);
		this.stored = new Executions(this.rest);
	}

	static async start(options: N8nOptions = {}): Promise<N8n> {
		const { process, userFolder, remove } = await processFor('main', options);
		const n8n = new N8n(process, userFolder, remove);
		await process.start();
		await n8n.rest.logIn(OWNER);
		return n8n;
	}

	get url(): string {
		return this.process.url;
	}

	get pid(): number {
		return this.process.pid;
	}

	logs(): string {
		return this.process.logs();
	}

	/** What n8n has printed since it was started last. */
	logsSinceStart(): string {
		return this.process.logsSinceStart();
	}

	peakMemory(): number {
		return this.process.peakMemory();
	}

	resetPeakMemory(): void {
		this.process.resetPeakMemory();
	}

	/** Runs a command of n8n, such as `export:workflow`, on the same folder and database. */
	async command(...args: string[]): Promise<{ exitCode: number | null; output: string }> {
		return await this.process.command(args);
	}

	async kill9(): Promise<void> {
		await this.process.kill9();
	}

	async exited(): Promise<void> {
		await this.process.exited();
	}

	/** The version that n8n says it has. */
	get version(): string {
		return this.rest.n8n.versionCli;
	}

	/** Starts n8n again on the same folder and port, after stopping it if it still runs. */
	async restart(): Promise<void> {
		await this.process.stop();
		await this.process.start();
	}

	/** Ends n8n and removes what belongs to this run alone. */
	async stop(): Promise<void> {
		await this.process.stop();
		this.remove();
	}

	/** The node types as the editor loads them. */
	async nodeTypes(): Promise<INodeTypeDescription[]> {
		return await this.rest.file('/types/nodes.json');
	}

	/** The credential types as the editor loads them. */
	async credentialTypes(): Promise<ICredentialType[]> {
		return await this.rest.file('/types/credentials.json');
	}

	/** What the “From List” choice of a node's field offers, as the editor asks for it. */
	async searchList(
		{ type, parameters = {}, credentials }: NodeInput,
		field: string,
		methodName: string,
		filter?: string,
	): Promise<INodeListSearchItems[]> {
		const path = '/rest/dynamic-node-parameters/resource-locator-results';
		const { results } = await this.rest.post<INodeListSearchResult>(path, {
			path: `parameters.${field}`,
			methodName,
			nodeTypeAndVersion: { name: type, version: 1 },
			currentNodeParameters: parameters,
			credentials,
			filter,
		});
		return results;
	}

	async createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<SavedCredential> {
		const { id } = await this.rest.post<Credential>('/rest/credentials', { type, name, data });
		return { id, name };
	}

	async credentials(): Promise<Array<Omit<Credential, 'data'>>> {
		return await this.rest.get('/rest/credentials');
	}

	/** All credentials with their data, as far as n8n hands it out. */
	async credentialsWithData(): Promise<Credential[]> {
		return await this.rest.get('/rest/credentials?includeData=true');
	}

	/** A credential with its data as the editor reads it: secrets are replaced by a placeholder. */
	async getCredential(id: string): Promise<Credential> {
		return await this.rest.get(`/rest/credentials/${id}?includeData=true`);
	}

	/** Saves a credential as the editor does: what is not changed goes back as it was read, placeholders included. */
	async updateCredential(id: string, changes: ICredentialDataDecryptedObject): Promise<void> {
		await this.rest.patch(`/rest/credentials/${id}`, await this.edited(id, changes));
	}

	/** Tests a credential as the editor does, with changes that are typed in but not saved. */
	async testCredential(
		id: string,
		changes: ICredentialDataDecryptedObject = {},
	): Promise<CredentialTest> {
		return await this.rest.post('/rest/credentials/test', {
			credentials: await this.edited(id, changes),
		});
	}

	private async edited(id: string, changes: ICredentialDataDecryptedObject): Promise<Credential> {
		const { name, type, data } = await this.getCredential(id);
		return { id, name, type, data: { ...data, ...changes } };
	}

	/** The community packages as Settings → Community nodes lists them. */
	async communityPackages(): Promise<CommunityPackage[]> {
		return await this.rest.get('/rest/community-packages');
	}

	/** What n8n's own report says that its next major version breaks, in the workflows and in the instance. */
	async breakingChanges(): Promise<BreakingChanges> {
		const path = '/rest/breaking-changes/report/refresh?version=v3';
		return (await this.rest.post<{ report: BreakingChanges }>(path)).report;
	}

	async workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await this.rest.get('/rest/workflows');
	}

	async createWorkflow(workflow: WorkflowJson): Promise<StoredWorkflow> {
		// n8n 1 wants to be told, n8n 2 knows.
		return await this.rest.post('/rest/workflows', { ...workflow, active: false });
	}

	async getWorkflow(id: string): Promise<StoredWorkflow> {
		return await this.rest.get(`/rest/workflows/${id}`);
	}

	/** Saves a workflow as the editor does: the version that is active stays active. */
	async updateWorkflow({
		id,
		versionId,
		name,
		nodes,
		connections,
	}: StoredWorkflow): Promise<StoredWorkflow> {
		const changes = { versionId, name, nodes, connections };
		return await this.rest.patch(`/rest/workflows/${id}`, changes);
	}

	/** Activates a workflow and waits until its triggers run; throws what n8n says if they cannot. */
	async activate({ id, versionId }: Pick<StoredWorkflow, 'id' | 'versionId'>): Promise<void> {
		// n8n 1 has a switch instead of a version to publish.
		if (this.version.startsWith('1.'))
			return void (await this.rest.patch(`/rest/workflows/${id}`, { active: true, versionId }));
		await this.rest.post(`/rest/workflows/${id}/activate`, { versionId });
		if (!this.rest.n8n.useWorkflowPublicationService) return;
		const { status, triggers } = await this.publication(id);
		if (status === 'published') return;
		const reasons = triggers.map(({ errorMessage }) => errorMessage).join(', ');
		throw new Error(`The activation of workflow ${id} came to ${status}: ${reasons}`);
	}

	/** Deactivates a workflow and waits until its triggers have stopped. */
	async deactivate({ id }: Pick<StoredWorkflow, 'id'>): Promise<void> {
		await this.rest.post(`/rest/workflows/${id}/deactivate`);
		if (this.rest.n8n.useWorkflowPublicationService) await this.publication(id);
	}

	private async publication(id: string): Promise<PublicationStatus> {
		return await until('n8n to publish the change', PUBLICATION_DEADLINE_MS, async () => {
			const path = `/rest/workflows/${id}/publication-status`;
			const publication = await this.rest.get<PublicationStatus>(path);
			return publication.status === 'in_progress' ? undefined : publication;
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
		if (trigger === undefined) throw new Error('The workflow has no Manual Trigger');
		const { executionId } = await this.rest.post<{ executionId: string }>(
			`/rest/workflows/${id}/run`,
			{ triggerToStartFrom: { name: trigger } },
		);
		return executionId;
	}

	async runManually(
		workflow: Pick<StoredWorkflow, 'id' | 'nodes'>,
		trigger?: string,
	): Promise<Execution> {
		return await this.waitForExecution(workflow, await this.startManually(workflow, trigger));
	}

	/** Calls the Webhook node of an active workflow: a production execution. */
	async runByWebhook(
		workflow: Pick<StoredWorkflow, 'id' | 'nodes'>,
		body: unknown = {},
	): Promise<WebhookRun> {
		const trigger = workflow.nodes.find((node) => node.type === WEBHOOK);
		if (!trigger) throw new Error('The workflow has no Webhook node');
		const call = randomUUID();
		const started = Date.now();
		const { status, text } = await send(
			`${this.url}/webhook/${trigger.parameters.path as string}?call=${call}`,
			{ method: 'POST', body },
		);
		return {
			status,
			text,
			milliseconds: Date.now() - started,
			items: () => itemsOf(status, text),
			execution: async () => await this.stored.causedBy(workflow, trigger.name, call),
		};
	}

	/** The executions of a workflow, newest first, without their data; 100 at most. */
	async listExecutions(workflow: Pick<StoredWorkflow, 'id'>): Promise<ExecutionSummary[]> {
		return await this.stored.list(workflow);
	}

	/** All executions of a workflow with their data, oldest first; those that have not finished, as far as they are. */
	async executions(workflow: Pick<StoredWorkflow, 'id'>): Promise<Execution[]> {
		return await this.stored.listWithData(workflow);
	}

	/** An execution with its data, as far as it is stored. */
	async getExecution(id: string): Promise<Execution> {
		return await this.stored.get(id);
	}

	async waitForExecution(
		workflow: Pick<StoredWorkflow, 'id'>,
		id: string,
		deadlineMs?: number,
	): Promise<Execution> {
		return await this.stored.waitFor(workflow, id, deadlineMs);
	}

	/**
	 * Repeats an execution from where it ended, as “Retry” in the list of executions does.
	 * @param asSaved with the currently saved workflow instead of the original one
	 * @returns the id of the new execution
	 */
	async retryExecution(id: string, asSaved: boolean): Promise<string> {
		return await this.stored.retry(id, asSaved);
	}

	async stopExecution(id: string): Promise<void> {
		await this.stored.stop(id);
	}
}

function itemsOf(status: number, text: string): Array<Record<string, unknown>> {
	const body: unknown = status === 200 ? JSON.parse(text) : undefined;
	if (!Array.isArray(body)) throw new Error(`The webhook answered ${status}: ${text}`);
	return body as Array<Record<string, unknown>>;
}
