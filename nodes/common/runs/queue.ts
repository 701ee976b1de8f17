import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import type { RunEnd } from './emitter';
import type { StoredRuns } from './storedRuns';

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

/** A task that has not ended, and how far its runs came. */
export interface QueuedTask<T extends Task = Task> {
	readonly id: string;
	readonly task: T;
	/** Which key its run has: 1 is the first. n8n keeps each key that it was given. */
	attempt: number;
	/** How many of its keys n8n has used up without starting a run: they are no runs of the task. */
	notStarted: number;
	/** How many times in a row n8n did not start a run. */
	tries: number;
	/** Why n8n may know a run with this key: a process before this one asked for it, or n8n may have stored it after all. */
	doubt?: 'inherited' | 'notStored';
	/** When the run was started (epoch ms); unset while none is under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
}

/** What a person may have to know of a run that has ended, or was not started. */
export type RunReport =
	/** All runs of the task have failed; `startedAt` is unset if another process started the last of them. */
	| { kind: 'givenUp'; runs: number; startedAt?: number }
	/** n8n did not start a run, so many times in a row. */
	| { kind: 'notStarted'; tries: number };

/** How the queue is set by the person, and by the host. */
export interface QueueTerms {
	/** How many more times a task is run if its run fails. */
	runAgain: number;
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

	/** What a process before this one had under way: the number of the attempt. */
	private readonly inherited: Map<string, number>;

	private readonly inheritedNotStarted: ReadonlyMap<string, number>;

	private onWorkers?: boolean;

	/**
	 * @param stored what a process before this one stored
	 * @param onClosed called with each task that has come to its end, when it is no longer in the queue, and with whether n8n
	 * has refused it: it knows a run of it that another process began
	 */
	constructor(
		stored: StoredRuns | undefined,
		public terms: QueueTerms,
		private readonly onClosed: (task: T, isRefused: boolean) => void,
	) {
		// The newest come first.
		this.inherited = new Map([...(stored?.started ?? [])].slice(0, MOST_INHERITED));
		this.inheritedNotStarted = stored?.notStarted ?? new Map();
		this.onWorkers = stored?.onWorkers;
	}

	/** How many tasks wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** The tasks that have not ended, in the order in which they came. */
	*tasks(): Generator<T> {
		for (const { task } of this.open.values()) yield task;
	}

	/** The tasks that count as delivered if nobody is to run them again. */
	*run(): Generator<T> {
		for (const queued of this.open.values()) if (hasRun(queued)) yield queued.task;
	}

	/** What may be stored now, for a process that follows one that was killed. */
	get stored(): StoredRuns {
		const started = new Map<string, number>();
		const notStarted = new Map<string, number>();
		for (const { id, attempt, ...queued } of this.begun()) {
			if (this.terms.runAgain > 0 || queued.notStarted > 0) started.set(id, attempt);
			if (queued.notStarted > 0) notStarted.set(id, queued.notStarted);
		}
		for (const [id, attempt] of this.inherited) {
			started.set(id, attempt);
			const count = this.inheritedNotStarted.get(id);
			if (count !== undefined) notStarted.set(id, count);
		}
		return { started, notStarted, onWorkers: this.onWorkers };
	}

	/** Whether a task is on its way. */
	has(id: string): boolean {
		return this.open.has(id);
	}

	/**
	 * Takes in a task that is not on its way.
	 *
	 * @param id the same in each process, and no other task's
	 */
	add(id: string, task: T): void {
		const attempt = this.inherited.get(id);
		const notStarted = (attempt && this.inheritedNotStarted.get(id)) ?? 0;
		this.inherited.delete(id);
		const queued = { id, task, attempt: attempt ?? 1, notStarted, tries: 0 };
		this.open.set(id, {
			...queued,
			...(attempt && { doubt: 'inherited' }),
			dueAt: this.terms.now(),
		});
	}

	/** A task that a process before this one had under way is known to have ended. */
	forget(id: string): void {
		this.inherited.delete(id);
	}

	/** Leaves out the tasks of which no run was asked for. */
	dropUnbegun(): void {
		const begun = new Set(this.begun());
		for (const queued of this.open.values()) if (!begun.has(queued)) this.open.delete(queued.id);
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

	/** What was planned could not be stored, and the run was not asked for. */
	postpone(queued: QueuedTask<T>): void {
		this.noteEnd(queued);
		queued.dueAt = this.terms.now() + FIRST_PAUSE_MS;
	}

	/**
	 * What became of a run, or of the attempt to start it.
	 *
	 * @param onWorkers whether queue workers carry out runs, if the run tells: they go on if this process is killed
	 */
	settle(queued: QueuedTask<T>, end: RunEnd, onWorkers?: boolean): RunReport | undefined {
		const { startedAt } = queued;
		this.noteEnd(queued);
		this.onWorkers = onWorkers ?? this.onWorkers;
		switch (end) {
			case 'notStored':
				queued.doubt ??= 'notStored';
				return this.startLater(queued);
			case 'notStarted':
				this.takeNextKey(queued);
				queued.notStarted++;
				return this.startLater(queued);
			case 'failed':
				return this.repeat(queued, { startedAt });
			case 'refused':
				if (this.mayHaveFailed(queued)) return this.repeat(queued, { isRefused: true });
				return this.close(queued, true);
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
			const { startedAt, attempt, doubt } = queued;
			if (startedAt !== undefined || attempt > 1 || doubt) yield queued;
		}
	}

	/** Whether the run that n8n knows may be one that has failed. A queue worker goes on with what was inherited. */
	private mayHaveFailed({ doubt }: QueuedTask<T>): boolean {
		return doubt === 'notStored' || (doubt === 'inherited' && !this.onWorkers);
	}

	private startLater(queued: QueuedTask<T>): RunReport {
		queued.dueAt = this.terms.now() + pauseMs(queued.tries++);
		return { kind: 'notStarted', tries: queued.tries };
	}

	private repeat(
		queued: QueuedTask<T>,
		{ startedAt, isRefused }: { startedAt?: number; isRefused?: boolean },
	): RunReport | undefined {
		const { runAgain, now } = this.terms;
		const runs = runNumber(queued);
		if (runs > runAgain) {
			this.close(queued, isRefused);
			return runAgain > 0 ? { kind: 'givenUp', runs, startedAt } : undefined;
		}
		this.takeNextKey(queued);
		queued.tries = 0;
		queued.dueAt = now() + pauseMs(runs - 1);
		return undefined;
	}

	private takeNextKey(queued: QueuedTask<T>): void {
		queued.attempt++;
		delete queued.doubt;
	}

	private close({ id, task }: QueuedTask<T>, isRefused = false): undefined {
		this.open.delete(id);
		this.onClosed(task, isRefused);
	}
}

/** Which run of the task is under way or is next, of those that n8n starts. */
export function runNumber({ attempt, notStarted }: QueuedTask): number {
	return attempt - notStarted;
}

/** Whether a run is under way or has ended, as far as is known. */
function hasRun(queued: QueuedTask): boolean {
	return queued.startedAt !== undefined || runNumber(queued) > 1;
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
