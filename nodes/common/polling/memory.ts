import type { IDataObject, IPollFunctions, ITriggerFunctions } from 'n8n-workflow';

import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS, SECOND_MS } from '../../../service/basics/times';
import { nodeKey } from '../runs/emitter';
import type { QueueTerms, RunQueue, StoredRuns, Task } from '../runs/queue';
import { FailureLog } from './failures';
import { Runner } from './runner';

/** How long a host may take to store what it was handed, before it counts as not stored. */
const STORED_WITHIN_MS = 10 * SECOND_MS;

/** How far the polls of a node came, whatever they poll for. */
export interface AnyProgress {
	/** How many polls have succeeded. */
	polls: number;
	/** Only if each task has a run of its own. */
	runs?: StoredRuns;
}

/** How progress is kept in the data that n8n stores for a node. */
export interface ProgressFormat<P extends AnyProgress> {
	/** @throws UnreadableProgress rather than to start over */
	read(stored: IDataObject): P;
	write(stored: IDataObject, progress: P): void;
}

/** Knows how far the tasks of a node are on their way into runs of their own, and what may be stored of that. */
export interface RunTracker<P extends AnyProgress, T extends Task> {
	readonly queue: RunQueue<T>;
	/**
	 * Fit to be stored at all times: a process that follows one that was killed goes on from there, and n8n tells it which
	 * tasks had their run.
	 */
	readonly progress: P;
	/** What may be stored if nobody is to run these tasks again: those of `queue.run` count as delivered. */
	leave(): P;
	/** Begins again from what is stored. */
	restart(): void;
	/** Takes over what another process of the node stored meanwhile. */
	adopt(stored: P): void;
}

/** Begins to track the tasks of a node. */
export type BeginTracking<P extends AnyProgress, H> = (known: P, terms: QueueTerms) => H;

/** What every poll goes by. */
export interface Occasion<M extends PollMemory = PollMemory> {
	context: IPollFunctions;
	memory: M;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
}

/** What a process remembers of a node between its polls, whatever they poll for. */
export class PollMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** The poll under way. */
	current?: Promise<unknown>;

	/** When each kind of line was written to n8n's log last (epoch ms). */
	private readonly loggedAt = new Map<string, number>();

	/** Whether n8n's log may have such a line again: one an hour. Notes that it has. */
	mayLog(what: string, everyMs = HOUR_MS): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.loggedAt.get(what) ?? -Infinity));
		if (elapsedMs < everyMs) return false;
		this.loggedAt.set(what, now);
		return true;
	}
}

/** How far the polls of a process came. */
interface Reach<P> {
	/** Whether n8n has stored it or not. */
	latest?: P;
	/** `polls` of the stored progress that this went on from. */
	from: number;
	/** `polls` of the newest progress that n8n stores, as far as this process knows. */
	storedPolls: number;
	/** `polls` of the progress that came with items last, and when that was (epoch ms). */
	handedPolls: number;
	handedAt: number;
}

/** What a process remembers of a node between its polls, and how far they came beyond what n8n stores. */
export class NodeMemory<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
> extends PollMemory {
	/** Only if each task has a run of its own. */
	runs?: Runner<P, T, H>;

	reach: Reach<P> = { from: 0, storedPolls: 0, handedPolls: 0, handedAt: -Infinity };

	constructor(readonly format: ProgressFormat<P>) {
		super();
	}

	/**
	 * Whether the progress that n8n hands to a poll is from before the items that it was handed last:
	 * it stores both together, a moment later. Polling from it would deliver them again.
	 */
	isBehind({ polls }: P): boolean {
		const { handedPolls, handedAt } = this.reach;
		return polls < handedPolls && Math.abs(Date.now() - handedAt) < STORED_WITHIN_MS;
	}

	/** The tasks on their way into runs of their own, as far as this process knows or as stored. */
	runnerFrom(stored: P, isActivation: boolean, terms: QueueTerms, begin: BeginTracking<P, H>) {
		const { runs } = this;
		if (!runs) {
			return (this.runs = new Runner(this, begin(this.goOnFrom(stored, isActivation), terms)));
		}
		const { tracker } = runs;
		tracker.queue.terms = terms;
		if (isActivation) tracker.restart();
		if (stored.polls > tracker.progress.polls) tracker.adopt(stored);
		return runs;
	}

	/** The tasks no longer have runs of their own. */
	leaveRuns(): void {
		if (!this.runs) return;
		const latest = this.runs.tracker.leave();
		this.reach = { ...this.reach, latest, from: latest.polls, storedPolls: latest.polls };
		delete this.runs;
	}

	/** What is stored, or what this process reached since: many hosts do not store a poll that hands over nothing. */
	goOnFrom(stored: P, isActivation: boolean): P {
		const { latest = stored, from, storedPolls, handedPolls } = this.reach;
		if (!isActivation) return stored.polls === from ? latest : stored;
		// Under a new name of the node nothing is stored, and otherwise the items may have been dropped.
		const isDropped = stored.polls > 0 && stored.polls < handedPolls && !this.isBehind(stored);
		// A workflow that is published again is loaded anew, from before its last quiet polls.
		return stored.polls <= storedPolls && !isDropped ? latest : stored;
	}

	/** A poll has come this far without handing over anything: what an activation has read is stored all the same. */
	noteQuiet(stored: P, reached: P, isActivation = false): void {
		const { latest, storedPolls: before } = this.reach;
		// n8n has what another process reached, and of this one only what was to be stored.
		const known = stored.polls === latest?.polls ? before : stored.polls;
		const storedPolls = isActivation ? reached.polls : known;
		this.reach = { ...this.reach, latest: reached, from: stored.polls, storedPolls };
	}

	/** A poll has come this far, and hands items to n8n. */
	noteHandOver(latest: P): void {
		const { polls } = latest;
		const handedAt = Date.now();
		this.reach = { latest, from: polls, storedPolls: polls, handedPolls: polls, handedAt };
	}
}

/** Keeps a memory for each node of a kind, for as long as the process lives. */
export function memories<M>(create: () => M): (context: IPollFunctions | ITriggerFunctions) => M {
	const byNode = new Map<string, M>();
	return (context) => {
		const key = nodeKey(context);
		const known = byNode.get(key);
		if (known !== undefined) return known;
		const memory = create();
		byNode.set(key, memory);
		return memory;
	};
}

/**
 * Runs the polls of a node one after the other. A tick is skipped while a poll is under way: the next one takes over what is left.
 * An activation has no next one, and waits.
 *
 * @returns null if it is skipped
 */
export async function pollInTurn<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
	R,
>(memory: NodeMemory<P, T, H>, isActivation: boolean, begin: () => Promise<R>): Promise<R | null> {
	while (memory.current) {
		if (!isActivation) return null;
		const { reach } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		if (memory.reach.handedAt !== reach.handedAt) memory.reach = reach;
	}
	const poll = begin();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}
