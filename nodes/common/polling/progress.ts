import type { IDataObject } from 'n8n-workflow';

import type { StoredRuns } from '../runs/storedRuns';
import type { QueueTerms, TaskQueue } from '../runs/taskQueue';
import type { Task } from '../runs/taskRuns';

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

/** What hands the tasks of a node to runs of their own, and knows what may be stored of that. */
export interface TaskHandOver<P extends AnyProgress, T extends Task> {
	readonly queue: TaskQueue<T>;
	/**
	 * Fit to be stored at all times: a process that follows one that was killed goes on from there, and n8n tells it which
	 * tasks had their run.
	 */
	readonly progress: P;
	/** What may be stored if nobody is to run these tasks again: those of `queue.begun` count as delivered. */
	leave(): P;
	/** Begins again from what is stored. */
	restart(): void;
	/** Takes over what another process of the node stored meanwhile. */
	adopt(stored: P): void;
}

/**
 * Begins to hand over.
 *
 * @param handed the progress that went to n8n with the last items, if n8n may not have stored it yet
 */
export type BeginHandOver<P extends AnyProgress, H> = (
	known: P,
	handed: P | undefined,
	terms: QueueTerms,
) => H;
