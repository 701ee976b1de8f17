import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeCredentialsDetails,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeTypeDescription,
} from 'n8n-workflow';

import { Execution, isFinished, type ExecutionSummary } from './execution';
import { send } from './http';
import { DEFAULT_N8N, defaultTarball, installPackage } from './installation';
import { freePort, N8nProcess, type Role } from './process';
import { Rest, type Owner } from './rest';
import { until } from './waiting';
import {
	MANUAL_TRIGGER,
	WEBHOOK,
	type NodeInput,
	type StoredWorkflow,
	type WorkflowJson,
} from './workflow';

const EXECUTION_DEADLINE_MS = 60_000;
const PUBLICATION_DEADLINE_MS = 90_000;

export const OWNER: Owner = {
	email: 'owner@example.com',
	password: 'Leads4Breakfast',
	firstName: 'Olive',
	lastName: 'Owner',
};

export interface N8nOptions {
	/** The folder that holds `.n8n`; a temporary one when not given. */
	userFolder?: string;
	/** A free one when not given. */
	port?: number;
	/** Settings of n8n, over those of the harness. */
	env?: Record<string, string>;
	/** The node_modules that n8n lies in; those of the end-to-end tests when not given. */
	n8nModules?: string;
	/** The package to install; the one that `npm pack` made when not given, none when null. */
	tarball?: string | null;
	/** Where to keep what n8n prints, beside `logs()`. */
	logFile?: string;
}

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

export interface DataTable {
	id: string;
	name: string;
	projectId: string;
}

function dataTablePath({ id, projectId }: DataTable): string {
	return `/rest/projects/${projectId}/data-tables/${id}`;
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
	private readonly rest: Rest;
	/** Executions that were looked into, by the id of the call that caused them. */
	private readonly executionOfCall = new Map<string, string>();
	private readonly lookedInto = new Set<string>();
	private readonly finishedExecutions = new Map<string, Execution>();
	/** One search at a time: each finds some of what the next one looks for. */
	private searching: Promise<unknown> = Promise.resolve();

	private constructor(
		private readonly process: N8nProcess,
		readonly userFolder: string,
		private readonly isTemporary: boolean,
	) {
		this.rest = new Rest(process.url);
	}

	static async start(options: N8nOptions = {}): Promise<N8n> {
		const { userFolder, child } = await prepare('main', options);
		const n8n = new N8n(child, userFolder, options.userFolder === undefined);
		await child.start();
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
		if (this.isTemporary) rmSync(this.userFolder, { recursive: true, force: true });
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

	/** @returns what a node's `credentials` needs to use it */
	async createCredential(
		type: string,
		name: string,
		data: ICredentialDataDecryptedObject,
	): Promise<INodeCredentialsDetails & { id: string }> {
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

	async deleteCredential(id: string): Promise<void> {
		await this.rest.delete(`/rest/credentials/${id}`);
	}

	private async edited(id: string, changes: ICredentialDataDecryptedObject): Promise<Credential> {
		const { name, type, data } = await this.getCredential(id);
		return { id, name, type, data: { ...data, ...changes } };
	}

	/** The community packages as Settings → Community nodes lists them. */
	async communityPackages(): Promise<CommunityPackage[]> {
		return await this.rest.get('/rest/community-packages');
	}

	async workflows(): Promise<Array<{ id: string; name: string; active: boolean }>> {
		return await this.rest.get('/rest/workflows');
	}

	async createWorkflow(workflow: WorkflowJson): Promise<StoredWorkflow> {
		// n8n 1 wants to be told, n8n 2 knows.
		return await this.rest.post('/rest/workflows', { ...workflow, active: false });
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
			execution: async () => {
				const search = this.searching.then(
					async () => await this.executionBehind(workflow, trigger.name, call),
				);
				this.searching = search.catch(() => undefined);
				return await search;
			},
		};
	}

	/** The executions of a workflow, newest first, without their data; 100 at most. */
	async listExecutions({ id }: Pick<StoredWorkflow, 'id'>): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const { results } = await this.rest.get<{ results: ExecutionSummary[] }>(
			`/rest/executions?limit=100&filter=${filter}`,
		);
		return results;
	}

	/** All executions of a workflow with their data, oldest first; those that have not finished, as far as they are. */
	async executions(workflow: Pick<StoredWorkflow, 'id'>): Promise<Execution[]> {
		const all: Execution[] = [];
		for (const summary of await this.listAllExecutions(workflow)) {
			const known = this.finishedExecutions.get(summary.id);
			const execution = known ?? (await this.getExecution(summary.id));
			if (isFinished(execution.summary)) this.finishedExecutions.set(summary.id, execution);
			all.push(execution);
		}
		return all;
	}

	/** All executions of a workflow, oldest first, without their data. */
	private async listAllExecutions({ id }: Pick<StoredWorkflow, 'id'>): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		const all: ExecutionSummary[] = [];
		let position: string | null = this.pagesByCursor ? '' : FROM_NEWEST_ID;
		while (position !== null) {
			const page: ExecutionPage = await this.rest.get(
				`/rest/executions?limit=100&filter=${filter}${position}`,
			);
			all.push(...page.results);
			position = nextPosition(page);
		}
		return all.sort((a, b) => Number(a.id) - Number(b.id));
	}

	/** From 2.41 on, a page of executions says where the next one begins; before, an id does. */
	private get pagesByCursor(): boolean {
		const [major = 0, minor = 0] = this.version.split('.').map(Number);
		return major > 2 || (major === 2 && minor >= 41);
	}

	/** An execution with its data, as far as it is stored. */
	async getExecution(id: string): Promise<Execution> {
		const { data, ...summary } = await this.rest.get<ExecutionSummary & { data: string }>(
			`/rest/executions/${id}`,
		);
		return new Execution(summary, data);
	}

	async waitForExecution(
		workflow: Pick<StoredWorkflow, 'id'>,
		id: string,
		deadlineMs = EXECUTION_DEADLINE_MS,
	): Promise<Execution> {
		return await until(`execution ${id} to finish`, deadlineMs, async () => {
			const summary = (await this.listExecutions(workflow)).find((each) => each.id === id);
			return summary && isFinished(summary) ? await this.getExecution(id) : undefined;
		});
	}

	/**
	 * Repeats an execution from where it ended, as “Retry” in the list of executions does.
	 * @returns the id of the new execution
	 */
	async retryExecution(id: string): Promise<string> {
		const { id: retry } = await this.rest.post<{ id: string }>(`/rest/executions/${id}/retry`, {
			loadWorkflow: false,
		});
		return retry;
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest.post(`/rest/executions/${id}/stop`);
	}

	/** The data table of this name, in whatever project it lies. */
	async dataTable(name: string): Promise<DataTable> {
		const { data } = await this.rest.get<{ data: DataTable[] }>('/rest/data-tables-global');
		const table = data.find((each) => each.name === name);
		if (!table) throw new Error(`There is no data table ${name}`);
		return table;
	}

	/** The first 250 rows of a data table. */
	async dataTableRows(table: DataTable): Promise<Array<Record<string, unknown>>> {
		const path = `${dataTablePath(table)}/rows?take=250`;
		return (await this.rest.get<{ data: Array<Record<string, unknown>> }>(path)).data;
	}

	/** Deletes the rows that have this value in this column. */
	async deleteDataTableRows(table: DataTable, columnName: string, value: string): Promise<void> {
		const filters = [{ columnName, condition: 'eq', value }];
		const filter = encodeURIComponent(JSON.stringify({ type: 'and', filters }));
		await this.rest.delete(`${dataTablePath(table)}/rows?filter=${filter}`);
	}

	private async executionBehind(
		workflow: Pick<StoredWorkflow, 'id'>,
		trigger: string,
		call: string,
	): Promise<Execution> {
		return await until('the execution to be stored', EXECUTION_DEADLINE_MS, async () => {
			const known = this.executionOfCall.get(call);
			if (known !== undefined) return await this.getExecution(known);
			for (const summary of await this.listExecutions(workflow)) {
				if (!isFinished(summary) || this.lookedInto.has(summary.id)) continue;
				const execution = await this.getExecution(summary.id);
				this.lookedInto.add(summary.id);
				const found = callOf(execution, trigger);
				if (found !== undefined) this.executionOfCall.set(found, summary.id);
				if (found === call) return execution;
			}
			return undefined;
		});
	}
}

/** A worker of a queue: it runs what a main hands out. */
export class Worker {
	private constructor(
		private readonly process: N8nProcess,
		private readonly userFolder: string,
		private readonly isTemporary: boolean,
	) {}

	static async start(options: N8nOptions = {}): Promise<Worker> {
		const { userFolder, child } = await prepare('worker', options);
		const worker = new Worker(child, userFolder, options.userFolder === undefined);
		await child.start();
		return worker;
	}

	logs(): string {
		return this.process.logs();
	}

	/** The executions that this worker has begun, in that order. */
	startedExecutions(): string[] {
		return [...this.logs().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
	}

	async kill9(): Promise<void> {
		await this.process.kill9();
	}

	async restart(): Promise<void> {
		await this.process.stop();
		await this.process.start();
	}

	async stop(): Promise<void> {
		await this.process.stop();
		if (this.isTemporary) rmSync(this.userFolder, { recursive: true, force: true });
	}
}

/** A process of n8n, not started yet, and its folder with the package in it. */
async function prepare(role: Role, options: N8nOptions) {
	const userFolder = options.userFolder ?? mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
	mkdirSync(userFolder, { recursive: true });
	if (options.tarball !== null) installPackage(userFolder, options.tarball ?? defaultTarball());
	const child = new N8nProcess({
		role,
		n8nModules: options.n8nModules ?? DEFAULT_N8N,
		userFolder,
		port: options.port ?? (await freePort()),
		env: options.env ?? {},
		logFile: options.logFile,
	});
	return { userFolder, child };
}

/** n8n goes by the id only if it is given both ends. PostgreSQL keeps it in 32 bits. */
const FROM_NEWEST_ID = `&firstId=0&lastId=${2 ** 31 - 1}`;

interface ExecutionPage {
	results: ExecutionSummary[];
	/** Absent where n8n pages by ids. */
	nextCursor?: string | null;
}

/** Where the next page begins, as parameters of the request for it; null when there is none. */
function nextPosition({ results, nextCursor }: ExecutionPage): string | null {
	if (nextCursor !== undefined)
		return nextCursor === null ? null : `&cursor=${encodeURIComponent(nextCursor)}`;
	const oldest = results.at(-1);
	return oldest ? `&firstId=0&lastId=${oldest.id}` : null;
}

function callOf(execution: Execution, trigger: string): string | undefined {
	const query = execution.json(trigger)[0]?.query;
	return (query as { call?: string } | undefined)?.call;
}

function itemsOf(status: number, text: string): Array<Record<string, unknown>> {
	const body: unknown = status === 200 ? JSON.parse(text) : undefined;
	if (!Array.isArray(body)) throw new Error(`The webhook answered ${status}: ${text}`);
	return body as Array<Record<string, unknown>>;
}
