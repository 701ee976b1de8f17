import mapValues from 'lodash/mapValues';
import sortBy from 'lodash/sortBy';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { storedObject, UnreadableProgress } from '../storedValues';
import type { RunEnd } from './emitter';
import { hasQueueWorkers } from './emitter';

/** So few at a time that a catch-up leaves n8n room for other work. */
const RUNS_AT_ONCE = 5;

/** A run that takes longer no longer holds up the tasks behind it. */
const LONG_RUN_MS = MINUTE_MS;

/** The one backoff of runs: before a failed run is repeated, and before n8n is asked again to start a run. */
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 16 * MINUTE_MS;

/** By then n8n runs the workflow as it was published: while it publishes, it still runs the version before. */
const IN_FORCE_WITHIN_MS = 10 * SECOND_MS;

/** So many runs of earlier processes are remembered: a task that the service shows no more would stay for ever. */
const MOST_INHERITED = 1_000;

/** What is handed to a run of its own, such as a lead. */
export interface Task {
	/** The oldest is started first (epoch ms). */
	readonly time: number;
}

/** How far the runs of a task came. */
interface Attempts {
	/** Which key its run has, from 1: n8n keeps each key that it was given. */
	key: number;
	/** How many of its runs have failed. Other keys are used up without a run. */
	failed: number;
}

/** By the task, such as the lead `applicant 3f1c…`: what a process that follows must know. */
export type StoredRuns = Record<string, Attempts>;

/** A task that has not ended. */
export interface QueuedTask<T extends Task = Task> extends Attempts {
	readonly id: string;
	readonly task: T;
	/** How many times in a row n8n did not start a run. */
	tries: number;
	/** Whether a process before this one may have asked for the run with this key. */
	isInherited: boolean;
	/** When the run was started (epoch ms); unset while none is under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
}

/** What a person may have to know of a run that has ended, or was not started. */
export type RunReport =
	/** All runs of the task have failed. */
	| { kind: 'givenUp'; runs: number }
	/** n8n did not start a run, so many times in a row. */
	| { kind: 'notStarted'; tries: number };

/** How the queue is set by the person, and by the host. */
export interface QueueTerms {
	/** How many more times a task is run if its run fails. */
	runAgain: number;
	/** How many tasks wait for a run before the service is asked for no more. */
	mostWaiting: number;
	/** Epoch milliseconds. */
	now: () => number;
}

/**
 * The tasks of a node on their way into runs of their own. It knows nothing of n8n: ask `next` for a task to start, say so
 * with `noteStart`, and tell `settle` what became of its run.
 */
export class RunQueue<T extends Task> {
	/** In the order in which they came. */
	private readonly open = new Map<string, QueuedTask<T>>();

	/** Those of them whose runs are under way. */
	private readonly running = new Set<QueuedTask<T>>();

	/** What a process before this one had under way. */
	private readonly inherited: Map<string, Attempts>;

	/**
	 * @param stored what a process before this one stored
	 * @param onClosed called with each task that has come to its end, when it is no longer in the queue, and with whether n8n
	 * has refused it: it knows a run of it that another process began
	 */
	constructor(
		stored: StoredRuns = {},
		public terms: QueueTerms,
		private readonly onClosed: (task: T, isRefused: boolean) => void,
	) {
		// The newest come first.
		this.inherited = new Map(Object.entries(stored).slice(0, MOST_INHERITED));
	}

	/** How many tasks wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** Whether the service may be asked for more tasks. */
	get hasRoom(): boolean {
		return this.waitingCount < this.terms.mostWaiting;
	}

	/** The tasks that have not ended, in the order in which they came. */
	*tasks(): Generator<T> {
		for (const { task } of this.open.values()) yield task;
	}

	/** The tasks whose runs were started, as far as is known. */
	*started(): Generator<T> {
		for (const queued of this.open.values()) if (hasRun(queued)) yield queued.task;
	}

	/** What may be stored now, for a process that follows one that was killed. */
	get stored(): StoredRuns {
		const stored: StoredRuns = {};
		for (const { id, key, failed } of this.begun()) {
			// A queue worker goes on with what is under way, so a run that n8n knows then counts as done.
			const isLost = this.terms.runAgain > 0 && !hasQueueWorkers();
			if (isLost || key > 1) stored[id] = { key, failed };
		}
		return { ...stored, ...Object.fromEntries(this.inherited) };
	}

	/** A task that is on its way. */
	get(id: string): T | undefined {
		return this.open.get(id)?.task;
	}

	/**
	 * Takes in a task that is not on its way.
	 *
	 * @param id the same in each process, and no other task's
	 */
	add(id: string, task: T): void {
		const attempts = this.inherited.get(id);
		this.inherited.delete(id);
		this.open.set(id, {
			...(attempts ?? { key: 1, failed: 0 }),
			id,
			task,
			tries: 0,
			isInherited: attempts !== undefined,
			dueAt: this.terms.now(),
		});
	}

	/** A task that a process before this one had under way is known to have ended. */
	forget(id: string): void {
		this.inherited.delete(id);
	}

	/** Nobody is to run these tasks again: those whose runs were started have ended. */
	endStarted(): void {
		for (const queued of this.open.values()) if (hasRun(queued)) this.close(queued);
	}

	/** One run gets all tasks together. @returns them, the oldest first */
	endAll(): T[] {
		const queued = sortBy([...this.open.values()], 'task.time');
		for (const each of queued) this.close(each);
		return queued.map(({ task }) => task);
	}

	/** Leaves out the tasks of which no run was asked for. @returns them */
	dropUnbegun(): T[] {
		const begun = new Set(this.begun());
		const dropped = [...this.open.values()].filter((queued) => !begun.has(queued));
		for (const { id } of dropped) this.open.delete(id);
		return dropped.map(({ task }) => task);
	}

	/** A person has published the workflow again, and may have put right why n8n did not start runs. */
	retryNow(): void {
		for (const queued of this.waiting()) {
			if (queued.tries > 0) queued.dueAt = this.terms.now() + IN_FORCE_WITHIN_MS;
			queued.tries = 0;
		}
	}

	/** The task that may be started now: the oldest. One answer may bring thousands, so no list is made of them. */
	next(): QueuedTask<T> | undefined {
		const now = this.terms.now();
		const isShort = ({ startedAt = now }: QueuedTask<T>) => Math.abs(now - startedAt) < LONG_RUN_MS;
		if ([...this.running].filter(isShort).length >= RUNS_AT_ONCE) return undefined;
		let first: QueuedTask<T> | undefined;
		for (const queued of this.waiting()) {
			if (leftMs(queued, now) > 0) continue;
			if (!first || queued.task.time < first.task.time) first = queued;
		}
		return first;
	}

	/** How long until a task is due, in milliseconds; undefined if none waits. */
	get waitMs(): number | undefined {
		const now = this.terms.now();
		let shortest: number | undefined;
		for (const queued of this.waiting())
			shortest = Math.min(leftMs(queued, now), shortest ?? Infinity);
		return shortest;
	}

	/** Plans a run: what is stored from now on says that it may be under way. */
	noteStart(queued: QueuedTask<T>): void {
		queued.startedAt = this.terms.now();
		this.running.add(queued);
	}

	/** What became of a run, or of the attempt to start it. */
	settle(queued: QueuedTask<T>, end: RunEnd): RunReport | undefined {
		this.noteEnd(queued);
		switch (end) {
			case 'notStarted':
				this.takeNextKey(queued);
				return this.startLater(queued);
			case 'notStored':
				return this.startLater(queued);
			case 'failed':
				return this.repeat(queued);
			case 'refused':
				// The run of a process that was killed is lost.
				return queued.isInherited ? this.repeat(queued, true) : this.close(queued, true);
			case 'succeeded':
			case 'stopped':
			case 'taken':
				return this.close(queued);
		}
	}

	private *waiting(): Generator<QueuedTask<T>> {
		for (const queued of this.open.values()) if (!this.running.has(queued)) yield queued;
	}

	private noteEnd(queued: QueuedTask<T>): void {
		delete queued.startedAt;
		this.running.delete(queued);
	}

	/** The tasks of which n8n may know a run or a key. */
	private *begun(): Generator<QueuedTask<T>> {
		for (const queued of this.open.values()) {
			const { startedAt, key, tries, isInherited } = queued;
			if (startedAt !== undefined || key > 1 || tries > 0 || isInherited) yield queued;
		}
	}

	private startLater(queued: QueuedTask<T>): RunReport {
		queued.dueAt = this.terms.now() + pauseMs(queued.tries++);
		return { kind: 'notStarted', tries: queued.tries };
	}

	/** @param isRefused whether another process started the run that failed */
	private repeat(queued: QueuedTask<T>, isRefused = false): RunReport | undefined {
		const { runAgain, now } = this.terms;
		const runs = ++queued.failed;
		if (runs > runAgain) {
			this.close(queued, isRefused);
			return runAgain > 0 ? { kind: 'givenUp', runs } : undefined;
		}
		this.takeNextKey(queued);
		queued.tries = 0;
		queued.dueAt = now() + pauseMs(runs - 1);
		return undefined;
	}

	private takeNextKey(queued: QueuedTask<T>): void {
		queued.key++;
		queued.isInherited = false;
	}

	private close({ id, task }: QueuedTask<T>, isRefused = false): undefined {
		this.open.delete(id);
		this.onClosed(task, isRefused);
	}
}

/** @throws UnreadableProgress */
export function readStoredRuns(stored: unknown): StoredRuns {
	return mapValues(storedObject(stored), (attempts) => {
		const { key, failed } = storedObject(attempts);
		if (typeof key !== 'number' || typeof failed !== 'number')
			throw new UnreadableProgress(attempts);
		return { key, failed };
	});
}

/** Whether a run is under way or has ended, as far as is known. */
function hasRun({ startedAt, failed }: QueuedTask): boolean {
	return startedAt !== undefined || failed > 0;
}

/** How long a task still waits, in milliseconds: a clock that went back must not make it hours. */
function leftMs({ dueAt }: QueuedTask, now: number): number {
	const left = Math.max(0, dueAt - now);
	return left > LONGEST_PAUSE_MS ? 0 : left;
}

/** @param before how many pauses there were before this one */
function pauseMs(before: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** before, LONGEST_PAUSE_MS);
}
