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

/**
 * The longest time for which one poll waits until the run of a task, such as a lead, may start. A task that has to wait
 * longer is left to the next poll.
 */
const NEXT_POLL_MS = 30 * SECOND_MS;

/**
 * After this many failed attempts in a row to start a run, a failed execution is reported: about half an hour after the
 * first attempt.
 */
const REPORT_AFTER_TRIES = 5;

/**
 * Between the runs that it starts, a node makes n8n store the node's progress at most once in this time. The time is
 * long, because n8n writes a line to its log whenever it is made to store progress.
 */
const PERSIST_EVERY_MS = 15 * MINUTE_MS;

/** How the tasks of a node, such as leads, get their runs. */
export interface TaskRuns<T extends Task> {
	words: TaskWords<T>;
	/** How many more times the workflow is run for a task, such as a lead, if its run fails. */
	runAgain: number;
	/** Makes the item that the first node gets in the run of a task, such as a lead. */
	readonly json: (task: T) => IDataObject;
	/**
	 * Makes the key of a run for a task, such as a lead. n8n stores the key, and refuses a second run with the same
	 * key.
	 *
	 * @returns at most 255 characters, the same for one task and attempt in every process, and different for every
	 * other task or attempt
	 */
	readonly keyOf: (task: T, attempt: number) => string;
}

/** A poll at the stage at which the service has been asked and runs may start. */
export interface RunningPoll<T extends Task> extends TaskRuns<T> {
	context: IPollFunctions;
	emitter: RunEmitter;
	/** The data that n8n stores for the node. */
	staticData: IDataObject;
	/**
	 * The time after which the poll starts no run (epoch ms). It is used only if n8n has durable cursors, that is if it
	 * stores the progress of each poll itself.
	 */
	deadline: number;
}

/** Starts the runs of a node's tasks, a few at a time, and receives the result of each run. */
export class Runner<P extends AnyProgress, T extends Task, H extends TaskTracker<P, T>> {
	/** The latest poll, whose settings and means to start runs are used. */
	private poll?: RunningPoll<T>;

	/** The key of a run whose result is not yet part of the progress that n8n has stored. */
	private unsavedKey?: string;

	private wake = () => {};

	constructor(
		private readonly memory: PolledNode<P, T, H>,
		readonly tracker: H,
	) {}

	/**
	 * Starts the runs that are due. From now on, an earlier poll starts no more runs. An n8n with durable cursors
	 * stores progress only before the poll ends, so runs start only until this method returns. Any other n8n can store
	 * progress later too, so runs are started even after this method has returned.
	 */
	async startRuns(poll: RunningPoll<T>): Promise<void> {
		await this.store(poll);
		this.poll = poll;
		const work = this.work(poll);
		if (isDurable(poll.context)) await work;
		// If failed runs are repeated, a task, such as a lead, looks unfinished after a crash unless the success of its
		// run was stored. So n8n is made to store the progress even if it starts no further run.
		const isDue = poll.runAgain > 0 && this.unsavedKey !== undefined;
		if (isDue && this.memory.mayLog('persist', PERSIST_EVERY_MS)) await this.persist();
	}

	/**
	 * Ends the work of this runner, because a person has changed “Runs” to “One per Poll”: it starts no more runs, and
	 * stores nothing more when a run ends.
	 */
	stop(): void {
		delete this.poll;
	}

	/**
	 * Makes n8n store the progress now if a run has ended since n8n last stored it. If storing fails, n8n stores the
	 * progress when the next run starts.
	 *
	 * Once the workflow is published anew, this does nothing, and the first poll of the new publication stores the
	 * progress. With the emitter of the old publication, n8n would store the data of all nodes of the workflow as they
	 * were before, over newer data.
	 */
	async persist(): Promise<void> {
		const { poll, unsavedKey: key } = this;
		if (!poll || key === undefined || isDurable(poll.context)) return;
		const { emitter } = poll;
		const isPublishedAnew = (emitterFor(poll.context) ?? emitter) !== emitter;
		if (isPublishedAnew) return;
		if (!(await this.couldStore(poll))) return;
		delete this.unsavedKey;
		await emitter.persist(key);
	}

	/**
	 * Starts runs until the workflow is unpublished, a newer poll takes over, the poll's time is over, or no task, such
	 * as a lead, is due before the next poll.
	 */
	private async work(poll: RunningPoll<T>): Promise<void> {
		this.wake();
		while (this.poll === poll && isOpen(poll)) {
			const change = new Promise<void>((resolve) => (this.wake = resolve));
			await this.startDue(poll);
			// A task, such as a lead, may have to wait, or too many runs are under way. The loop looks for due tasks again
			// when a run has ended, or after a second.
			const { waitMs = Infinity } = this.tracker.queue;
			if (waitMs > NEXT_POLL_MS) return;
			await Promise.race([change, sleep(SECOND_MS)]);
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
		// The progress now shows which tasks, such as leads, are about to get a run, and is stored before the runs
		// start. Otherwise, if n8n crashed, the next process could not know that these runs were lost.
		const isStored = await this.couldStore(poll);
		for (const queued of due) {
			if (isStored) void this.run(poll, queued);
			else queue.settle(queued, 'notStored');
		}
	}

	private async run(poll: RunningPoll<T>, queued: QueuedTask<T>): Promise<void> {
		const end = await this.start(poll, queued);
		const report = this.tracker.queue.settle(queued, end);
		if (report) void this.report(poll, queued.task, report);
		this.wake();
		// If n8n stores the key of a run without executing a node, the key cannot start a run any more. If n8n crashed
		// then, before the progress with the next key was stored, the next process would use the key again, and n8n
		// would refuse it as if the task (such as a lead) had had its run.
		const isKeyLost = end === 'notStarted';
		// When n8n shuts down, it waits until runs have ended, but polls no more. So the progress has to be stored when
		// a run ends.
		if (isKeyLost || !emitterFor(poll.context)) await this.persist();
	}

	private async start(
		{ emitter, json, keyOf }: RunningPoll<T>,
		{ task, key: number, failed }: QueuedTask<T>,
	): Promise<RunEnd> {
		try {
			const key = keyOf(task, number);
			// When n8n starts a run, it also stores the node's progress, with the results of all runs that ended
			// before. So `persist` does not have to store those results.
			delete this.unsavedKey;
			const attempt = failed > 0 && { attempt: failed + 1 };
			// The run gets a copy of the item, because a node of the workflow may change the item, and a repeated run
			// must get what the service sent.
			const item = { json: { ...deepCopy(json(task)), ...attempt } };
			const end = await emitter.start(item, key);
			// With a key that n8n has not stored, `persist` would use up the key of a run that is still to come.
			if (end !== 'notStored') this.unsavedKey = key;
			return end;
		} catch {
			// The item could not be copied, for example because the lead is nested too deeply. The task (such as a lead)
			// is tried again and reported, instead of counting as under way for as long as this process lives.
			return 'notStored';
		}
	}

	/**
	 * Writes the progress into the node's static data. n8n stores that data at the latest when it starts the next run.
	 */
	private async store({ context, staticData }: RunningPoll<T>): Promise<void> {
		this.memory.format.write(staticData, this.tracker.progress);
		// In an n8n with durable cursors, `__commitCursor` stores the progress at once. Any other n8n stores it when the
		// next run starts.
		await context.__commitCursor?.();
	}

	/** Stores the progress as `store` does, and returns true if that was possible. */
	private async couldStore(poll: RunningPoll<T>): Promise<boolean> {
		const [{ status }] = await Promise.allSettled([this.store(poll)]);
		return status === 'fulfilled';
	}

	private async report(
		{ context, words }: RunningPoll<T>,
		task: T,
		report: RunReport,
	): Promise<void> {
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
