import { SECOND_MS } from '../basics/times';
import { pause } from './retry';

/** The time of a process, in milliseconds, whatever its host’s clock is set to. */
export interface SteadyTime {
	now: () => number;
	sleep: (ms: number) => Promise<void>;
}

/** It never goes back. It goes on by itself, with each wait, and with a clock that is set forward. */
export class ProcessTime implements SteadyTime {
	private aheadMs = 0;

	private lastLeadMs = leadOfClock();

	now(): number {
		const jumpMs = leadOfClock() - this.lastLeadMs;
		this.lastLeadMs += jumpMs;
		if (jumpMs > SECOND_MS) this.aheadMs += jumpMs;
		return performance.now() + this.aheadMs;
	}

	async sleep(ms: number): Promise<void> {
		const end = this.now() + ms;
		await pause(ms);
		this.aheadMs += Math.max(0, end - this.now());
	}
}

/** By how much the host's clock is ahead of the time that cannot be set. */
function leadOfClock(): number {
	return Date.now() - performance.now();
}
