import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import type { RunOutcome } from '../../common/runs/runOutcome';
import type { HandOver, LeadRuns } from './handOver';

/** How long to sleep at most before looking at the time. */
const LOOK_EVERY_MS = SECOND_MS;

/** What is due later than this is left to the next poll. */
const NEXT_POLL_MS = 30 * SECOND_MS;

/** For how long a poll stays for runs that end soon: then it stores that they did. */
const LINGER_MS = 5 * SECOND_MS;

/** What a poll lends the runner. */
export interface RunHost {
	/** Starts a run of a lead, unless n8n knows a run of that attempt. Never rejects. */
	start(runs: LeadRuns): Promise<RunOutcome>;
	/** Sees to it that the progress is stored no later than the next run that is started. */
	store(): Promise<void>;
	/** Whether runs may be started now. */
	isOpen(): boolean;
	/** A run has ended, and the progress says so. */
	noteEnd(): void;
	/** Has the progress stored now, if nothing else does so soon. */
	seal(): Promise<void>;
}

/** Starts the leads of a node, a few at a time, and learns what becomes of their runs. */
export class Runner {
	/** What the newest poll lends. */
	private host?: RunHost;

	/** How many runs are under way. */
	private running = 0;

	/** When a run was started last (epoch ms). */
	private startedAt = -Infinity;

	private onChange = () => {};

	private nap?: { until: number; over: Promise<void> };

	constructor(private readonly handOver: HandOver) {}

	/**
	 * Goes on with what a poll lends, in place of the poll before. Ends when the host is closed, another poll takes
	 * over, or nothing is to be done before the next one.
	 */
	async work(host: RunHost): Promise<void> {
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

	/** Has the progress stored. If that fails, n8n knows which leads had their run. */
	async seal(): Promise<void> {
		if (this.host) await orFailed(this.host.seal());
	}

	private get hasWork(): boolean {
		const isRecent = Math.abs(Date.now() - this.startedAt) < LINGER_MS;
		if (this.running > 0 && isRecent) return true;
		const { waitMs = Infinity } = this.handOver;
		return waitMs <= NEXT_POLL_MS;
	}

	private async startDue(host: RunHost): Promise<void> {
		const due: LeadRuns[] = [];
		for (let runs = this.handOver.next(); runs; runs = this.handOver.next()) {
			this.handOver.noteStart(runs);
			due.push(runs);
		}
		if (due.length === 0) return;
		// If it is not stored that a lead is about to run, nobody could tell after a crash that its run was lost.
		const isStored = await orFailed(host.store());
		for (const runs of due) {
			if (isStored) void this.run(host, runs);
			else this.handOver.postpone(runs);
		}
	}

	private async run(host: RunHost, runs: LeadRuns): Promise<void> {
		this.running++;
		this.startedAt = Date.now();
		const { end, isElsewhere } = await host.start(runs);
		this.running--;
		if (isElsewhere !== undefined) this.handOver.noteElsewhere(isElsewhere);
		this.handOver.settle(runs, end);
		this.host?.noteEnd();
		this.onChange();
		// After a crash n8n would refuse the lead by its key, as if it had had a run.
		if (end === 'barred') await this.seal();
	}

	/**
	 * One at a time: runs may end by the hundred while somebody sleeps. Ends as soon as a lead is due: at full seconds
	 * after a poll, another process that polled at the same time would start the same lead.
	 */
	private async takeNap(): Promise<void> {
		const until = Date.now() + Math.min(this.handOver.waitMs || LOOK_EVERY_MS, LOOK_EVERY_MS);
		if (!this.nap || until < this.nap.until) this.nap = { until, over: sleep(until - Date.now()) };
		const { nap } = this;
		await nap.over;
		if (this.nap === nap) delete this.nap;
	}
}

async function orFailed(work: Promise<void>): Promise<boolean> {
	return await work.then(
		() => true,
		() => false,
	);
}
