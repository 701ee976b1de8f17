import type {
	IDataObject,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { toOperationError } from '../nodeErrors';
import type { RunEmitter, RunEnd } from '../runs/emitter';
import { dropEmitter, emitterFor, keepEmitter } from '../runs/emitter';
import type { TaskWords } from '../runs/notices';
import { asLogLine, givenUpNotice, noEmitterNotice, notStartedNotice } from '../runs/notices';
import type { QueuedTask, RunReport, Task } from '../runs/queue';
import type { RunHost, Runner } from '../runs/runner';
import { commit, emitError, isDurable } from './host';
import type { PollLimits } from './host';
import type { AnyProgress, BeginTracking, NodeMemory, Occasion, RunTracker } from './memory';

/** n8n was asked so many times in a row to start a run before it is reported: for about half an hour. */
const REPORT_AFTER_TRIES = 5;

/** What a poll asks for while it hands over each task to a run of its own. */
export interface TasksPoll<P extends AnyProgress, T extends Task, H> {
	words: TaskWords<T>;
	/** How many more times a task is run if its run fails. */
	runAgain: number;
	begin: BeginTracking<P, H>;
	/** What asks the service, and adds the tasks that it finds. */
	askingFor(tracker: H): TasksAsking;
	/** What the run is given; made anew for each run, since a workflow may change it. */
	json(task: T): IDataObject;
	/** @returns at most 255 characters: the same for the same task and attempt in each process, and for no other */
	keyOf(task: T, attempt: number): string;
}

interface TasksAsking {
	limits: Pick<PollLimits, 'deadline'>;
	/** @throws what the poll fails of */
	ask(): Promise<void>;
}

type OccasionOf<P extends AnyProgress, T extends Task, H extends RunTracker<P, T>> = Occasion<
	NodeMemory<P, T, H>
>;

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function keepRunning<P extends AnyProgress, T extends Task, H extends RunTracker<P, T>>(
	context: ITriggerFunctions,
	memory: NodeMemory<P, T, H>,
): ITriggerResponse {
	const emitter = keepEmitter(context);
	memory.runs?.tracker.queue.retryNow();
	const closeFunction = async () => {
		if (dropEmitter(context, emitter)) await memory.runs?.runner.persist();
	};
	return { closeFunction };
}

/** A poll that hands each task to a run of its own: runs are started while it goes on, and after it. */
export async function pollWithRuns<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
>(occasion: OccasionOf<P, T, H>, poll: TasksPoll<P, T, H>): Promise<null> {
	const { context, memory } = occasion;
	const emitter = emitterFor(context);
	if (!emitter) {
		// With durable cursors n8n polls before it has started the trigger, and in processes that never do.
		if (memory.isToTell('no emitter')) context.logger.info(noEmitterNotice(poll.words));
		return null;
	}
	await new PollWithRuns(occasion, poll, emitter).run();
	return null;
}

class PollWithRuns<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
> implements RunHost<T> {
	private readonly staticData: IDataObject;

	private readonly tracker: H;

	private readonly runner: Runner<T>;

	private readonly asking: TasksAsking;

	constructor(
		private readonly occasion: OccasionOf<P, T, H>,
		private readonly poll: TasksPoll<P, T, H>,
		private readonly emitter: RunEmitter,
	) {
		const { context, memory, isActivation } = occasion;
		this.staticData = context.getWorkflowStaticData('node');
		const { runAgain, begin } = poll;
		const terms = { runAgain, now: () => Date.now() };
		const stored = memory.format.read(this.staticData);
		const { tracker, runner } = memory.runsFrom(stored, isActivation, terms, begin);
		this.tracker = tracker;
		this.runner = runner;
		this.asking = poll.askingFor(tracker);
	}

	/** @throws what the service failed with; runs go on all the same, unless this is an activation */
	async run(): Promise<void> {
		let isAsked = false;
		try {
			await this.asking.ask();
			isAsked = true;
		} finally {
			if (isAsked || !this.occasion.isActivation) await this.startRuns();
			else this.tracker.restart();
		}
	}

	async start(queued: QueuedTask<T>): Promise<RunEnd> {
		const { memory } = this.occasion;
		try {
			const key = this.poll.keyOf(queued.task, queued.key);
			// n8n stores what is written until now.
			delete memory.unsavedKey;
			const end = await this.emitter.start(this.itemOf(queued), key);
			if (end !== 'notStored') memory.unsavedKey = key;
			return end;
		} catch {
			// Such as a lead that is nested too deeply to be copied.
			return 'notStored';
		}
	}

	async store(): Promise<void> {
		const { context, memory } = this.occasion;
		memory.format.write(this.staticData, this.tracker.progress);
		await commit(context);
	}

	isOpen(): boolean {
		const isOver = this.isDurable && Date.now() >= this.asking.limits.deadline;
		return this.emitter.isOpen && !isOver;
	}

	noteEnd(task: T, report?: RunReport): void {
		// Before it is stored that the task has ended: a crash must not leave it untold.
		if (report) void this.report(task, report);
		// n8n waits for runs to end when it is stopped, and polls no more.
		if (!this.emitter.isOpen && !emitterFor(this.occasion.context)) void this.runner.persist();
	}

	async persist(): Promise<void> {
		const { memory } = this.occasion;
		if (this.isDurable || this.isReplaced || memory.unsavedKey === undefined) return;
		const key = memory.unsavedKey;
		await this.store();
		delete memory.unsavedKey;
		await this.emitter.persist(key);
	}

	private itemOf(queued: QueuedTask<T>): INodeExecutionData {
		const attempt = queued.failed + 1;
		return { json: { ...this.poll.json(queued.task), ...(attempt > 1 && { attempt }) } };
	}

	private get isDurable(): boolean {
		return isDurable(this.occasion.context);
	}

	/** To persist stores what all nodes of the workflow have written as well: what is out of date must not come back. */
	private get isReplaced(): boolean {
		const { context, memory } = this.occasion;
		const isPublishedAnew = (emitterFor(context) ?? this.emitter) !== this.emitter;
		return isPublishedAnew || memory.runs?.runner !== this.runner;
	}

	private async startRuns(): Promise<void> {
		await this.store();
		const work = this.runner.work(this);
		if (this.isDurable) await work;
		await this.persistIfQuiet();
	}

	/** Where a task may be run again, a crash must not make one that has succeeded look unfinished. */
	private async persistIfQuiet(): Promise<void> {
		const { memory, isActivation } = this.occasion;
		// A run that is about to start stores the progress as well.
		const isQuiet = this.tracker.queue.waitingCount === 0 && memory.unsavedKey !== undefined;
		const isDue = this.poll.runAgain > 0 && isQuiet && !isActivation && !this.isReplaced;
		if (isDue && memory.isToPersist()) await this.runner.persist();
	}

	private async report(task: T, report: RunReport): Promise<void> {
		const { context, memory } = this.occasion;
		const { words } = this.poll;
		if (report.kind === 'givenUp') {
			const notice = givenUpNotice(words, task, report, context.getTimezone());
			return await emitError(context, toOperationError(context.getNode(), notice));
		}
		const notice = notStartedNotice(words, task);
		if (memory.isToTell('not started')) context.logger.warn(asLogLine(notice));
		if (report.tries < REPORT_AFTER_TRIES || !memory.isToTell('not started for long')) return;
		await emitError(context, toOperationError(context.getNode(), notice));
	}
}
