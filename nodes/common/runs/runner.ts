import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import type { RunOutcome } from './runOutcome';
import type { TaskQueue } from './taskQueue';
import type { Task, TaskRuns } from './taskRuns';

/** How long to sleep at most before looking at the time. */
const LOOK_EVERY_MS = SECOND_MS;

/** What is due later than this is left to the next poll. */
const NEXT_POLL_MS = 30 * SECOND_MS;

/** For how long a poll stays for runs that end soon: then it stores that they did. */
const LINGER_MS = 5 * SECOND_MS;

/** What a poll lends the runner. */
export interface RunHost<T extends Task> {
	/** Starts a run of a task, unless n8n knows a run of that attempt. Never rejects. */
	start(runs: TaskRuns<T>): Promise<RunOutcome>;
	/** Sees to it that the progress is stored no later than the next run that is started. */
	store(): Promise<void>;
	/** Whether runs may be started now. */
	isOpen(): boolean;
	/** A run has ended, and the progress says so. */
	noteEnd(): void;
	/** Has the progress stored now, if nothing else does so soon. */
	seal(): Promise<void>;
}

/** Starts the tasks of a node, a few at a time, and learns what becomes of their runs. */
export class Runner<T extends Task> {
	/** What the newest poll lends. */
	private host?: RunHost<T>;

	/** How many runs are under way. */
	private running = 0;

	/** When a run was started last (epoch ms). */
	private startedAt = 0;

	private onChange = () => {};

	private nap?: { until: number; over: Promise<void> };

	constructor(private readonly queue: TaskQueue<T>) {}

	/**
	 * Goes on with what a poll lends, in place of the poll before. Ends when the host is closed, another poll takes
	 * over, or nothing is to be done before the next one.
	 */
	async work(host: RunHost<T>): Promise<void> {
		this.host = host;
		this.onChange();
		while (this.host === host && host.isOpen()) {
			const change = new Promise<void>((resolve) => (this.onChange = resolve));
			await this.startDue(host);
			if (!this.hasWork) return;
			await Promise.race([change, this.takeNap()]);
			await orFailed(host.store());
		}
	}

	/** Has the progress stored. If that fails, n8n knows which tasks had their run. */
	async seal(): Promise<void> {
		if (this.host) await orFailed(this.host.seal());
	}

	private get hasWork(): boolean {
		const isRecent = Math.abs(Date.now() - this.startedAt) < LINGER_MS;
		if (this.running > 0 && isRecent) return true;
		const { waitMs = Infinity } = this.queue;
		return waitMs <= NEXT_POLL_MS;
	}

	private async startDue(host: RunHost<T>): Promise<void> {
		const due: TaskRuns<T>[] = [];
		for (let runs = this.queue.next(); runs; runs = this.queue.next()) {
			this.queue.noteStart(runs);
			due.push(runs);
		}
		if (due.length === 0) return;
		// If it is not stored that a task is about to run, nobody could tell after a crash that its run was lost.
		const isStored = await orFailed(host.store());
		for (const runs of due) {
			if (isStored) void this.run(host, runs);
			else this.queue.postpone(runs);
		}
	}

	private async run(host: RunHost<T>, runs: TaskRuns<T>): Promise<void> {
		this.running++;
		this.startedAt = Date.now();
		const { end, isElsewhere } = await host.start(runs);
		this.running--;
		if (isElsewhere !== undefined) this.queue.noteElsewhere(isElsewhere);
		this.queue.settle(runs, end);
		this.host?.noteEnd();
		this.onChange();
		// After a crash n8n would refuse the task by its key, as if it had had a run.
		if (end === 'barred') await this.seal();
	}

	/**
	 * One at a time: runs may end by the hundred while somebody sleeps. Ends as soon as a task is due: at full seconds
	 * after a poll, another process that polled at the same time would start the same task.
	 */
	private async takeNap(): Promise<void> {
		const ms = Math.min(this.queue.waitMs || LOOK_EVERY_MS, LOOK_EVERY_MS);
		const until = Date.now() + ms;
		if (!this.nap || until < this.nap.until) this.nap = { until, over: sleep(ms) };
		const { nap } = this;
		await nap.over;
		if (this.nap === nap) delete this.nap;
	}
}

async function orFailed(work: Promise<void>): Promise<boolean> {
	const [{ status }] = await Promise.allSettled([work]);
	return status === 'fulfilled';
}
