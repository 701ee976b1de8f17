import type { IDataObject } from 'n8n-workflow';

import type { QueueTerms, RunQueue, Task } from '../runs/queue';
import type { StoredRuns } from '../runs/storedRuns';

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

/**
 * Begins to track.
 *
 * @param handed the progress that went to n8n with the last items, if n8n may not have stored it yet
 */
export type BeginTracking<P extends AnyProgress, H> = (
	known: P,
	handed: P | undefined,
	terms: QueueTerms,
) => H;
