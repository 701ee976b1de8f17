import mapValues from 'lodash/mapValues';
import sortBy from 'lodash/sortBy';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { storedObject, UnreadableProgress } from '../storedValues';
import type { RunEnd } from './emitter';
import { hasQueueWorkers } from './emitter';

/** The most runs under way at a time. It is low, so that a catch-up leaves n8n room for other work. */
const RUNS_AT_ONCE = 5;

/**
 * The time after which a run no longer counts among those under way, so that a long run does not delay the tasks
 * behind it.
 */
const LONG_RUN_MS = MINUTE_MS;

/**
 * The first pause of the backoff of runs. It applies before a failed run is repeated, and before n8n is asked again
 * to start a run.
 */
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 16 * MINUTE_MS;

/**
 * The time after which n8n certainly runs the workflow as it was published. While it publishes, it still runs the
 * version before.
 */
const IN_FORCE_WITHIN_MS = 10 * SECOND_MS;

/**
 * The most runs of earlier processes that are remembered. Without a limit, a task that the service no longer lists
 * would stay for ever.
 */
const MOST_INHERITED = 1_000;

/** A task gets a run of its own, such as a lead. */
export interface Task {
	/** When the task came up (epoch ms). The oldest task is started first. */
	readonly time: number;
}

/** The attempts to run a task. */
interface Attempts {
	/**
	 * The number of the key of its run, from 1. Each attempt needs another key, because n8n keeps each key that it was
	 * given.
	 */
	key: number;
	/** The number of its runs that have failed. Other keys were used up without a run. */
	failed: number;
}

/** The attempts of each task, such as the lead `applicant 3f1c…`, as far as the next process must know them. */
export type StoredRuns = Record<string, Attempts>;

/** A task that has not ended. */
export interface QueuedTask<T extends Task = Task> extends Attempts {
	readonly id: string;
	readonly task: T;
	/** The number of times in a row that n8n did not start a run. */
	tries: number;
	/** True if a process before this one may have asked for the run with this key. */
	isInherited: boolean;
	/** When the run was started (epoch ms); unset while none is under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
}

/** The report on a run that has ended, or was not started, if a person may have to act. */
export type RunReport =
	/** All runs of the task have failed. */
	| { kind: 'givenUp'; runs: number }
	/** n8n did not start a run, several times in a row. */
	| { kind: 'notStarted'; tries: number };

/** The settings of the queue, by the person and by the host. */
export interface QueueTerms {
	/** The most further runs of a task whose run fails. */
	runAgain: number;
	/** The most tasks that wait for a run. While so many wait, the service is asked for no more. */
	mostWaiting: number;
	/** The time now, in epoch milliseconds. */
	now: () => number;
}

/**
 * The tasks of a node on their way into runs of their own. The queue knows nothing of n8n: call `next` for a task to
 * start, `noteStart` when its run starts, and `settle` with the end of its run.
 */
export class RunQueue<T extends Task> {
	/** The tasks that have not ended, in the order in which they came. */
	private readonly open = new Map<string, QueuedTask<T>>();

	/** The tasks whose runs are under way. */
	private readonly running = new Set<QueuedTask<T>>();

	/** The attempts that a process before this one had under way. */
	private readonly inherited: Map<string, Attempts>;

	/**
	 * @param stored the attempts that a process before this one stored
	 * @param onClosed called with each task that has ended and left the queue, and with true if n8n refused its run,
	 * because it knows one that another process began
	 */
	constructor(
		stored: StoredRuns = {},
		public terms: QueueTerms,
		private readonly onClosed: (task: T, isRefused: boolean) => void,
	) {
		// The newest attempts come first.
		this.inherited = new Map(Object.entries(stored).slice(0, MOST_INHERITED));
	}

	/** The number of tasks that wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** True if the service may be asked for more tasks. */
	get hasRoom(): boolean {
		return this.waitingCount < this.terms.mostWaiting;
	}

	/** The tasks that have not ended, in the order in which they came. */
	*tasks(): Generator<T> {
		for (const { task } of this.open.values()) yield task;
	}

	/** The tasks whose runs were started, as far as this process knows. */
	*started(): Generator<T> {
		for (const queued of this.open.values()) if (hasRun(queued)) yield queued.task;
	}

	/** The attempts to store now, for a process that follows one that was killed. */
	get stored(): StoredRuns {
		const stored: StoredRuns = {};
		for (const { id, key, failed } of this.begun()) {
			// A queue worker goes on with a run if this process is killed. So the next process counts a run that n8n knows
			// as done.
			const isLost = this.terms.runAgain > 0 && !hasQueueWorkers();
			if (isLost || key > 1) stored[id] = { key, failed };
		}
		return { ...stored, ...Object.fromEntries(this.inherited) };
	}

	/** The task with an ID, if it is on its way. */
	get(id: string): T | undefined {
		return this.open.get(id)?.task;
	}

	/**
	 * Adds a task that is not on its way.
	 *
	 * @param id identifies the task, in each process alike
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

	/** Forgets a task that a process before this one had under way, because it is known to have ended. */
	forget(id: string): void {
		this.inherited.delete(id);
	}

	/** Ends the tasks whose runs were started, so that nobody runs them again. */
	endStarted(): void {
		for (const queued of this.open.values()) if (hasRun(queued)) this.close(queued);
	}

	/** Ends all tasks, because one run gets all of them. @returns the tasks, the oldest first */
	endAll(): T[] {
		const queued = sortBy([...this.open.values()], 'task.time');
		for (const each of queued) this.close(each);
		return queued.map(({ task }) => task);
	}

	/** Removes the tasks for which no run was asked. @returns these tasks */
	dropUnbegun(): T[] {
		const begun = new Set(this.begun());
		const dropped = [...this.open.values()].filter((queued) => !begun.has(queued));
		for (const { id } of dropped) this.open.delete(id);
		return dropped.map(({ task }) => task);
	}

	/**
	 * Tries again at once to start runs that n8n did not start: a person has published the workflow again, and may have
	 * corrected the cause.
	 */
	retryNow(): void {
		for (const queued of this.waiting()) {
			if (queued.tries > 0) queued.dueAt = this.terms.now() + IN_FORCE_WITHIN_MS;
			queued.tries = 0;
		}
	}

	/** The oldest task that may be started now. It makes no list, because one answer may bring thousands of tasks. */
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

	/** The time until a task is due, in milliseconds; undefined if none waits. */
	get waitMs(): number | undefined {
		const now = this.terms.now();
		let shortest: number | undefined;
		for (const queued of this.waiting())
			shortest = Math.min(leftMs(queued, now), shortest ?? Infinity);
		return shortest;
	}

	/** Notes that a run is planned: the progress that is stored from now on says that it may be under way. */
	noteStart(queued: QueuedTask<T>): void {
		queued.startedAt = this.terms.now();
		this.running.add(queued);
	}

	/** Notes the end of a run, or of the attempt to start it. */
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
				// The run of a process that was killed counts as lost.
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

	/** The tasks for which n8n may know a run or a key. */
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

	/** @param isRefused true if another process started the run that failed */
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

/** True if a run of the task is under way or has ended, as far as this process knows. */
function hasRun({ startedAt, failed }: QueuedTask): boolean {
	return startedAt !== undefined || failed > 0;
}

/**
 * The time that a task still waits, in milliseconds. It has a limit, because a clock that was set back must not make
 * it hours.
 */
function leftMs({ dueAt }: QueuedTask, now: number): number {
	const left = Math.max(0, dueAt - now);
	return left > LONGEST_PAUSE_MS ? 0 : left;
}

/** @param before the number of pauses before this one */
function pauseMs(before: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** before, LONGEST_PAUSE_MS);
}
