import type {
	CloseFunction,
	IDataObject,
	IHttpRequestOptions,
	INodeExecutionData,
	IPollFunctions,
	IRun,
	ITriggerFunctions,
} from 'n8n-workflow';

import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import type { LeadType } from '../../../service/leads/leads';
import type { Deferred } from '../deferred';
import { createDeferredPromise } from '../deferred';
import { workflowNode } from '../workflowNode';
import type { Agenda } from './agenda';
import type { Ledger } from './ledger';
import type { ModelService } from './leadsModel';
import { nameOf, targetOf } from './leadsModel';
import { codeOfProcess } from './packageCode';

/** What n8n keeps of a process and of the database. */
export interface HostKind {
	/** A context and a copy of the stored state for each poll; what a poll has written is stored by itself. */
	isDurable: boolean;
	/** Whether the state that a quiet activation wrote is stored; never on durable hosts. */
	storesActivation: boolean;
	/** Runs are carried out by queue workers. */
	isQueue: boolean;
}

const DEFAULT = { isDurable: false, storesActivation: false, isQueue: false };

export const HOSTS: Array<{ name: string; kind: HostKind }> = [
	{ name: 'keeps a context', kind: DEFAULT },
	{
		name: 'stores the activation and has queue workers',
		kind: { ...DEFAULT, storesActivation: true, isQueue: true },
	},
	{ name: 'has durable cursors', kind: { ...DEFAULT, isDurable: true } },
];

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

/** How a run ends by itself, or by a person. */
type Ending = 'success' | 'waiting' | 'error' | 'stopped' | 'timeout';

/** Of each run of the workflow, how long it takes and how it ends. */
export interface RunPlan {
	ms: number;
	ends: Ending;
}

/** How n8n says what became of a run; it has none if it knew the key. */
export type Done = Deferred<IRun | undefined>;

/** A row of n8n's table of executions: a lead's part of it. */
export interface Execution {
	key: string;
	lead: string;
	attempt: number;
	process: ModelProcess;
	/** `new`: it waits for a free slot; `crashed`: lost with its process or its queue worker; `barred`: not begun. */
	status: 'new' | 'running' | 'crashed' | 'barred' | Ending;
	endedAt: number;
	/** Whether n8n has stored progress since the run has ended. */
	isEndSaved: boolean;
	/** Whether n8n said that it may not be stored. */
	isUntold: boolean;
	/** Whether the next process of n8n has taken it over from the one that it waited in. */
	isResumed: boolean;
	done?: Done;
}

/** What a poll came to. */
export interface PollOutcome {
	/** Names of the leads that it handed over; undefined where the poll failed as a whole. */
	names?: string[];
	/** Whether what it wrote outlives the process. */
	isStored: boolean;
}

/** A process of n8n in which the workflow is published, or to be. */
interface ModelProcess {
	code: Awaited<ReturnType<typeof codeOfProcess>>['code'];
	number: number;
	isAlive: boolean;
	isStopping: boolean;
	isPolling: boolean;
	/** What n8n keeps in memory of the node's state. */
	state: IDataObject;
	/** The newest one, or the last: they come one after the other. */
	publication: Promise<unknown>;
	/** The context of the published workflow. */
	context?: IPollFunctions;
	close?: CloseFunction | undefined;
}

/** What a host needs to know of the world around it. */
export interface Surroundings {
	service: ModelService;
	agenda: Agenda;
	ledger: Ledger;
	settings: () => Settings;
	/** How many runs at once a process carries out. */
	slots: number;
	plan: RunPlan[];
	/** How long n8n takes to store a run. */
	insertMs: () => number;
	takeFault: (...kinds: Fault[]) => Fault | undefined;
}

/** A stand-in has as much of n8n's as is asked for. */
export type IsPartOf<T> = { [K in keyof T]?: unknown };

const NODE = workflowNode({
	name: 'Agent Leads Trigger',
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
});

const UNLIMITED_BUDGET_MS = 300_000;
const TICK_BUDGET_MS = 36_000;

/** n8n with one workflow that begins with Agent Leads Trigger: its database, and its process of the moment. */
export class ModelHost {
	readonly rows: Execution[] = [];

	/** How many runs n8n refused, since it knew the key. */
	refused = 0;

	/** What n8n has stored of the node. */
	private stored: IDataObject = {};

	private process?: ModelProcess | undefined;

	private runs = 0;

	constructor(
		readonly kind: HostKind,
		private readonly world: Surroundings,
	) {}

	get isPublished(): boolean {
		return this.process?.context !== undefined;
	}

	/** A poll by the schedule, or the publication of the workflow. */
	async poll(): Promise<PollOutcome> {
		const { process } = this;
		if (!process?.context) return await this.publish();
		if (!this.kind.isDurable) {
			return await this.run(process, process.context, process.state, false);
		}
		if (process.isPolling) return { isStored: false };
		process.isPolling = true;
		const state = structuredClone(this.stored);
		const context = this.pollContext(process, state, TICK_BUDGET_MS);
		const outcome = await this.run(process, context, state, true);
		process.isPolling = false;
		return outcome;
	}

	/** Publishes the workflow, or publishes it again, once the publication before is over. */
	async publish(): Promise<PollOutcome> {
		const process = (this.process ??= await this.start());
		const outcome = process.publication.then(async () => await this.publishNow(process));
		process.publication = outcome;
		return await outcome;
	}

	private async publishNow(process: ModelProcess): Promise<PollOutcome> {
		const { isDurable, storesActivation } = this.kind;
		await this.unpublish(process);
		if (!process.isAlive || process.isStopping) return { isStored: false };
		const state = (process.state = structuredClone(this.stored));
		const trigger = this.triggerContext(process, state);
		({ closeFunction: process.close } = process.code.beginRuns(trigger));
		const context = this.pollContext(process, state, UNLIMITED_BUDGET_MS);
		const outcome = await this.run(process, context, state, storesActivation && !isDurable);
		if (outcome.names) process.context = context;
		else await this.unpublish(process);
		return outcome;
	}

	/** Ends the process in good order; n8n polls no more, and goes on to wait for runs. */
	async stop(): Promise<void> {
		if (!this.process) return;
		this.process.isStopping = true;
		await this.unpublish(this.process);
	}

	/** Ends the process at once, as `kill -9` does. @returns whether a run was under way or waited in it, if there is one */
	kill(): boolean | undefined {
		const { process } = this;
		if (!process) return undefined;
		process.isAlive = false;
		delete this.process;
		const open = this.rows.filter((row) => row.process === process && !isOver(row));
		if (this.kind.isQueue) return open.length > 0;
		for (const row of open) this.end(row, 'crashed');
		return open.length > 0;
	}

	/** A person stops the oldest run, or the queue workers are killed. */
	endRuns(ends: 'stopped' | 'crashed'): void {
		const running = this.rows.filter(({ status }) => status === 'running');
		if (ends === 'stopped') running.splice(1);
		else if (!this.kind.isQueue) return;
		for (const row of running) this.end(row, ends);
	}

	private async start(): Promise<ModelProcess> {
		const flags = { isAlive: true, isStopping: false, isPolling: false };
		const publication = Promise.resolve();
		const process = { ...(await codeOfProcess()), ...flags, publication, state: {} };
		for (const row of this.rows) {
			if (row.status !== 'new' || row.process.isAlive) continue;
			delete row.done;
			Object.assign(row, { process, isResumed: true });
		}
		this.fill();
		return process;
	}

	private async unpublish(process: ModelProcess): Promise<void> {
		const { close } = process;
		delete process.context;
		delete process.close;
		await close?.();
	}

	private async run(
		process: ModelProcess,
		context: IPollFunctions,
		state: IDataObject,
		isQuietStored: boolean,
	): Promise<PollOutcome> {
		const { settings, takeFault } = this.world;
		const isPerPoll = settings().runs === 'onePerPoll';
		const before = isPerPoll ? JSON.stringify(state) : '';
		const start = this.world.service.now;
		const poll = process.code.pollLeads(context, settings());
		const [outcome] = await Promise.allSettled([poll]);
		if (!process.isAlive) return { isStored: false };
		if (outcome.status === 'rejected') {
			if (isOfTheTests(outcome.reason)) throw outcome.reason;
			if (isPerPoll && JSON.stringify(state) !== before)
				throw new Error('A failed poll has written');
			return { isStored: false };
		}
		const items = outcome.value?.[0] ?? [];
		const isStored = (items.length > 0 || isQuietStored) && (isPerPoll || !takeFault('commit'));
		if (isStored) this.save(process, state, start);
		for (const { json } of items) {
			const row = this.rowOf(process, { key: '', lead: nameOf(json), attempt: 1 });
			this.rows.push(Object.assign(row, { status: 'success' as const, endedAt: 0 }));
			this.world.ledger.noteStarted(row, this.rows);
		}
		return { names: items.map(({ json }) => nameOf(json)), isStored };
	}

	/** @param writtenAt the process has written what it knew to have ended before */
	private save(process: ModelProcess, state: IDataObject, writtenAt: number): void {
		this.stored = structuredClone(state);
		for (const row of this.rows) {
			if (row.process === process && isOver(row)) row.isEndSaved ||= row.endedAt < writtenAt;
		}
	}

	private pollContext(process: ModelProcess, state: IDataObject, budgetMs: number): IPollFunctions {
		const { service, ledger, takeFault } = this.world;
		const start = service.now;
		const commit = async () => {
			if (!process.isAlive) return await new Promise<never>(() => {});
			if (!this.kind.isDurable) return;
			if (takeFault('commit')) throw new Error(LOCKED);
			this.save(process, state, start);
		};
		const context: IsPartOf<IPollFunctions> = {
			...this.contextPart(process),
			getActivationMode: () => 'activate',
			getWorkflowStaticData: () => state,
			getTimezone: () => 'Europe/London',
			getCredentials: async () => await Promise.resolve(credentialsOf(process)),
			getPollBudgetMs: () => budgetMs,
			logger: { info: () => {}, warn: () => {} },
			__commitCursor: commit,
			__emitError: ({ message }: Error) => process.isAlive && ledger.noteReported(message),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await answerOf(service, options),
			},
		};
		return context as unknown as IPollFunctions;
	}

	private triggerContext(process: ModelProcess, state: IDataObject): ITriggerFunctions {
		const context: IsPartOf<ITriggerFunctions> = {
			...this.contextPart(process),
			emit: (data: INodeExecutionData[][], _response: unknown, done: Done, key: string) => {
				if (process.isAlive) this.emit(process, state, { item: data.flat()[0], done, key });
			},
			helpers: { createDeferredPromise },
		};
		return context as unknown as ITriggerFunctions;
	}

	/** The package knows a process by the workflow's ID; n8n knows one workflow. */
	private contextPart({ number }: ModelProcess) {
		return {
			getNode: () => NODE,
			getWorkflow: () => ({ id: `workflow-${number}`, active: true }),
		};
	}

	/** n8n stores the node's state at once, and the run a little later. */
	private emit(process: ModelProcess, state: IDataObject, emitted: Emitted): void {
		const { service, agenda, ledger, insertMs, takeFault } = this.world;
		const { item, done } = emitted;
		if (!this.kind.isDurable) this.save(process, state, service.now);
		const fault = item && takeFault('before', 'after', 'barred');
		if (item) ledger.noteEmitted(process.number, done.promise);
		agenda.in(insertMs(), () => {
			if (!process.isAlive) return;
			if (fault === 'before') done.reject(new Error(LOCKED));
			else this.insert(process, emitted, fault);
		});
	}

	private insert(process: ModelProcess, { item, done, key: given }: Emitted, fault?: Fault): void {
		const key = given.replace(`workflow-${process.number}:`, 'workflow:');
		const known = this.rows.find((row) => row.key === key);
		if (!item) return done.resolve(known ? undefined : this.runOf('success'));
		const isUntold = fault === 'after';
		if (isUntold) done.reject(new Error('The execution is not found'));
		if (known && known.status !== 'new') {
			this.refused++;
			return isUntold ? undefined : done.resolve(undefined);
		}
		// n8n replaces a run that has not begun.
		if (known) this.rows.splice(this.rows.indexOf(known), 1);
		const { attempt = 1 } = item.json;
		const named = { key, lead: nameOf(item.json), attempt: Number(attempt) };
		const row = { ...this.rowOf(process, named), done, isUntold };
		this.rows.push(row);
		if (fault === 'barred') return this.bar(row);
		this.world.ledger.noteStarted(row, this.rows);
		this.fill();
	}

	private rowOf(
		process: ModelProcess,
		row: Pick<Execution, 'key' | 'lead' | 'attempt'>,
	): Execution {
		const flags = { isEndSaved: false, isUntold: false, isResumed: false };
		return { ...row, ...flags, process, status: 'new', endedAt: Infinity };
	}

	/** Starts what waits, as far as there are free slots. */
	private fill(): void {
		const { agenda, slots, plan } = this.world;
		for (const row of this.rows) {
			if (row.status !== 'new' || (!row.process.isAlive && !this.kind.isQueue)) continue;
			const isBeside = (each: Execution) =>
				each.status === 'running' && each.process === row.process;
			if (this.rows.filter(isBeside).length >= slots) continue;
			row.status = 'running';
			const { ms, ends } = plan[this.runs++ % plan.length] ?? { ms: 0, ends: 'success' };
			agenda.in(ms, () => this.end(row, ends));
		}
	}

	private end(row: Execution, ends: Execution['status']): void {
		if (row.status !== 'running') return;
		row.status = ends;
		row.endedAt = this.world.service.now;
		if (row.process.isAlive) this.settle(row, ends);
		this.fill();
	}

	/** It is listed as failed, and has begun nothing. */
	private bar(row: Execution): void {
		row.status = 'barred';
		row.endedAt = this.world.service.now;
		if (!this.kind.isQueue) return row.done?.reject(new Error('No active execution found'));
		const error = { message: "The 'Target' node has issues:\n- Its credential is missing" };
		const run = { status: 'error', data: { resultData: { runData: {}, error } } };
		row.done?.resolve(run as unknown as IRun);
	}

	/** Says what became of a run as n8n says it. */
	private settle({ done, isUntold }: Execution, ends: Execution['status']): void {
		if (!done || isUntold) return;
		const isCancelled = ends === 'stopped' || ends === 'timeout';
		if (isCancelled && !this.kind.isQueue) {
			const reason = ends === 'stopped' ? 'manual' : 'timeout';
			return done.reject(Object.assign(new Error('The execution was cancelled'), { reason }));
		}
		const message = ends === 'timeout' ? 'The execution was cancelled because it timed out' : 'No';
		const isFailed = ends === 'error' || isCancelled;
		done.resolve(this.runOf(isCancelled ? 'canceled' : ends, isFailed ? message : undefined));
	}

	private runOf(status: string, message?: string): IRun {
		const resultData = { runData: {}, ...(message !== undefined && { error: { message } }) };
		const run = { status, data: { resultData }, ...(this.kind.isQueue && { jobId: '1' }) };
		return run as unknown as IRun;
	}
}

interface Emitted {
	/** Unset if no run is wanted. */
	item: INodeExecutionData | undefined;
	done: Done;
	key: string;
}

export function isOver({ status }: Pick<Execution, 'status'>): boolean {
	return status !== 'new' && status !== 'running';
}

/** An error of n8n's own, such as a domain that its rules forbid. */
const CRASH = 'Forbidden by the host';
const LOCKED = 'The database is locked';

/** What is not an error of the trigger's is one of these tests. */
function isOfTheTests(error: unknown): boolean {
	const isPlain = error instanceof Error && error.name === 'Error';
	return isPlain && ![CRASH, LOCKED].includes(error.message);
}

/** What the model of the service answers to a request. */
async function answerOf(
	service: ModelService,
	{ url, qs = {} }: IHttpRequestOptions,
): Promise<IDataObject> {
	const leadType: LeadType = url.endsWith('/applicant-leads') ? 'applicant' : 'appraisal';
	const branch = qs['branch-id'] as string | undefined;
	const window = { from: timeOf(qs['from-time']), to: timeOf(qs['to-time']) };
	const { leads, date, mishap, retryAfter } = service.answer(targetOf(leadType, branch), window);
	if (mishap === 'crash') throw new Error(CRASH);
	if (mishap === 'lost') throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
	const headers = {
		...(date && { date }),
		...(mishap === 429 && retryAfter && { 'retry-after': String(retryAfter) }),
	};
	const body = mishap ? { errors: [{ message: 'No' }] } : { [`${leadType}s`]: leads };
	return await Promise.resolve({ statusCode: mishap ?? 200, headers, body });
}

/** @returns undefined where the request names no time */
function timeOf(value: unknown): number | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) {
		throw new Error(`Not a time in the service's form: ${JSON.stringify(value)}`);
	}
	return Date.parse(value);
}

/** No process knows what the service has refused the ones before. */
function credentialsOf({ number }: ModelProcess) {
	const pair = {
		clientId: `client-${number}`,
		clientSecret: 'secret-1',
		authUrl: 'https://auth.example.com',
		leadsUrl: 'https://leads.example.com',
	};
	return {
		...pair,
		accessToken: 'token-1',
		tokenFingerprint: LEADS_INTEGRATION.grant(pair).fingerprint,
		tokenExpiresAt: Date.UTC(2100, 0),
	};
}
