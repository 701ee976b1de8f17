import type { QueueTerms, StoredRuns, Task } from '../runs/queue';
import { RunQueue } from '../runs/queue';

/** The progress of a polling node. */
export interface AnyProgress {
	/** The number of polls that have succeeded. */
	polls: number;
	/** The runs that may be repeated or were not started; unset with One per Poll. */
	runs?: StoredRuns;
}

/** Tracks the tasks of a node on their way into runs, and makes the progress to store. */
export abstract class TaskTracker<P extends AnyProgress, T extends Task> {
	readonly queue: RunQueue<T>;

	/** The number of polls that have succeeded. */
	polls: number;

	constructor({ polls, runs }: AnyProgress, terms: QueueTerms) {
		this.polls = polls;
		this.queue = new RunQueue(runs, terms, (task, isRefused) => this.noteEnd(task, isRefused));
	}

	/**
	 * The progress, which may be stored at any time. A process that follows one that was killed goes on from there, and
	 * n8n refuses the tasks that have had their run.
	 */
	abstract readonly progress: P;

	/**
	 * Drops the tasks for which no run was asked, because the person may have changed what the node asks for. The next
	 * poll finds again those that are still wanted.
	 */
	abstract restart(): void;

	/** Replaces the progress by that of another process, which n8n has stored meanwhile. */
	abstract adopt(stored: P): void;

	/**
	 * Stops runs of single tasks: those whose runs were started count as delivered, and the next poll finds the others
	 * again.
	 */
	leave(): void {
		this.restart();
		this.queue.endStarted();
	}

	/** @param isRefused true if n8n has refused the task, because it knows a run of it that another process began */
	protected abstract noteEnd(task: T, isRefused: boolean): void;
}
