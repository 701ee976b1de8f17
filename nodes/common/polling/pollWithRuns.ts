import type {
	IDataObject,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { toOperationError } from '../nodeErrors';
import type { TaskWords } from '../runs/notices';
import { barredNotice, givenUpNotice, noStarterNotice, stuckNotice } from '../runs/notices';
import type { RunOutcome } from '../runs/runOutcome';
import type { RunHost, Runner } from '../runs/runner';
import { dropStarter, keepStarter, starterFor } from '../runs/starters';
import type { Starter } from '../runs/startRun';
import type { Task, TaskRuns } from '../runs/taskRuns';
import { runNumber } from '../runs/taskRuns';
import { commit, emitError, isDurable } from './host';
import type { PollLimits } from './limits';
import type { NodeMemory } from './nodeMemory';
import type { Occasion } from './occasion';
import type { AnyProgress, BeginHandOver, TaskHandOver } from './progress';

/** What a poll asks for while it hands over each task to a run of its own. */
export interface TasksPoll<P extends AnyProgress, T extends Task, H> {
	words: TaskWords<T>;
	/** How many more times a task is run if its run fails. */
	runAgain: number;
	begin: BeginHandOver<P, H>;
	/** What asks the service, and adds the tasks that it finds. */
	askingFor(handOver: H): TasksAsking;
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

type OccasionOf<P extends AnyProgress, T extends Task, H extends TaskHandOver<P, T>> = Occasion<
	NodeMemory<P, T, H>
>;

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function keepRunning<P extends AnyProgress, T extends Task, H extends TaskHandOver<P, T>>(
	context: ITriggerFunctions,
	memory: NodeMemory<P, T, H>,
): ITriggerResponse {
	const starter = keepStarter(context, memory.unsealed);
	memory.runs?.handOver.queue.retryBarred();
	const closeFunction = async () => {
		if (dropStarter(context, starter)) await memory.runs?.runner.seal();
	};
	return { closeFunction };
}

/** A poll that hands each task to a run of its own: runs are started while it goes on, and after it. */
export async function pollWithRuns<
	P extends AnyProgress,
	T extends Task,
	H extends TaskHandOver<P, T>,
>(occasion: OccasionOf<P, T, H>, poll: TasksPoll<P, T, H>): Promise<null> {
	const { context, memory } = occasion;
	const starter = starterFor(context);
	if (!starter) {
		// With durable cursors n8n polls before it has started the trigger, and in processes that never do.
		if (memory.isToTell('no starter')) context.logger.info(noStarterNotice(poll.words));
		return null;
	}
	await new PollWithRuns(occasion, poll, starter).run();
	return null;
}

class PollWithRuns<
	P extends AnyProgress,
	T extends Task,
	H extends TaskHandOver<P, T>,
> implements RunHost<T> {
	private readonly staticData: IDataObject;

	private readonly handOver: H;

	private readonly runner: Runner<T>;

	private readonly asking: TasksAsking;

	constructor(
		private readonly occasion: OccasionOf<P, T, H>,
		private readonly poll: TasksPoll<P, T, H>,
		private readonly starter: Starter,
	) {
		const { context, memory, isActivation } = occasion;
		this.staticData = context.getWorkflowStaticData('node');
		const { runAgain, begin } = poll;
		const terms = { runAgain, now: () => Date.now(), random: () => Math.random() };
		const stored = memory.format.read(this.staticData);
		const { handOver, runner } = memory.runsFrom(stored, isActivation, terms, begin);
		this.handOver = handOver;
		this.runner = runner;
		this.asking = poll.askingFor(handOver);
	}

	/** @throws what the service failed with; runs go on all the same, unless this is an activation */
	async run(): Promise<void> {
		let isAsked = false;
		try {
			await this.asking.ask();
			isAsked = true;
		} finally {
			if (isAsked || !this.occasion.isActivation) await this.startRuns();
			else this.handOver.restart();
		}
	}

	async start(runs: TaskRuns<T>): Promise<RunOutcome> {
		try {
			const key = this.poll.keyOf(runs.task, runs.attempt);
			const outcome = await this.starter.start(this.itemOf(runs), key);
			if (outcome.end !== 'refused' || !this.handOver.queue.hasToKnowWhere(runs)) return outcome;
			const isElsewhere = await this.starter.askWhere(key);
			return isElsewhere === undefined ? { end: 'unstored' } : { ...outcome, isElsewhere };
		} catch {
			// Such as a lead that is nested too deeply to be copied.
			return { end: 'unstored' };
		}
	}

	async store(): Promise<void> {
		const { context, memory } = this.occasion;
		memory.format.write(this.staticData, this.storable);
		await commit(context);
	}

	isOpen(): boolean {
		return this.starter.isOpen && !(this.isDurable && Date.now() >= this.asking.limits.deadline);
	}

	noteEnd(): void {
		// Before it is stored that the task has ended: a crash must not leave it untold.
		void this.report();
		// n8n waits for runs to end when it is stopped, and polls no more.
		if (!this.starter.isOpen && !starterFor(this.occasion.context)) void this.runner.seal();
	}

	async seal(): Promise<void> {
		if (this.isDurable || this.isLeft) return;
		await this.store();
		await this.starter.seal();
	}

	private itemOf(runs: TaskRuns<T>): INodeExecutionData {
		const attempt = runNumber(runs);
		return { json: { ...this.poll.json(runs.task), ...(attempt > 1 && { attempt }) } };
	}

	private get isDurable(): boolean {
		return isDurable(this.occasion.context);
	}

	/** To seal stores what all nodes of the workflow have written as well: what is out of date must not come back. */
	private get isLeft(): boolean {
		const { context, memory } = this.occasion;
		const isPublishedAnew = (starterFor(context) ?? this.starter) !== this.starter;
		return isPublishedAnew || memory.runs?.runner !== this.runner;
	}

	private get storable(): P {
		const { handOver, starter } = this;
		const { progress } = handOver;
		if (this.isDurable || starter.canSeal || this.poll.runAgain === 0) return progress;
		// After any restart, the last runs that have succeeded would look unfinished.
		return { ...progress, runs: undefined };
	}

	private async startRuns(): Promise<void> {
		await this.store();
		const work = this.runner.work(this);
		if (this.isDurable) await work;
		await this.sealIfQuiet();
	}

	/** Where a task may be run again, a crash must not make one that has succeeded look unfinished. */
	private async sealIfQuiet(): Promise<void> {
		const { memory, isActivation } = this.occasion;
		const { handOver, poll, starter } = this;
		// A run that is about to start stores the progress as well.
		const isQuiet = handOver.queue.waitingCount === 0 && starter.isUnsealed && !isActivation;
		const isDue = poll.runAgain > 0 && isQuiet && !this.isLeft;
		if (isDue && memory.isToSeal()) await this.runner.seal();
	}

	private async report(): Promise<void> {
		const { context } = this.occasion;
		const { words } = this.poll;
		const { queue } = this.handOver;
		const barred = queue.takeBarred();
		if (barred) context.logger.warn(barredNotice(words, barred));
		const notices = [
			...queue.takeGivenUp().map((each) => givenUpNotice(words, each, context.getTimezone())),
			...queue.takeStuck().map((task) => stuckNotice(words, task)),
		];
		for (const told of notices) {
			await emitError(context, toOperationError(context.getNode(), told));
		}
	}
}
