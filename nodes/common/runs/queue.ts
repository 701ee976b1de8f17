import mapValues from 'lodash/mapValues';
import sortBy from 'lodash/sortBy';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { storedObject, UnreadableProgress } from '../storedValues';
import type { RunEnd } from './emitter';
import { hasQueueWorkers } from './emitter';

/**
 * The largest number of runs that one node has at the same time. It is low, so that n8n has room for other work while a
 * backlog is delivered.
 */
const RUNS_AT_ONCE = 5;

/**
 * After this time, a run no longer counts as one of the `RUNS_AT_ONCE`, so that one long run does not delay the next
 * tasks in the queue.
 */
const LONG_RUN_MS = MINUTE_MS;

/**
 * The first pause before a failed run is repeated, or before n8n is asked again to start a run. Each further pause is
 * twice as long, up to `LONGEST_PAUSE_MS`.
 */
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 16 * MINUTE_MS;

/**
 * This long after a workflow was published, n8n certainly runs the version that was just published. While n8n
 * publishes, it still runs the previous version.
 */
const IN_FORCE_WITHIN_MS = 10 * SECOND_MS;

/**
 * The largest number of tasks, such as leads, for which the attempts of earlier processes to run the workflow are
 * remembered. Without a limit, the record of a task that the service no longer lists would stay for ever.
 */
const MOST_INHERITED = 1_000;

/** A task, such as a lead: what one run of the workflow handles. */
export interface Task {
	/** The time of the event, for example when a lead was submitted (epoch ms). The oldest task is started first. */
	readonly time: number;
}

/** The attempts to run the workflow for a task, such as a lead. */
interface Attempts {
	/**
	 * The number in the key of the task's next or current run, starting at 1. n8n refuses a second run with the same
	 * key, so each attempt needs a new number.
	 */
	key: number;
	/**
	 * The number of the task's runs that have failed. It can be lower than the number of attempts: each attempt has a
	 * key of its own, and n8n may use up a key without executing a node. Such an attempt does not count as failed.
	 */
	failed: number;
}

/** The attempts that the next process has to know, by the ID of the task, such as `applicant 3f1c…` for a lead. */
export type StoredRuns = Record<string, Attempts>;

/** A task in the queue, such as a lead, which has not ended. */
export interface QueuedTask<T extends Task = Task> extends Attempts {
	readonly id: string;
	readonly task: T;
	/** How many times in a row n8n did not start a run of the task. */
	tries: number;
	/** True if an earlier process may already have asked n8n for the task's run with the current key. */
	isInherited: boolean;
	/** When the current run was started (epoch ms); unset while the task has no run under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
}

/** The report on a run that has ended or was not started. It exists only if a person may have to act. */
export type RunReport =
	/** All runs of the task have failed. */
	| { kind: 'givenUp'; runs: number }
	/** n8n did not start a run, several times in a row. */
	| { kind: 'notStarted'; tries: number };

/** The settings of the queue, which follow from the node's parameters, and its clock. */
export interface QueueTerms {
	/** How many more times the workflow is run for a task, such as a lead, if its run fails. */
	runAgain: number;
	/**
	 * The largest number of tasks that may wait for a run. When this many wait, the poll asks the service for no more.
	 */
	mostWaiting: number;
	/** Returns the current time, in epoch milliseconds. */
	now: () => number;
}

/**
 * The tasks of a node, such as leads, that are still to have a run, or whose run has not ended. The queue does not call
 * n8n itself. The code that uses it calls `next` for a task to start, `noteStart` when the run starts, and `settle`
 * with the result of the run.
 */
export class RunQueue<T extends Task> {
	/** The tasks that have not ended, in the order in which they came. */
	private readonly open = new Map<string, QueuedTask<T>>();

	/** The tasks whose runs are under way. */
	private readonly running = new Set<QueuedTask<T>>();

	/** The attempts that an earlier process had not finished, by the ID of the task. */
	private readonly inherited: Map<string, Attempts>;

	/**
	 * @param stored the attempts that an earlier process stored
	 * @param onClosed is called with each task that has ended and left the queue; its second argument is true if n8n
	 * refused the run because another process had started a run with the same key
	 */
	constructor(
		stored: StoredRuns = {},
		public terms: QueueTerms,
		private readonly onClosed: (task: T, isRefused: boolean) => void,
	) {
		// In the stored object, the attempts for tasks (such as leads) that were in the queue of the process that
		// stored it come first. So if there are too many, those that it had only taken over from earlier processes are
		// dropped first.
		this.inherited = new Map(Object.entries(stored).slice(0, MOST_INHERITED));
	}

	/** The number of tasks that wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** True if so few tasks, such as leads, wait for their runs that the service may be asked for more. */
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

	/**
	 * The attempts to run the workflow that belong in the stored progress, by the ID of the task, such as a lead. The
	 * next process needs them if this one is killed.
	 */
	get stored(): StoredRuns {
		const stored: StoredRuns = {};
		for (const { id, key, failed } of this.begun()) {
			// A queue worker continues a run if this process is killed, so the next process may treat the task (such as
			// a lead) as ended if n8n already has its run. Without workers, the run is lost and has to be repeated.
			const isLost = this.terms.runAgain > 0 && !hasQueueWorkers();
			if (isLost || key > 1) stored[id] = { key, failed };
		}
		return { ...stored, ...Object.fromEntries(this.inherited) };
	}

	/** Returns the task with this ID; undefined if the task is not in the queue. */
	get(id: string): T | undefined {
		return this.open.get(id)?.task;
	}

	/**
	 * Adds a task that is not in the queue yet.
	 *
	 * @param id identifies the task, and is the same for the task in every process
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

	/** Forgets the attempts of an earlier process to run a task, because the task is known to have ended. */
	forget(id: string): void {
		this.inherited.delete(id);
	}

	/**
	 * Removes from the queue the tasks, such as leads, whose runs were started, and treats them as ended, so that they
	 * are not run again.
	 */
	endStarted(): void {
		for (const queued of this.open.values()) if (hasRun(queued)) this.close(queued);
	}

	/**
	 * Removes all tasks, such as leads, from the queue and treats them as ended, because a single run gets all of them.
	 *
	 * @returns the tasks, the oldest first
	 */
	endAll(): T[] {
		const queued = sortBy([...this.open.values()], 'task.time');
		for (const each of queued) this.close(each);
		return queued.map(({ task }) => task);
	}

	/**
	 * Removes from the queue the tasks, such as leads, for which n8n was not yet asked to start a run.
	 *
	 * @returns these tasks
	 */
	dropUnbegun(): T[] {
		const begun = new Set(this.begun());
		const dropped = [...this.open.values()].filter((queued) => !begun.has(queued));
		for (const { id } of dropped) this.open.delete(id);
		return dropped.map(({ task }) => task);
	}

	/**
	 * Makes the runs that n8n did not start due in 10 seconds, without the usual longer pause: a person has published
	 * the workflow again, and may have corrected the cause.
	 */
	retryNow(): void {
		for (const queued of this.waiting()) {
			if (queued.tries > 0) queued.dueAt = this.terms.now() + IN_FORCE_WITHIN_MS;
			queued.tries = 0;
		}
	}

	/**
	 * Returns the oldest task that may be started now. It looks through the queue without sorting a copy, because one
	 * answer of the service may add thousands of tasks.
	 */
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

	/** The time until the next task is due, in milliseconds; undefined if no task waits. */
	get waitMs(): number | undefined {
		const now = this.terms.now();
		let shortest: number | undefined;
		for (const queued of this.waiting())
			shortest = Math.min(leftMs(queued, now), shortest ?? Infinity);
		return shortest;
	}

	/** Notes that a run is about to start. From now on, the stored progress shows that the run may be under way. */
	noteStart(queued: QueuedTask<T>): void {
		queued.startedAt = this.terms.now();
		this.running.add(queued);
	}

	/** Notes the result of a run, or of the attempt to start it, and decides whether the task gets another run. */
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
				// n8n already has a run with the same key. If an earlier process asked for it and was killed, that run
				// counts as lost, so the task may be run again.
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

	/** The tasks, such as leads, for which n8n may already have a run, or have stored the key of a run. */
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

	/**
	 * Plans another run for a task whose run has failed, or gives the task up if it has had all its runs.
	 *
	 * @param isRefused true if the failed run was that of an earlier process, so that n8n refused to start a run with
	 * the same key
	 */
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

/**
 * Reads the attempts that an earlier process stored.
 *
 * @throws UnreadableProgress
 */
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
 * The time until the next run of a task, such as a lead, is due, in milliseconds. A time longer than the longest pause
 * shows that this machine's clock was set back; the task then waits no longer.
 */
function leftMs({ dueAt }: QueuedTask, now: number): number {
	const left = Math.max(0, dueAt - now);
	return left > LONGEST_PAUSE_MS ? 0 : left;
}

/**
 * Returns the length of the pause before the next attempt to run the workflow for a task, such as a lead: one minute at
 * first, then twice as long each time, up to 16 minutes.
 *
 * @param before the number of pauses before this one
 */
function pauseMs(before: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** before, LONGEST_PAUSE_MS);
}
