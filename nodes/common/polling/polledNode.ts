import type {
	INodeExecutionData,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import { dropEmitter, emitterFor, keepEmitter, nodeKey } from '../runs/emitter';
import type { QueueTerms, Task } from '../runs/queue';
import type { PollLimits } from './host';
import { limitsOfPoll } from './host';
import { PollMemory } from './memory';
import type { ProgressFormat } from './progressFormat';
import type { TaskRuns } from './runner';
import { Runner } from './runner';
import type { PollingSettings } from './settings';
import type { AnyProgress, TaskTracker } from './taskTracker';
import { reportNothingSent } from './unsent';

/** The most tasks that wait for their runs. While so many wait, the service is asked for no more. */
const MOST_WAITING = 1_000;

/** The most items of one run, because n8n holds them in memory. Later polls deliver the rest of a backlog. */
const MOST_ITEMS = 10_000;

/** How long n8n may take to store what it was handed, before that counts as dropped. */
const STORED_WITHIN_MS = 10 * SECOND_MS;

/** What every poll goes by. */
export interface Occasion<M extends PollMemory = PollMemory> {
	context: IPollFunctions;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	memory: M;
}

type PollCall = Pick<Occasion, 'context' | 'isActivation'>;

/** What one poll is to do, as the person has set the node. */
export interface TasksPoll<P extends AnyProgress, T extends Task, H>
	extends TaskRuns<T>, Pick<PollingSettings, 'hasOwnRuns' | 'limits'> {
	begin(known: P, terms: QueueTerms): H;
	/**
	 * Asks the service, and adds the tasks that it finds.
	 *
	 * @throws the failure of the poll
	 */
	readonly ask: (tracker: H, limits: PollLimits) => Promise<void>;
}

/** A polling node, kept as long as the process lives: its memory, and the frame of its polls. */
export class PolledNode<
	P extends AnyProgress,
	T extends Task,
	H extends TaskTracker<P, T>,
> extends PollMemory {
	/** Starts the runs; unset with One per Poll. */
	runs?: Runner<P, T, H>;

	/** The poll that is under way. */
	private current?: Promise<unknown>;

	/** With One per Poll: the progress of the last poll. Many hosts do not store a poll that returns nothing. */
	private latest?: P;

	/** The field `polls` of the newest progress that n8n has stored, as far as this process knows. */
	private storedPolls = 0;

	/** The field `polls` of the progress that n8n got last together with items, and when that was (epoch ms). */
	private handedPolls = 0;

	private handedAt = -Infinity;

	constructor(readonly format: ProgressFormat<P>) {
		super();
	}

	/**
	 * Keeps the emitter and goes on with runs. n8n calls this before the first poll, whenever a workflow is published
	 * or n8n starts.
	 */
	keepRunning(context: ITriggerFunctions): ITriggerResponse {
		const emitter = keepEmitter(context);
		this.runs?.tracker.queue.retryNow();
		reportNothingSent(context, this);
		const closeFunction = async () => {
			if (dropEmitter(context, emitter)) await this.runs?.persist();
		};
		return { closeFunction };
	}

	/**
	 * Polls once. Polls do not overlap: a tick is skipped while a poll is under way, because the next tick does its
	 * work. An activation has no next tick, so it waits.
	 *
	 * @returns the items of one run; null if there are none, or if each task has a run of its own
	 */
	async poll(call: PollCall, poll: TasksPoll<P, T, H>): Promise<INodeExecutionData[][] | null> {
		const { isActivation } = call;
		while (this.current) {
			if (!isActivation) return null;
			const { latest, storedPolls, handedPolls } = this;
			await Promise.allSettled([this.current]);
			// n8n drops the items of a poll if the workflow is published anew meanwhile.
			const isDropped = this.handedPolls !== handedPolls;
			if (isDropped) Object.assign(this, { latest, storedPolls, handedPolls });
		}
		const work = poll.hasOwnRuns ? this.pollForRuns(call, poll) : this.pollForItems(call, poll);
		this.current = work;
		return await work.finally(() => delete this.current);
	}

	/** Returns all tasks as the items of one run. n8n stores the progress together with the items. */
	private async pollForItems(
		call: PollCall,
		poll: TasksPoll<P, T, H>,
	): Promise<INodeExecutionData[][] | null> {
		const { context, isActivation } = call;
		this.leaveRuns();
		const staticData = context.getWorkflowStaticData('node');
		const stored = this.format.read(staticData);
		// A poll that went on from the progress before the last items would deliver those items again.
		if (this.isBehind(stored) && !isActivation) return null;
		const tracker = poll.begin(this.goOnFrom(stored), queueTermsOf(poll));
		tracker.leave();
		await poll.ask(tracker, limitsOfPoll(call, poll.limits));
		tracker.polls++;
		const items = tracker.queue.endAll().map((task) => ({ json: poll.json(task) }));
		const reached = withoutRuns(tracker.progress);
		this.format.write(staticData, reached);
		this.noteReached(stored, reached, { isActivation, hasItems: items.length > 0 });
		return items.length > 0 ? [items] : null;
	}

	/** Starts a run for each task, while the poll goes on and after it. */
	private async pollForRuns(call: PollCall, poll: TasksPoll<P, T, H>): Promise<null> {
		const { context, isActivation } = call;
		const emitter = emitterFor(context);
		// With durable cursors, n8n polls before it has called `trigger()`, and in processes that never call it.
		if (!emitter) return null;
		const staticData = context.getWorkflowStaticData('node');
		const runner = this.runnerFrom(this.format.read(staticData), isActivation, poll);
		const { tracker } = runner;
		const limits = limitsOfPoll(call, poll.limits);
		let isAsked = false;
		try {
			await poll.ask(tracker, limits);
			tracker.polls++;
			isAsked = true;
		} finally {
			const { deadline } = limits;
			const running = { ...poll, context, emitter, isActivation, staticData, deadline };
			// Runs are started even if the service has failed, unless this is an activation.
			if (isAsked || !isActivation) await runner.startRuns(running);
			else tracker.restart();
		}
		return null;
	}

	/** The runner with the tasks on their way into runs, as this process knows them or as they are stored. */
	private runnerFrom(stored: P, isActivation: boolean, poll: TasksPoll<P, T, H>): Runner<P, T, H> {
		const terms = queueTermsOf(poll);
		if (!this.runs) {
			return (this.runs = new Runner(this, poll.begin(this.goOnFrom(stored), terms)));
		}
		const { tracker } = this.runs;
		tracker.queue.terms = terms;
		if (isActivation) tracker.restart();
		if (stored.polls > tracker.polls) tracker.adopt(stored);
		return this.runs;
	}

	/** Ends the runs of single tasks, because a person has changed Runs to One per Poll. */
	private leaveRuns(): void {
		if (!this.runs) return;
		const { tracker } = this.runs;
		tracker.leave();
		this.latest = withoutRuns(tracker.progress);
		this.storedPolls = tracker.polls;
		delete this.runs;
	}

	/**
	 * True if n8n has yet to store the items that it got last. It stores them together with the progress, a moment
	 * later.
	 */
	private isBehind({ polls }: P): boolean {
		const isStored = polls >= this.handedPolls;
		return !isStored && Math.abs(Date.now() - this.handedAt) < STORED_WITHIN_MS;
	}

	/**
	 * The progress to go on from: that of this process, unless another process has stored more, or n8n has dropped the
	 * items that it got.
	 */
	private goOnFrom(stored: P): P {
		const { latest = stored, storedPolls, handedPolls } = this;
		// If the node was renamed, nothing is stored under its new name.
		const isLate = stored.polls > 0 && stored.polls < handedPolls;
		const isDropped = isLate && !this.isBehind(stored);
		return stored.polls <= storedPolls && !isDropped ? latest : stored;
	}

	private noteReached(
		stored: P,
		reached: P,
		{ isActivation, hasItems }: { isActivation: boolean; hasItems: boolean },
	): void {
		// n8n has the progress of another process, and of this process the progress that came with items or while the
		// workflow was published.
		if (hasItems || isActivation) this.storedPolls = reached.polls;
		else if (stored.polls !== this.latest?.polls) this.storedPolls = stored.polls;
		if (hasItems) {
			this.handedPolls = reached.polls;
			this.handedAt = Date.now();
		}
		this.latest = reached;
	}
}

/** Keeps the memory of this process for each node of a kind. */
export function memories<M>(create: () => M): (context: IPollFunctions | ITriggerFunctions) => M {
	const byNode = new Map<string, M>();
	return (context) => {
		const key = nodeKey(context);
		const known = byNode.get(key) ?? create();
		byNode.set(key, known);
		return known;
	};
}

type QueueSettings = Pick<PollingSettings, 'hasOwnRuns' | 'runAgain'>;

function queueTermsOf({ hasOwnRuns, runAgain }: QueueSettings): QueueTerms {
	const mostWaiting = hasOwnRuns ? MOST_WAITING : MOST_ITEMS;
	return { runAgain, mostWaiting, now: () => Date.now() };
}

function withoutRuns<P extends AnyProgress>(progress: P): P {
	return { ...progress, runs: undefined };
}
