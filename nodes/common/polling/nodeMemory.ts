import type { IPollFunctions, ITriggerFunctions } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import { nodeKey } from '../runs/emitter';
import type { QueueTerms, Task } from '../runs/queue';
import { Runner } from '../runs/runner';
import { PollMemory } from './pollMemory';
import type { AnyProgress, BeginTracking, ProgressFormat, RunTracker } from './progress';

/** How often a quiet node has its progress stored: n8n notes each time in its log. */
const PERSIST_EVERY_MS = 15 * MINUTE_MS;

/** How long a host may take to store what it was handed, before it counts as not stored. */
const STORED_WITHIN_MS = 10 * SECOND_MS;

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

	private persistedAt = -Infinity;

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

	/** The last poll that handed items to n8n: `polls` of its progress, and when (epoch ms). */
	private handedOver?: { polls: number; at: number };

	constructor(readonly format: ProgressFormat<P>) {
		super();
	}

	/**
	 * Whether the progress that n8n hands to a poll is from before the items that it was handed last:
	 * it stores both together, a moment later. Polling from it would deliver them again.
	 */
	isBehind({ polls }: P): boolean {
		if (!this.handedOver || polls >= this.handedOver.polls) return false;
		return Math.abs(Date.now() - this.handedOver.at) < STORED_WITHIN_MS;
	}

	/** The tasks on their way into runs of their own, as far as this process knows or as stored. */
	runsFrom(stored: P, isActivation: boolean, terms: QueueTerms, begin: BeginTracking<P, H>) {
		const { runs } = this;
		if (!runs) {
			const known = this.goOnFrom(stored, isActivation);
			// n8n may not have stored the last poll yet, or store it under another name of the node.
			const isStale = this.format.isEmpty(known) || this.isBehind(stored);
			const tracker = begin(known, isStale ? this.handed : undefined, terms);
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
		this.handedOver = { polls: reached.polls, at: Date.now() };
		this.handed = reached;
		delete this.reached;
	}

	/** Whether a quiet node is to have its progress stored. Notes that it is. */
	isToPersist(): boolean {
		const now = Date.now();
		if (Math.abs(now - this.persistedAt) < PERSIST_EVERY_MS) return false;
		this.persistedAt = now;
		return true;
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
