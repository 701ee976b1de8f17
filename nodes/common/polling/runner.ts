import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { deepCopy, sleep } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { inLog, toOperationError } from '../nodeErrors';
import type { RunEmitter, RunEnd } from '../runs/emitter';
import { emitterFor } from '../runs/emitter';
import type { TaskWords } from '../runs/notices';
import { givenUpNotice, notStartedNotice } from '../runs/notices';
import type { QueuedTask, RunReport, Task } from '../runs/queue';
import { emitError, isDurable } from './host';
import type { PolledNode } from './polledNode';
import type { AnyProgress, TaskTracker } from './taskTracker';

/** The longest wait for a task within one poll. A task that is due later waits for the next poll. */
const NEXT_POLL_MS = 30 * SECOND_MS;

/** The number of failed attempts in a row to start a run before they are reported: about half an hour. */
const REPORT_AFTER_TRIES = 5;

/** The time between two stores of a quiet node's progress. It is long, because n8n's log gets a line each time. */
const PERSIST_EVERY_MS = 15 * MINUTE_MS;

/** The way in which the tasks of a node are run. */
export interface TaskRuns<T extends Task> {
	words: TaskWords<T>;
	/** The most further runs of a task whose run fails. */
	runAgain: number;
	/** The item that the run begins with. */
	readonly json: (task: T) => IDataObject;
	/**
	 * @returns the key, at most 255 characters: equal for the same task and attempt in each process, and different for
	 * all others
	 */
	readonly keyOf: (task: T, attempt: number) => string;
}

/** A poll that has asked the service. */
export interface RunningPoll<T extends Task> extends TaskRuns<T> {
	context: IPollFunctions;
	emitter: RunEmitter;
	isActivation: boolean;
	/** The data that n8n stores for the node. */
	staticData: IDataObject;
	/** The time after which no run is started, with durable cursors (epoch ms). */
	deadline: number;
}

/** Starts the runs of a node's tasks, a few at a time, and learns how they end. */
export class Runner<P extends AnyProgress, T extends Task, H extends TaskTracker<P, T>> {
	/** The poll that came last. */
	private poll?: RunningPoll<T>;

	/** The key of a run that has ended since n8n stored the node's progress last. */
	private unsavedKey?: string;

	private wake = () => {};

	constructor(
		private readonly memory: PolledNode<P, T, H>,
		readonly tracker: H,
	) {}

	/**
	 * Starts the runs that are due, in place of the poll before. It goes on after this poll if n8n can store progress
	 * then.
	 */
	async startRuns(poll: RunningPoll<T>): Promise<void> {
		await this.store(poll);
		this.poll = poll;
		const work = this.work(poll);
		if (isDurable(poll.context)) await work;
		// If failed runs are repeated, a task that has succeeded must not look unfinished after a crash.
		const isQuiet = this.tracker.queue.waitingCount === 0 && this.unsavedKey !== undefined;
		const isDue = poll.runAgain > 0 && isQuiet && !poll.isActivation && !this.isReplaced(poll);
		if (isDue && this.memory.mayLog('persist', PERSIST_EVERY_MS)) await this.persist();
	}

	/**
	 * Makes n8n store the progress now, if it will not do so soon for another reason. If that fails, n8n still knows
	 * which tasks have had their run.
	 */
	async persist(): Promise<void> {
		const { poll, unsavedKey: key } = this;
		if (!poll || key === undefined || isDurable(poll.context) || this.isReplaced(poll)) return;
		if (!(await succeeds(this.store(poll)))) return;
		delete this.unsavedKey;
		await poll.emitter.persist(key);
	}

	/** Starts runs until the emitter is closed, another poll takes over, or no task is due before the next poll. */
	private async work(poll: RunningPoll<T>): Promise<void> {
		this.wake();
		while (this.poll === poll && isOpen(poll)) {
			const change = new Promise<void>((resolve) => (this.wake = resolve));
			await this.startDue(poll);
			// A task that is due may have to wait until one of the runs under way ends.
			const { waitMs = Infinity } = this.tracker.queue;
			if (waitMs > NEXT_POLL_MS) return;
			const ms = Math.min(waitMs || SECOND_MS, SECOND_MS);
			await Promise.race([change, sleep(ms)]);
			await succeeds(this.store(poll));
		}
	}

	private async startDue(poll: RunningPoll<T>): Promise<void> {
		const { queue } = this.tracker;
		const due: Array<QueuedTask<T>> = [];
		for (let queued = queue.next(); queued; queued = queue.next()) {
			queue.noteStart(queued);
			due.push(queued);
		}
		if (due.length === 0) return;
		// The plan to run a task is stored first. Otherwise nobody could tell after a crash that the run was lost.
		const isStored = await succeeds(this.store(poll));
		for (const queued of due) {
			if (isStored) void this.run(poll, queued);
			else queue.settle(queued, 'notStored');
		}
	}

	private async run(poll: RunningPoll<T>, queued: QueuedTask<T>): Promise<void> {
		const end = await this.start(poll, queued);
		const { context, emitter } = this.poll ?? poll;
		const report = this.tracker.queue.settle(queued, end);
		if (report) void this.report(queued.task, report);
		this.wake();
		// After a crash, n8n would refuse the task by this key, as if the task had had a run.
		const isKeyLost = end === 'notStarted';
		// When n8n is stopped, it waits for runs to end and polls no more.
		if (isKeyLost || (!emitter.isOpen && !emitterFor(context))) await this.persist();
	}

	private async start(
		{ emitter, json, keyOf }: RunningPoll<T>,
		{ task, key: number, failed }: QueuedTask<T>,
	): Promise<RunEnd> {
		try {
			const key = keyOf(task, number);
			// n8n stores everything that is written until now.
			delete this.unsavedKey;
			const attempt = failed > 0 && { attempt: failed + 1 };
			// The item is a copy, because a node of the workflow may change it, and the next run has to get what the
			// service sent.
			const item = { json: { ...deepCopy(json(task)), ...attempt } };
			const end = await emitter.start(item, key);
			if (end !== 'notStored') this.unsavedKey = key;
			return end;
		} catch {
			// The item cannot be copied, for example because the lead is nested too deeply.
			return 'notStored';
		}
	}

	/** Makes sure that the progress is stored no later than with the next run. */
	private async store({ context, staticData }: RunningPoll<T>): Promise<void> {
		this.memory.format.write(staticData, this.tracker.progress);
		// With durable cursors; elsewhere the next run that is started stores it.
		await context.__commitCursor?.();
	}

	/**
	 * True if a newer poll or emitter has replaced this one. Storing also stores what all other nodes of the workflow
	 * have written, so outdated progress must not be written again.
	 */
	private isReplaced({ context, emitter }: RunningPoll<T>): boolean {
		const isPublishedAnew = (emitterFor(context) ?? emitter) !== emitter;
		return isPublishedAnew || this.memory.runs !== this;
	}

	private async report(task: T, report: RunReport): Promise<void> {
		if (!this.poll) return;
		const { context, words } = this.poll;
		if (report.kind === 'givenUp') {
			const notice = givenUpNotice(words, task, report.runs);
			return await emitError(context, toOperationError(context.getNode(), notice));
		}
		const notice = notStartedNotice(words, task);
		const { message, code } = notice;
		if (this.memory.mayLog('not started')) context.logger.warn(`${message}. ${inLog(code)}`);
		if (report.tries < REPORT_AFTER_TRIES || !this.memory.mayLog('not started for long')) return;
		await emitError(context, toOperationError(context.getNode(), notice));
	}
}

function isOpen<T extends Task>({ context, emitter, deadline }: RunningPoll<T>): boolean {
	return emitter.isOpen && !(isDurable(context) && Date.now() >= deadline);
}

async function succeeds(work: Promise<void>): Promise<boolean> {
	const [{ status }] = await Promise.allSettled([work]);
	return status === 'fulfilled';
}
