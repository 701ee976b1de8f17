import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { OtherProcesses } from './otherProcesses';
import type { RunEnd } from './runOutcome';
import type { StoredRuns } from './storedRuns';
import type { Task, TaskRuns } from './taskRuns';
import { hasRun, isUnsure, leftMs, LONGEST_WAIT_FOR_RUN_MS, runNumber } from './taskRuns';

/** So few at a time that a catch-up leaves n8n room for other work. */
const RUNS_AT_ONCE = 5;

/** A run that takes longer no longer holds up the tasks behind it. */
const LONG_RUN_MS = MINUTE_MS;

/** A run that takes longer no longer holds up the progress: n8n does not tell of the end of every run. */
const ENDLESS_RUN_MS = DAY_MS;

/** The pause before a task is run again; each one is twice as long as the one before. */
const RUN_AGAIN_PAUSE_MS = MINUTE_MS;

/** When to try again if n8n could not store a run. Each pause is twice as long as the one before, up to the longest. */
const STORE_PAUSE_MS = MINUTE_MS;

/** How long none is started after n8n could not store a run: it writes an error into its log for each. */
const STORE_HOLD_MS = 10 * SECOND_MS;

/** When to try again if n8n did not begin a run. Each pause is twice as long as the one before, up to the longest. */
const BARRED_PAUSE_MS = 15 * SECOND_MS;

/** By then n8n runs the workflow as it was published: while it publishes, it still runs the version before. */
const IN_FORCE_WITHIN_MS = 10 * SECOND_MS;

/** A task is told of once n8n could not store its run so many times in a row. */
const TELL_AFTER_TRIES = 5;

/** So many runs of earlier processes are remembered: a task that the service shows no more would stay for ever. */
const MOST_INHERITED = 1_000;

/** A task whose runs have all failed. */
export interface GivenUp<T extends Task> {
	task: T;
	runs: number;
	/** When this process started the last of them (epoch ms). */
	startedAt?: number;
}

/** How the queue is set by the person, and by the host. */
export interface QueueTerms {
	/** How many more times a task is run if its run fails. */
	runAgain: number;
	/** Epoch milliseconds. */
	now: () => number;
	/** From 0 to 1. */
	random: () => number;
}

/**
 * The tasks of a node on their way into runs of their own. It knows nothing of n8n: ask `next` for a task to start, say so
 * with `noteStart`, and tell `settle` what became of its run.
 */
export class TaskQueue<T extends Task> {
	/** The tasks that have not ended, in the order in which they came. */
	private readonly open = new Map<string, TaskRuns<T>>();

	/** Those of them whose runs are under way. */
	private readonly running = new Set<TaskRuns<T>>();

	private came = 0;

	/** What a process before this one had under way. */
	private readonly inherited: Map<string, number>;

	/** Of its tasks, how many runs n8n did not begin. */
	private readonly inheritedBarred: ReadonlyMap<string, number>;

	private isElsewhere?: boolean;

	private givenUp: Array<GivenUp<T>> = [];

	/** Tasks whose runs n8n cannot store. */
	private stuck: T[] = [];

	/** From when on and for how long no run is started (epoch ms, ms). */
	private hold = { from: -Infinity, ms: 0 };

	/** How many times in a row n8n did not begin a run: as a rule it begins none of the workflow then. */
	private barredInRow = 0;

	/** The first of them, until it is told. */
	private barred?: T;

	private readonly others: OtherProcesses;

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
		this.inheritedBarred = stored?.barred ?? new Map();
		this.isElsewhere = stored?.isElsewhere;
		this.others = new OtherProcesses(terms);
	}

	/** How many tasks came: the number of the newest. */
	get count(): number {
		return this.came;
	}

	/** How many tasks wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** The number of the oldest task that may have to be asked for again; Infinity if none has to. */
	get firstHeldUp(): number {
		const now = this.terms.now();
		for (const { number, startedAt = now } of this.open.values()) {
			if (now - startedAt < ENDLESS_RUN_MS) return number;
		}
		return Infinity;
	}

	/** What may be stored now, for a process that follows one that was killed. */
	get stored(): StoredRuns {
		const started = new Map<string, number>();
		const barred = new Map<string, number>();
		const note = (id: string, attempt: number, runsBarred: number) => {
			if (started.has(id)) return;
			if (this.terms.runAgain > 0 || runsBarred > 0) started.set(id, attempt);
			if (runsBarred > 0) barred.set(id, runsBarred);
		};
		for (const [id, runs] of this.open) if (runs.hasBegun) note(id, runs.attempt, runs.barred);
		for (const [id, attempt] of this.inherited) note(id, attempt, this.barredOf(id));
		return { started, barred, isElsewhere: this.isElsewhere };
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
		const attempt = this.inherited.get(id) ?? 1;
		const barred = attempt > 1 ? this.barredOf(id) : 0;
		const isInherited = this.inherited.delete(id);
		const dueAt = this.terms.now() + this.others.leaveMs();
		const number = ++this.came;
		const begun = { isInherited, hasBegun: isInherited };
		const counts = { attempt, barred, barredPauses: 0, unstored: 0 };
		this.open.set(id, { id, task, number, ...counts, dueAt, ...begun });
	}

	/** A task that a process before this one had under way is known to have ended. */
	forget(id: string): void {
		this.inherited.delete(id);
	}

	/** Leaves out the tasks of which no run was planned. */
	dropUnbegun(): void {
		for (const [id, { hasBegun }] of this.open) if (!hasBegun) this.open.delete(id);
	}

	/** The tasks that count as delivered if nobody is to run them again. */
	*begun(): Generator<T> {
		for (const runs of this.open.values()) if (hasRun(runs)) yield runs.task;
	}

	/** A person has published the workflow again, and may have put right why n8n did not begin runs. */
	retryBarred(): void {
		if (this.barredInRow === 0) return;
		this.barredInRow = 1;
		this.hold = { from: this.terms.now(), ms: IN_FORCE_WITHIN_MS };
		for (const runs of this.waiting()) {
			runs.barredPauses = 0;
			if (runs.barred > 0) runs.dueAt = this.terms.now();
		}
	}

	/** The task that may be started now: the oldest, unless other processes are at work. */
	next(): TaskRuns<T> | undefined {
		if (this.heldMs > 0) return undefined;
		const now = this.terms.now();
		const isShort = ({ startedAt = now }: TaskRuns<T>) => Math.abs(now - startedAt) < LONG_RUN_MS;
		const busy = [...this.running].filter(isShort);
		// Until n8n begins runs again, one at a time shows whether it does.
		const most = this.barredInRow > 0 ? 1 : RUNS_AT_ONCE;
		if (busy.length >= most) return undefined;
		return this.others.choose(this.due(now));
	}

	/** How long until `next` may bring a task, in milliseconds; undefined if a run has to end first. */
	get waitMs(): number | undefined {
		const now = this.terms.now();
		let shortest: number | undefined;
		for (const runs of this.waiting()) {
			const left = leftMs(runs, now);
			shortest = Math.min(left, shortest ?? left);
		}
		if (shortest === undefined) return undefined;
		return Math.max(shortest, this.others.pauseMs, this.heldMs);
	}

	/** Plans a run: what is stored from now on says that it may be under way. */
	noteStart(runs: TaskRuns<T>): void {
		runs.startedAt = this.terms.now();
		runs.hasBegun = true;
		this.running.add(runs);
		this.others.noteStart();
	}

	/** What was planned could not be stored, and the run was not started. */
	postpone(runs: TaskRuns<T>): void {
		delete runs.startedAt;
		this.running.delete(runs);
		runs.hasBegun = runs.attempt > 1 || isUnsure(runs);
		runs.dueAt = this.terms.now() + STORE_PAUSE_MS;
	}

	/** What became of a run, or of the attempt to start it. */
	settle(runs: TaskRuns<T>, end: RunEnd): void {
		const { startedAt } = runs;
		delete runs.startedAt;
		this.running.delete(runs);
		if (end === 'unstored') this.startLater(runs);
		else if (end === 'barred') this.settleBarred(runs);
		else if (end === 'refused') this.settleRefused(runs);
		else if (end === 'failed') this.settleFailed(runs, { startedAt });
		else this.close(runs);
		if (end !== 'succeeded' && end !== 'failed' && end !== 'stopped') return;
		this.others.noteOwn(runs);
		this.barredInRow = 0;
	}

	/** Tasks whose runs have all failed, each told once. */
	takeGivenUp(): Array<GivenUp<T>> {
		const { givenUp } = this;
		this.givenUp = [];
		return givenUp;
	}

	/** Tasks whose runs n8n could not store again and again, each told once. They are still tried. */
	takeStuck(): T[] {
		const { stuck } = this;
		this.stuck = [];
		return stuck;
	}

	/** The first task whose run n8n did not begin, if it began those before; told once. */
	takeBarred(): T | undefined {
		const { barred } = this;
		delete this.barred;
		return barred;
	}

	/** Whether runs are carried out by other processes, and go on if this one is killed. */
	noteElsewhere(isElsewhere: boolean): void {
		this.isElsewhere = isElsewhere;
	}

	/** Whether `noteElsewhere` has to come before a refusal: the run may be lost, or under way elsewhere. */
	hasToKnowWhere({ isInherited }: TaskRuns<T>): boolean {
		return isInherited && this.terms.runAgain > 0 && this.isElsewhere === undefined;
	}

	private *waiting(): Generator<TaskRuns<T>> {
		for (const runs of this.open.values()) if (runs.startedAt === undefined) yield runs;
	}

	private *due(now: number): Generator<TaskRuns<T>> {
		for (const runs of this.waiting()) if (leftMs(runs, now) === 0) yield runs;
	}

	/** How long none is to be started, in milliseconds: a clock that went back must not make it hours. */
	private get heldMs(): number {
		const { from, ms } = this.hold;
		const left = from + ms - this.terms.now();
		return left > ms ? 0 : Math.max(0, left);
	}

	private barredOf(id: string): number {
		return this.inheritedBarred.get(id) ?? 0;
	}

	private startLater(runs: TaskRuns<T>): void {
		const now = this.terms.now();
		const pauseMs = STORE_PAUSE_MS * 2 ** runs.unstored++;
		runs.dueAt = now + Math.min(pauseMs, LONGEST_WAIT_FOR_RUN_MS);
		if (this.heldMs < STORE_HOLD_MS) this.hold = { from: now, ms: STORE_HOLD_MS };
		if (runs.unstored === TELL_AFTER_TRIES) this.stuck.push(runs.task);
	}

	/** n8n would refuse its key from now on: the next run has another one. */
	private settleBarred(runs: TaskRuns<T>): void {
		const now = this.terms.now();
		if (this.barredInRow === 0 && runs.barred === 0) this.barred = runs.task;
		runs.attempt++;
		runs.barred++;
		runs.barredPauses++;
		runs.isInherited = false;
		runs.unstored = 0;
		// Longer than no run is started at first: otherwise a task that n8n alone does not begin would hold up the others.
		runs.dueAt = now + Math.min(BARRED_PAUSE_MS * 2 ** runs.barredPauses, LONGEST_WAIT_FOR_RUN_MS);
		// Those that were started together count as one.
		if (this.barredInRow > 0 && this.heldMs > 0) return;
		const holdMs = BARRED_PAUSE_MS * 2 ** this.barredInRow++;
		this.hold = { from: now, ms: Math.min(holdMs, LONGEST_WAIT_FOR_RUN_MS) };
	}

	private settleRefused(runs: TaskRuns<T>): void {
		if (!isUnsure(runs)) {
			this.others.noteRefused(runs);
			this.close(runs, true);
		} else if (runs.isInherited && this.isElsewhere) {
			// A queue worker carries it on.
			this.close(runs, true);
		} else {
			this.settleFailed(runs, { isRefused: true });
		}
	}

	private settleFailed(
		runs: TaskRuns<T>,
		{ startedAt, isRefused = false }: { startedAt?: number; isRefused?: boolean },
	): void {
		const { task } = runs;
		const { runAgain, now } = this.terms;
		const failed = runNumber(runs);
		if (failed <= runAgain) {
			runs.attempt++;
			runs.isInherited = false;
			runs.unstored = 0;
			runs.dueAt = now() + RUN_AGAIN_PAUSE_MS * 2 ** (failed - 1);
			return;
		}
		if (runAgain > 0) this.givenUp.push({ task, runs: failed, startedAt });
		this.close(runs, isRefused);
	}

	private close({ id, task }: TaskRuns<T>, isRefused = false): void {
		this.open.delete(id);
		this.onClosed(task, isRefused);
	}
}
