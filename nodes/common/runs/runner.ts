import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import type { RunEnd } from './emitter';
import type { QueuedTask, RunQueue, RunReport, Task } from './queue';

/** How long to sleep at most before looking at the time. */
const WAKE_EVERY_MS = SECOND_MS;

/** What is due later than this is left to the next poll. */
const NEXT_POLL_MS = 30 * SECOND_MS;

/** For how long a poll stays for runs that end soon: then it stores that they did. */
const LINGER_MS = 5 * SECOND_MS;

/** What the newest poll does for the runner. */
export interface RunHost<T extends Task> {
	/** Starts a run of a task, unless n8n knows a run with that key. Never rejects. */
	start(queued: QueuedTask<T>): Promise<RunEnd>;
	/** Sees to it that the progress is stored no later than the next run that is started. */
	store(): Promise<void>;
	/** Whether runs may be started now. */
	isOpen(): boolean;
	/** A run has ended, or was not started, and the progress says so. */
	noteEnd(task: T, report?: RunReport): void;
	/** Has the progress stored now, if nothing else does so soon. */
	persist(): Promise<void>;
}

/** Starts the tasks of a node, a few at a time, and learns what becomes of their runs. */
export class Runner<T extends Task> {
	/** The newest poll. */
	private host?: RunHost<T>;

	/** How many runs are under way. */
	private running = 0;

	/** When a run was started last (epoch ms). */
	private startedAt = 0;

	private wake = () => {};

	constructor(private readonly queue: RunQueue<T>) {}

	/**
	 * Goes on for a poll, in place of the poll before. Ends when the host is closed, another poll takes over, or nothing is to be
	 * done before the next one.
	 */
	async work(host: RunHost<T>): Promise<void> {
		this.host = host;
		this.wake();
		while (this.host === host && host.isOpen()) {
			const change = new Promise<void>((resolve) => (this.wake = resolve));
			await this.startDue(host);
			if (!this.hasWork) return;
			const ms = Math.min(this.queue.waitMs || WAKE_EVERY_MS, WAKE_EVERY_MS);
			await Promise.race([change, sleep(ms)]);
			await orFailed(host.store());
		}
	}

	/** Has the progress stored. If that fails, n8n knows which tasks had their run. */
	async persist(): Promise<void> {
		if (this.host) await orFailed(this.host.persist());
	}

	private get hasWork(): boolean {
		const isRecent = Math.abs(Date.now() - this.startedAt) < LINGER_MS;
		if (this.running > 0 && isRecent) return true;
		const { waitMs = Infinity } = this.queue;
		return waitMs <= NEXT_POLL_MS;
	}

	private async startDue(host: RunHost<T>): Promise<void> {
		const due: Array<QueuedTask<T>> = [];
		for (let queued = this.queue.next(); queued; queued = this.queue.next()) {
			this.queue.noteStart(queued);
			due.push(queued);
		}
		if (due.length === 0) return;
		// If it is not stored that a task is about to run, nobody could tell after a crash that its run was lost.
		const isStored = await orFailed(host.store());
		for (const queued of due) {
			if (isStored) void this.run(host, queued);
			else this.queue.postpone(queued);
		}
	}

	private async run(host: RunHost<T>, queued: QueuedTask<T>): Promise<void> {
		this.running++;
		this.startedAt = Date.now();
		const end = await host.start(queued);
		this.running--;
		const report = this.queue.settle(queued, end);
		this.host?.noteEnd(queued.task, report);
		this.wake();
		// After a crash n8n would refuse the task by its key, as if it had had a run.
		if (end === 'notStarted') await this.persist();
	}
}

async function orFailed(work: Promise<void>): Promise<boolean> {
	const [{ status }] = await Promise.allSettled([work]);
	return status === 'fulfilled';
}
