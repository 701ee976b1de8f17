import type {
	CloseFunction,
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	IPollFunctions,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Settings } from '../../../../nodes/AgentLeadsTrigger/settings';
import { answerOf, credentialsOf } from '../hostedTrigger';
import type { IsPartOf } from '../hostedTrigger';
import type { ModelService } from '../leadsModel';
import { nameOf } from '../leadsModel';
import type { Agenda } from './agenda';
import type { Database, Done } from './database';
import { createDeferredPromise } from '../../deferred';
import { emptyRunOn } from './database';
import type { PackageCode } from './packageCode';
import type { RunsLedger } from './runsLedger';

const TICK_BUDGET_MS = 36_000;

/** What goes wrong with what n8n is asked to store next. */
export type Fault =
	/** No run is stored. */
	| 'before'
	/** A run is stored, and n8n says that it is not. */
	| 'after'
	/** A run is listed as failed, without its lead, before it has begun. */
	| 'barred'
	/** The progress of a poll is not stored. */
	| 'commit';

/** What the processes of n8n share. */
export interface RunsWorld {
	service: ModelService;
	agenda: Agenda;
	database: Database;
	ledger: RunsLedger;
	settings: () => Settings;
	/** How long n8n takes to store a run. */
	insertMs: () => number;
	takeFault: (kinds: Fault[]) => Fault | undefined;
}

/** A trigger of the workflow, in a process. */
interface Published {
	context: IPollFunctions;
	close?: CloseFunction;
}

/** A process of n8n in which the workflow is published. */
export class ModelProcess {
	isAlive = true;

	/** Whether n8n is being stopped: it publishes nothing more. */
	private isStopping = false;

	/** The newest one, or the last. */
	private publication = Promise.resolve();

	/** Of each node. */
	private published = new Map<string, Published>();

	/** Nodes with a poll under way. */
	private readonly polling = new Set<string>();

	/** Whether the workflow is published. */
	private isActive = false;

	/** What n8n keeps in memory of the nodes' state. */
	private state: Record<string, IDataObject>;

	constructor(
		private readonly world: RunsWorld,
		private readonly code: PackageCode,
		private readonly nodes: string[],
		/** The package knows a process by it; n8n knows one workflow. */
		readonly workflowId: string,
	) {
		this.state = structuredClone(world.database.saved);
		world.database.takeOver(this);
	}

	/** A poll of each trigger, as by the schedule; the first one publishes the workflow. */
	poll(): void {
		if (!this.isActive) this.publish();
		else for (const node of this.nodes) this.tick(node);
	}

	/** Publishes the workflow, or publishes it again, once the publication before is over. */
	publish(): void {
		this.publication = this.publication.then(async () => await this.publishNow());
	}

	/** Its workflow is unpublished. */
	async close(): Promise<void> {
		this.isActive = false;
		const open = [...this.published.values()];
		this.published = new Map();
		for (const { close } of open) await close?.();
	}

	/** Begins to end it in good order. */
	async stop(): Promise<void> {
		this.isStopping = true;
		await this.close();
	}

	/** Ends it at once, as `kill -9` does. */
	kill(): void {
		this.isAlive = false;
		this.world.database.lose(this);
	}

	private async publishNow(): Promise<void> {
		await this.close();
		if (!this.isAlive || this.isStopping) return;
		this.state = structuredClone(this.world.database.saved);
		for (const node of this.nodes) this.open(node);
		try {
			for (const node of this.nodes) await this.activate(node);
			this.isActive = true;
		} catch {
			await this.close();
		}
	}

	/** How many leads it holds in memory, and how many attempts its progress names. */
	get held(): number[] {
		return this.nodes.flatMap((node) => {
			const { tracker } = this.code.memoryOfNode(this.contextOf(node, {})).runs ?? {};
			return tracker ? [tracker.queue.waitingCount, Object.keys(tracker.queue.stored).length] : [];
		});
	}

	private open(node: string): void {
		const context = this.contextOf(node, this.stateOf(node));
		const { closeFunction: close } = this.code.beginRuns(this.triggerContextOf(node));
		this.published.set(node, { context, ...(close && { close }) });
	}

	private async activate(node: string): Promise<void> {
		const { context } = this.published.get(node) ?? {};
		if (context) await this.code.pollLeads(context, this.world.settings());
	}

	private tick(node: string): void {
		const { isDurable } = this.world.database.host;
		if (isDurable && this.polling.has(node)) return;
		const state = isDurable ? this.stateOf(node) : undefined;
		const context = state
			? this.contextOf(node, state, TICK_BUDGET_MS)
			: this.published.get(node)?.context;
		if (!context) return;
		this.polling.add(node);
		void this.code
			.pollLeads(context, this.world.settings())
			.then(() => state && this.commit(node, state))
			.catch(() => {})
			.finally(() => this.polling.delete(node));
	}

	private stateOf(node: string): IDataObject {
		const { saved, host } = this.world.database;
		if (host.isDurable) return structuredClone(saved[node] ?? {});
		return (this.state[node] ??= {});
	}

	private async commit(node: string, state: IDataObject): Promise<void> {
		const { database, ledger, takeFault } = this.world;
		if (!database.host.isDurable) return;
		if (!this.isAlive) return await new Promise(() => {});
		if (takeFault(['commit'])) throw new Error('The database is locked');
		database.saved = { ...database.saved, [node]: structuredClone(state) };
		ledger.noteSaved();
	}

	private contextOf(node: string, state: IDataObject, budgetMs = 300_000): IPollFunctions {
		const { service, ledger } = this.world;
		const context: IsPartOf<IPollFunctions> = {
			getNode: () => nodeOf(node),
			getWorkflow: () => ({ id: this.workflowId, active: true }),
			getActivationMode: () => 'activate',
			getWorkflowStaticData: () => state,
			getTimezone: () => 'Europe/London',
			getCredentials: async () => await Promise.resolve(credentialsOf('client-1')),
			getPollBudgetMs: () => budgetMs,
			logger: { info: () => {}, warn: () => {} },
			__commitCursor: async () => await this.commit(node, state),
			__emitError: ({ message }: Error) => this.isAlive && ledger.noteTold(message),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await answerOf(service, options),
			},
		};
		return context as unknown as IPollFunctions;
	}

	private triggerContextOf(node: string): ITriggerFunctions {
		const context: IsPartOf<ITriggerFunctions> = {
			getNode: () => nodeOf(node),
			getWorkflow: () => ({ id: this.workflowId, active: true }),
			emit: (data: INodeExecutionData[][], _response: unknown, done: Done, key: string) =>
				this.emit(node, data.flat(), done, key),
			helpers: { createDeferredPromise },
		};
		return context as unknown as ITriggerFunctions;
	}

	/** n8n stores the nodes' state at once, and the run a little later. */
	private emit(node: string, items: INodeExecutionData[], done: Done, ofProcess: string): void {
		if (!this.isAlive) return;
		const { agenda, database, ledger, insertMs, takeFault } = this.world;
		const key = ofProcess.replace(this.workflowId, 'workflow');
		if (!database.host.isDurable) {
			database.saved = structuredClone(this.state);
			ledger.noteSaved();
		}
		const [item] = items;
		const fault = item && takeFault(['before', 'after', 'barred']);
		if (item) ledger.noteEmitted(this, node, done);
		agenda.in(insertMs(), () => {
			if (!this.isAlive) return;
			if (fault === 'before') done.reject(new Error('The database is locked'));
			else this.insert({ node, item, done, key, fault });
		});
	}

	private insert({ node, item, done, key, fault }: Emitted): void {
		const { database, ledger } = this.world;
		if (!item) {
			const isKnown = database.rows.some((row) => row.key === key);
			done.resolve(isKnown ? undefined : emptyRunOn(database.host));
			return;
		}
		const { attempt = 1 } = item.json;
		const row = { node, key, lead: nameOf(item.json), attempt: Number(attempt) };
		const isUntold = fault === 'after';
		const execution = database.insert({ ...row, process: this, done, isUntold });
		if (execution && fault === 'barred') return database.bar(execution);
		if (!execution) ledger.refused++;
		if (execution) ledger.noteStarted(execution);
		else if (!isUntold) done.resolve(undefined);
		if (isUntold) done.reject(new Error('The execution is not found'));
		database.fill();
	}
}

interface Emitted {
	node: string;
	/** Unset if no run is wanted. */
	item?: INodeExecutionData;
	done: Done;
	key: string;
	fault: Fault | undefined;
}

function nodeOf(id: string): INode {
	const type = 'n8n-nodes-agent-integration.agentLeadsTrigger';
	return { id, name: id, type, typeVersion: 1, position: [0, 0], parameters: {} };
}
