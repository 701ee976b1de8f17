import type { QueueTerms, StoredRuns, Task } from '../runs/queue';
import { RunQueue } from '../runs/queue';

/** How far the polls of a node came, whatever they poll for. */
export interface AnyProgress {
	/** How many polls have succeeded. */
	polls: number;
	/** Only if each task has a run of its own. */
	runs?: StoredRuns;
}

/** Knows how far the tasks of a node are on their way into runs, and what may be stored of that. */
export abstract class TaskTracker<P extends AnyProgress, T extends Task> {
	readonly queue: RunQueue<T>;

	/** How many polls have succeeded. */
	polls: number;

	constructor({ polls, runs }: AnyProgress, terms: QueueTerms) {
		this.polls = polls;
		this.queue = new RunQueue(runs, terms, (task, isRefused) => this.noteEnd(task, isRefused));
	}

	/**
	 * Fit to be stored at all times: a process that follows one that was killed goes on from there, and n8n refuses the tasks that
	 * have had their run.
	 */
	abstract readonly progress: P;

	/** Tasks of which no run was asked for are found once more: the person may have changed what the node asks for. */
	abstract restart(): void;

	/** Takes over what another process of the node stored meanwhile. */
	abstract adopt(stored: P): void;

	/** Nobody is to run these tasks again: those whose runs were started count as delivered, and the others are found once more. */
	leave(): void {
		this.restart();
		this.queue.endStarted();
	}

	/** @param isRefused whether n8n has refused the task, since it knows a run of it that another process began */
	protected abstract noteEnd(task: T, isRefused: boolean): void;
}
