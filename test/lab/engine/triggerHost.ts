import { PollContext, TriggerContext } from 'n8n-core';
import cloneDeep from 'lodash/cloneDeep';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
	NodeApiError,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { publishedNode } from './engine';
import { ExecutionsTable } from './executions';
import type { Bench } from './bench';

/** A trigger that polls, and may start runs by itself. */
export interface PollingTrigger extends INodeType {
	trigger(this: ITriggerFunctions): Promise<ITriggerResponse>;
	poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null>;
}

export interface HostOptions {
	/** n8n with durable cursors: a context for each poll, and a snapshot that counts if it returns. */
	isDurable?: boolean;
	/** Null: a host without `getPollBudgetMs`. */
	budgetMs?: number | null;
	/** Whether the node is lent what starts runs when it is published: they are in `executions` then. */
	startsTriggers?: boolean;
	/** What is stored already: by a process before this one. */
	saved?: IDataObject;
	executions?: ExecutionsTable;
	/** Of a workflow that another process had before. */
	workflowId?: string;
}

const DURABLE_BUDGET_MS = 36_000;
const UNLIMITED_BUDGET_MS = 300_000;

let workflows = 0;

/**
 * Stands for the part of n8n's server that keeps a trigger's state and hands its items on; the
 * context is n8n-core's own. The tests in a real n8n use the real server.
 */
export class TriggerHost {
	/** What is stored of the node: in memory where n8n keeps it in the workflow. */
	state: IDataObject = {};

	/** Errors that were reported as failed executions. */
	readonly reported: Error[] = [];

	/** The runs that were started one by one. */
	readonly executions: ExecutionsTable;

	/** What is in n8n's database, beside the state in memory. */
	saved: IDataObject;

	readonly id: string;

	readonly processId: string;

	/** Whether the process goes on; nothing of a killed one reaches n8n. */
	isAlive = true;

	private close?: () => Promise<void>;

	/** The context of an active workflow, where the host keeps one. */
	private active?: PollContext;

	constructor(
		private readonly bench: Pick<Bench, 'credentials'>,
		private readonly node: PollingTrigger,
		readonly parameters: INodeParameters,
		private readonly options: HostOptions,
	) {
		this.executions = options.executions ?? new ExecutionsTable();
		this.saved = options.saved ?? {};
		this.state = cloneDeep(this.saved);
		this.id = options.workflowId ?? `workflow-${++workflows}`;
		// The package knows a process by the ID of its workflow.
		this.processId = options.workflowId ? `workflow-${++workflows}` : this.id;
	}

	/** What a process that comes after this one finds, if this one is killed now. */
	get remains(): HostOptions {
		const { options, executions, state, saved, id: workflowId } = this;
		return {
			...options,
			executions,
			workflowId,
			saved: cloneDeep(options.isDurable ? state : saved),
		};
	}

	/** Ends the process at once, as `kill -9` does. @returns what the one after it finds */
	kill(): HostOptions {
		this.isAlive = false;
		for (const run of this.executions.open) run.result = 'crashed';
		const { remains } = this;
		// Its loops end; nothing that they do has an effect any more.
		void this.close?.();
		return remains;
	}

	/** n8n stores the node's state, as it does with items and with each run. Durable cursors are stored by polls alone. */
	store(state = this.state): void {
		if (this.options.isDurable) return;
		this.saved = cloneDeep(state);
		this.executions.noteStored(this.processId);
	}

	/** Unpublishes the workflow; what is stored is what it goes on from. */
	async unpublish(): Promise<void> {
		await this.close?.();
		delete this.close;
		delete this.active;
		if (!this.options.isDurable) this.state = cloneDeep(this.saved);
	}

	/** n8n lends the node what starts runs, as it does before the first poll. */
	async lend(emit: ITriggerFunctions['emit']): Promise<void> {
		const { workflow, node, additionalData } = this.surroundings();
		const { closeFunction } = await this.node.trigger.call(
			new TriggerContext(workflow, node, additionalData, 'trigger', 'activate', emit),
		);
		this.close = closeFunction;
	}

	/** The poll at activation; it throws what n8n would show. */
	async activate(mode: WorkflowActivateMode = 'activate'): Promise<IDataObject[]> {
		if (this.options.startsTriggers) await this.startTrigger();
		const { isDurable } = this.options;
		const snapshot = isDurable ? cloneDeep(this.state) : this.state;
		const commit = () => this.commit(snapshot);
		const context = this.context('trigger', mode, () => snapshot, this.unlimited, commit);
		this.active = context;
		const items = await this.node.poll.call(context);
		// n8n commits what an activation wrote only together with items.
		if (items) this.state = snapshot;
		// The default scheduler stores it in any case.
		if (!isDurable) this.saved = cloneDeep(this.state);
		return jsonOf(items);
	}

	/** A poll by the schedule. */
	async tick(): Promise<IDataObject[]> {
		if (!this.options.isDurable) {
			if (!this.active) throw new Error('The workflow is not active');
			return jsonOf(await this.node.poll.call(this.active));
		}
		const snapshot = cloneDeep(this.state);
		const budgetMs = this.options.budgetMs ?? DURABLE_BUDGET_MS;
		const commit = () => this.commit(snapshot);
		const context = this.context('trigger', 'update', () => snapshot, budgetMs, commit);
		const items = await this.node.poll.call(context);
		this.state = snapshot;
		return jsonOf(items);
	}

	/** A manual test in the editor. */
	async test(): Promise<IDataObject[]> {
		const context = this.context('manual', 'manual', () => this.state, UNLIMITED_BUDGET_MS);
		return jsonOf(await this.node.poll.call(context));
	}

	async failure(run: Promise<unknown>): Promise<NodeApiError & { failure?: IDataObject }> {
		const [outcome] = await Promise.allSettled([run]);
		if (outcome.status === 'rejected') return outcome.reason as NodeApiError;
		throw new Error(`Did not fail: ${JSON.stringify(outcome.value)}`);
	}

	/** n8n's log, which all of its contexts share. */
	get logger(): PollContext['logger'] {
		return this.context('manual', 'manual', () => ({}), UNLIMITED_BUDGET_MS).logger;
	}

	private get unlimited(): number | null {
		const { isDurable, budgetMs } = this.options;
		return isDurable || budgetMs === undefined ? UNLIMITED_BUDGET_MS : budgetMs;
	}

	private context(
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
		state: () => IDataObject,
		budgetMs: number | null,
		commit: () => void = () => {},
	): PollContext {
		const { workflow, node, additionalData } = this.surroundings();
		const context = new PollContext(
			workflow,
			node,
			additionalData,
			mode,
			activation,
			undefined,
			(error) => this.isAlive && this.reported.push(error),
			async () => await Promise.resolve(this.options.isDurable ? commit() : undefined),
			undefined,
			state,
			() => budgetMs ?? 0,
		);
		if (budgetMs === null) Object.assign(context, { getPollBudgetMs: undefined });
		return context;
	}

	private commit(snapshot: IDataObject): void {
		if (!this.isAlive) return;
		this.state = cloneDeep(snapshot);
		this.executions.noteStored(this.processId);
	}

	/** What starts runs fills this host's table of executions. */
	private async startTrigger(): Promise<void> {
		await this.close?.();
		const { state, processId } = this;
		const isAlive = () => this.isAlive;
		const emit = this.executions.emitOn({ processId, isAlive, store: () => this.store(state) });
		await this.lend((data, response, done, key) =>
			emit(data, response, done, key?.replace(this.processId, this.id)),
		);
	}

	private surroundings() {
		const { processId: workflowId, node, parameters } = this;
		const { credentials } = this.bench;
		const named = { id: 'trigger', name: node.description.displayName, parameters };
		return publishedNode(node, named, { workflowId, credentials });
	}
}

function jsonOf(items: INodeExecutionData[][] | null): IDataObject[] {
	if (items && items.flat().length === 0) throw new Error('An empty execution was started');
	return (items ?? []).flat().map(({ json }) => json);
}
