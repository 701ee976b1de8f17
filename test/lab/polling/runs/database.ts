import type { IDataObject, IRun } from 'n8n-workflow';

import type { Deferred } from '../../deferred';
import type { Agenda } from './agenda';
import type { ModelProcess } from './process';

/** How n8n says what became of a run; it has none if it knew the key. */
export type Done = Deferred<IRun | undefined>;

/** How a run ends by itself, or by a person. */
export type Ending = 'success' | 'waiting' | 'error' | 'stopped' | 'timeout';

/** Of each run of the workflow, how long it takes and how it ends. */
export interface RunPlan {
	ms: number;
	ends: Ending;
}

/** A row of n8n's table of executions. */
export interface Execution {
	key: string;
	lead: string;
	attempt: number;
	/** The trigger that started it. */
	node: string;
	process: ModelProcess;
	/** `new`: it waits for a free slot; `crashed`: lost with its process or its queue worker; `barred`: not begun. */
	status: 'new' | 'running' | 'crashed' | 'barred' | Ending;
	startedAt: number;
	endedAt: number;
	/** Whether n8n stores that the lead has ended. */
	isEndSaved: boolean;
	/** Whether n8n said that it may not be stored. */
	isUntold: boolean;
	/** Whether the next process of n8n has taken it over from the one that it waited in. */
	isResumed: boolean;
	done?: Done;
}

/** What n8n can do. */
export interface RunsHost {
	/** Progress is kept for each poll by itself. */
	isDurable: boolean;
	/** Runs are carried out by queue workers. */
	isQueue: boolean;
	/** How many runs at once a process carries out. */
	slots: number;
}

/** n8n's database, which its processes share, and the runs of the workflow. */
export class Database {
	readonly rows: Execution[] = [];

	/** The stored state of each node. */
	saved: Record<string, IDataObject> = {};

	private runs = 0;

	constructor(
		readonly host: RunsHost,
		private readonly agenda: Agenda,
		private readonly plan: RunPlan[],
		private readonly now: () => number,
	) {}

	/** @returns undefined if the key is known */
	insert(
		row: Pick<Execution, 'key' | 'lead' | 'attempt' | 'node' | 'process' | 'done' | 'isUntold'>,
	): Execution | undefined {
		const known = this.rows.find(({ key }) => key === row.key);
		if (known) {
			if (known.status !== 'new') return undefined;
			this.rows.splice(this.rows.indexOf(known), 1);
		}
		const times = { startedAt: Infinity, endedAt: Infinity };
		const flags = { isEndSaved: false, isResumed: false };
		const execution: Execution = { ...row, ...times, ...flags, status: 'new' };
		this.rows.push(execution);
		return execution;
	}

	/** Starts what waits, as far as there are free slots. */
	fill(): void {
		const { slots, isQueue } = this.host;
		for (const row of this.rows) {
			const isRunning = (each: Execution) =>
				each.status === 'running' && each.process === row.process;
			if (row.status !== 'new' || (!row.process.isAlive && !isQueue)) continue;
			if (this.rows.filter(isRunning).length < slots) this.start(row);
		}
	}

	end(row: Execution, ends: Execution['status']): void {
		if (row.status !== 'running') return;
		row.status = ends;
		row.endedAt = this.now();
		if (row.process.isAlive) settle(row, ends, this.host.isQueue);
		this.fill();
	}

	/** It is listed as failed, and has begun nothing. */
	bar(row: Execution): void {
		row.status = 'barred';
		row.endedAt = this.now();
		if (!this.host.isQueue) return row.done?.reject(new Error('No active execution found'));
		const error = { message: "The 'Target' node has issues:\n- Its credential is missing" };
		const run = { status: 'error', data: { resultData: { runData: {}, error } } };
		row.done?.resolve(run as unknown as IRun);
	}

	/** What a process had under way is lost with it; the next one takes over what still waits. */
	lose(process: ModelProcess): void {
		if (this.host.isQueue) return;
		for (const row of this.rows) {
			if (row.process === process && row.status === 'running') this.end(row, 'crashed');
		}
	}

	takeOver(process: ModelProcess): void {
		for (const row of this.rows) {
			if (row.status !== 'new' || row.process.isAlive) continue;
			delete row.done;
			Object.assign(row, { process, isResumed: true });
		}
		this.fill();
	}

	private start(row: Execution): void {
		row.status = 'running';
		row.startedAt = this.now();
		const { ms, ends } = this.plan[this.runs++ % this.plan.length] ?? { ms: 0, ends: 'success' };
		this.agenda.in(ms, () => this.end(row, ends));
	}
}

/** A run without a lead, which ends at once. */
export function emptyRunOn({ isQueue }: RunsHost): IRun {
	const run = { status: 'success', data: { resultData: { runData: {} } } };
	return { ...run, ...(isQueue && { jobId: '1' }) } as unknown as IRun;
}

/** Says what became of a run as n8n says it. */
function settle({ done, isUntold }: Execution, ends: Execution['status'], isQueue: boolean): void {
	if (!done || isUntold) return;
	const isCancelled = ends === 'stopped' || ends === 'timeout';
	if (isCancelled && !isQueue) {
		const reason = ends === 'stopped' ? 'manual' : 'timeout';
		done.reject(Object.assign(new Error('The execution was cancelled'), { reason }));
		return;
	}
	const status = isCancelled ? 'canceled' : ends;
	const message = ends === 'timeout' ? 'The execution was cancelled because it timed out' : 'No';
	const error = status === 'error' || isCancelled ? { error: { message } } : {};
	const run = { status, data: { resultData: { runData: {}, ...error } } };
	done.resolve({ ...run, ...(isQueue && { jobId: '1' }) } as unknown as IRun);
}
