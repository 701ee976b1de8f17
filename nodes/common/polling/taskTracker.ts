import type { QueueTerms, StoredRuns, Task } from '../runs/queue';
import { RunQueue } from '../runs/queue';

/** The progress that every polling node stores. */
export interface AnyProgress {
	/** The number of polls that have succeeded. */
	polls: number;
	/** The runs that may have to be repeated, or that n8n did not start; unset if “Runs” is set to “One per Poll”. */
	runs?: StoredRuns;
}

/** Tracks the tasks of a node, such as leads, until each has had its run, and makes the progress to store. */
export abstract class TaskTracker<P extends AnyProgress, T extends Task> {
	readonly queue: RunQueue<T>;

	/** The number of polls that have succeeded. */
	polls: number;

	constructor({ polls, runs }: AnyProgress, terms: QueueTerms) {
		this.polls = polls;
		this.queue = new RunQueue(runs, terms, (task, isRefused) => this.noteEnd(task, isRefused));
	}

	/**
	 * The progress, which may be stored at any time. If this process is killed, the next process continues from there
	 * and finds again the tasks, such as leads, that have not ended. n8n refuses a second run for those that have had
	 * one.
	 */
	abstract readonly progress: P;

	/**
	 * Drops the tasks, such as leads, for which n8n was not asked to start a run, because a person may have changed
	 * what the node asks for. The next poll finds those again that are still wanted.
	 */
	abstract restart(): void;

	/** Replaces the progress with that of another process, which n8n has stored in the meantime. */
	abstract adopt(stored: P): void;

	/**
	 * Stops starting a run for each task, such as a lead. Tasks whose runs were started count as delivered, and the
	 * next poll finds the others again.
	 */
	leave(): void {
		this.restart();
		this.queue.endStarted();
	}

	/**
	 * Notes that a task, such as a lead, has ended.
	 *
	 * @param isRefused true if n8n refused to start the run, because another process has already started a run with the
	 * same key
	 */
	protected abstract noteEnd(task: T, isRefused: boolean): void;
}
