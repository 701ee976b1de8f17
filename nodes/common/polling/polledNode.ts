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

/**
 * The largest number of tasks, such as leads, that may wait for their runs. When this many wait, the poll asks the
 * service for no more.
 */
const MOST_WAITING = 1_000;

/**
 * The largest number of items in one run, because n8n holds them in memory. If there are more, later polls deliver
 * them.
 */
const MOST_ITEMS = 10_000;

/**
 * How long n8n may take to store the items that a poll returned. If n8n has not stored them after this time, the node
 * treats them as dropped by n8n, and delivers them again.
 */
const STORED_WITHIN_MS = 10 * SECOND_MS;

/** The facts that all parts of a poll share: n8n's context, who started the poll, and the memory of the node. */
export interface Occasion<M extends PollMemory = PollMemory> {
	context: IPollFunctions;
	/**
	 * True if n8n makes this poll while it activates the workflow: a person is publishing the workflow, or n8n is
	 * starting.
	 */
	isActivation: boolean;
	memory: M;
}

type PollCall = Pick<Occasion, 'context' | 'isActivation'>;

/** The instructions for one poll, which follow from the node's parameters. */
export interface TasksPoll<P extends AnyProgress, T extends Task, H>
	extends TaskRuns<T>, Pick<PollingSettings, 'hasOwnRuns' | 'limits'> {
	begin(known: P, terms: QueueTerms): H;
	/**
	 * Asks the service, and adds the tasks that it finds, such as new leads, to the tracker, which keeps them until
	 * each has had its run.
	 *
	 * @throws an error if the poll has failed as a whole
	 */
	readonly ask: (tracker: H, limits: PollLimits) => Promise<void>;
}

/** The memory of one polling node for as long as this process lives, and the steps that all polls have in common. */
export class PolledNode<
	P extends AnyProgress,
	T extends Task,
	H extends TaskTracker<P, T>,
> extends PollMemory {
	/** The runner, which starts a run for each task, such as a lead; unset if “Runs” is set to “One per Poll”. */
	runs?: Runner<P, T, H>;

	/** The poll that is under way. */
	private current?: Promise<unknown>;

	/**
	 * The progress after the last poll, if “Runs” is set to “One per Poll”. It is kept here because many versions of
	 * n8n do not store the progress of a poll that returns no items.
	 */
	private latest?: P;

	/** The number of polls (field `polls`) in the newest progress that n8n has stored, as far as this process knows. */
	private storedPolls = 0;

	/**
	 * The number of polls (field `polls`) in the progress that n8n last got together with items; `handedAt` is the time
	 * (epoch ms).
	 */
	private handedPolls = 0;

	private handedAt = -Infinity;

	constructor(readonly format: ProgressFormat<P>) {
		super();
	}

	/**
	 * Keeps `emit`, the function by which n8n starts runs of the workflow, and soon tries again to start the runs that
	 * n8n did not start. The node's `trigger()` calls this, each time a workflow is published or n8n starts.
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
	 * Polls once. If a poll is still under way, a scheduled poll returns null at once, because the next scheduled poll
	 * does its work. The poll of an activation waits until the other poll has ended, because no later poll is sure to
	 * follow.
	 *
	 * @returns the items of one run; null if there are none, or if each task has a run of its own
	 */
	async poll(call: PollCall, poll: TasksPoll<P, T, H>): Promise<INodeExecutionData[][] | null> {
		const { isActivation } = call;
		while (this.current) {
			if (!isActivation) return null;
			const { latest, storedPolls, handedPolls } = this;
			await Promise.allSettled([this.current]);
			// If a workflow is published anew while a poll is under way, n8n drops the items of that poll. So the state
			// from before that poll is restored, and the items are found again.
			const isDropped = this.handedPolls !== handedPolls;
			if (isDropped) Object.assign(this, { latest, storedPolls, handedPolls });
		}
		const work = poll.hasOwnRuns ? this.pollForRuns(call, poll) : this.pollForItems(call, poll);
		this.current = work;
		return await work.finally(() => delete this.current);
	}

	/**
	 * Finds tasks, such as new leads, and returns all of them as the items of one run. n8n stores the node's progress
	 * together with the items.
	 */
	private async pollForItems(
		call: PollCall,
		poll: TasksPoll<P, T, H>,
	): Promise<INodeExecutionData[][] | null> {
		const { context, isActivation } = call;
		this.leaveRuns();
		const staticData = context.getWorkflowStaticData('node');
		const stored = this.format.read(staticData);
		// If n8n has not yet stored the items of an earlier poll, this poll does nothing: it would continue from the
		// stored progress, and would deliver those items again.
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

	/**
	 * Finds tasks, such as new leads, and starts a run for each of them. Runs are started during the poll and also
	 * after it.
	 */
	private async pollForRuns(call: PollCall, poll: TasksPoll<P, T, H>): Promise<null> {
		const { context, isActivation } = call;
		const emitter = emitterFor(context);
		// An n8n with durable cursors, that is one that stores the progress of each poll itself, polls before it calls
		// `trigger()`, and also in processes that never call `trigger()`. Such a poll cannot start runs.
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
			const running = { ...poll, context, emitter, staticData, deadline };
			// The runs for tasks, such as leads, that are already known start even if the service has failed, but not
			// during an activation that fails.
			if (isAsked || !isActivation) await runner.startRuns(running);
			else tracker.restart();
		}
		return null;
	}

	/**
	 * Returns the runner, which holds the tasks, such as leads, that wait for their runs. If this process has no runner
	 * yet, or another process has stored more progress, the stored progress is used.
	 */
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

	/**
	 * Drops the runner, which starts a run for each task, such as a lead: a person has changed “Runs” to “One per
	 * Poll”.
	 */
	private leaveRuns(): void {
		if (!this.runs) return;
		const { tracker } = this.runs;
		tracker.leave();
		this.latest = withoutRuns(tracker.progress);
		this.storedPolls = tracker.polls;
		this.runs.stop();
		delete this.runs;
	}

	/**
	 * True if n8n has not yet stored the items of the last poll that returned any, but may still do so. n8n stores them
	 * together with the progress, a moment after the poll.
	 */
	private isBehind({ polls }: P): boolean {
		const isStored = polls >= this.handedPolls;
		return !isStored && Math.abs(Date.now() - this.handedAt) < STORED_WITHIN_MS;
	}

	/**
	 * Chooses the progress from which a poll continues. This is the progress in the memory of this process, unless
	 * another process has stored newer progress or n8n has dropped the items of the last poll that returned any: then
	 * it is the stored progress.
	 */
	private goOnFrom(stored: P): P {
		const { latest = stored, storedPolls, handedPolls } = this;
		// Stored progress without any polls does not mean that n8n dropped items: n8n stores progress under the node's
		// name, so a renamed node has none.
		const isLate = stored.polls > 0 && stored.polls < handedPolls;
		const isDropped = isLate && !this.isBehind(stored);
		return stored.polls <= storedPolls && !isDropped ? latest : stored;
	}

	private noteReached(
		stored: P,
		reached: P,
		{ isActivation, hasItems }: { isActivation: boolean; hasItems: boolean },
	): void {
		// n8n stores the progress of this process only together with items or while the workflow is published. Newer
		// stored progress comes from another process.
		if (hasItems || isActivation) this.storedPolls = reached.polls;
		else if (stored.polls !== this.latest?.polls) this.storedPolls = stored.polls;
		if (hasItems) {
			this.handedPolls = reached.polls;
			this.handedAt = Date.now();
		}
		this.latest = reached;
	}
}

/** Returns a function that finds or creates the memory that this process keeps of a node. */
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
