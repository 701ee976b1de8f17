import type { IDataObject, IPollFunctions, ITriggerFunctions } from 'n8n-workflow';

import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { nodeKey } from '../runs/emitter';
import type { QueueTerms, RunQueue, StoredRuns, Task } from '../runs/queue';
import { Runner } from '../runs/runner';
import { FailureLog } from './failures';

/** How often a quiet node has its progress stored: n8n notes each time in its log. */
const PERSIST_EVERY_MS = 15 * MINUTE_MS;

/** How often n8n's log is told of something that goes on. */
const TELL_EVERY_MS = HOUR_MS;

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
	/** Whether nothing has begun, as under a new name of the node: n8n stores by the name. */
	isEmpty(progress: P): boolean;
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

	/** When n8n's log was told of something that goes on, by what it is (epoch ms). */
	private readonly told = new Map<string, number>();

	/** Whether n8n's log is to be told of something that goes on: once an hour. Notes that it is. */
	isToTell(what: string, everyMs = TELL_EVERY_MS): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.told.get(what) ?? -Infinity));
		if (elapsedMs < everyMs) return false;
		this.told.set(what, now);
		return true;
	}
}

/** What a process remembers of a node between its polls, and how far they came beyond what n8n stores. */
export class NodeMemory<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
> extends PollMemory {
	/** Only if each task has a run of its own. */
	runs?: { tracker: H; runner: Runner<T> };

	/** The key of a run that has ended since n8n stored the node's progress last. */
	unsavedKey?: string;

	/** The progress that came with the last items: under a new name of the node nothing is stored. */
	handed?: P;

	/**
	 * `progress`: how far the last poll came without handing anything over; many hosts do not store that.
	 * `from`: `polls` of the stored progress that it went on from.
	 */
	private unstored?: { from: number; progress: P };

	/** How far the polls of this process came, unless the last one handed something over. */
	private reached?: P;

	/** `polls` of the newest progress of this process that n8n stores. */
	private storedPolls = 0;

	/** When items were handed to n8n last (epoch ms). */
	private handedAt = -Infinity;

	constructor(readonly format: ProgressFormat<P>) {
		super();
	}

	/**
	 * Whether the progress that n8n hands to a poll is from before the items that it was handed last:
	 * it stores both together, a moment later. Polling from it would deliver them again.
	 */
	isBehind({ polls }: P): boolean {
		if (!this.handed || polls >= this.handed.polls) return false;
		return Math.abs(Date.now() - this.handedAt) < STORED_WITHIN_MS;
	}

	/** The tasks on their way into runs of their own, as far as this process knows or as stored. */
	runsFrom(stored: P, isActivation: boolean, terms: QueueTerms, begin: BeginTracking<P, H>) {
		const { runs } = this;
		if (!runs) {
			const tracker = begin(this.goOnFrom(stored, isActivation), terms);
			return (this.runs = { tracker, runner: new Runner(tracker.queue) });
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
		this.reached = this.runs.tracker.leave();
		this.storedPolls = this.reached.polls;
		delete this.runs;
	}

	/** What is stored, or what this process reached since and the host did not store. */
	goOnFrom(stored: P, isActivation: boolean): P {
		// What another process stored meanwhile counts, and what it delivered.
		const isOfAnother = isActivation && stored.polls > this.storedPolls;
		if (!isOfAnother && this.unstored?.from === stored.polls) return this.unstored.progress;
		delete this.unstored;
		if (!isActivation || isOfAnother) return stored;
		// A workflow that is published again is loaded anew, from before its last quiet polls.
		const { reached = stored } = this;
		return reached.polls >= stored.polls ? reached : stored;
	}

	/** Keeps what a poll has begun, for the case that it fails. */
	noteBegun(stored: P, progress: P): void {
		this.unstored = { from: stored.polls, progress };
	}

	/** n8n stores this progress, since it is an activation's or comes with items. */
	noteStored({ polls }: P): void {
		this.storedPolls = polls;
	}

	/** A poll has come this far, and found nothing. */
	noteQuiet(stored: P, reached: P): void {
		this.unstored = { from: stored.polls, progress: reached };
		this.reached = reached;
	}

	/** A poll has come this far, and hands items to n8n. */
	noteHandOver(reached: P): void {
		this.handedAt = Date.now();
		this.handed = reached;
		delete this.reached;
	}

	/** Whether a quiet node is to have its progress stored. Notes that it is. */
	isToPersist(): boolean {
		return this.isToTell('persist', PERSIST_EVERY_MS);
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
export async function pollInTurn<P, R>(
	memory: PollMemory & { handed?: P },
	isActivation: boolean,
	begin: () => Promise<R>,
): Promise<R | null> {
	while (memory.current) {
		if (!isActivation) return null;
		const { handed } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		memory.handed = handed;
	}
	const poll = begin();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}
