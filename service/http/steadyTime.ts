import { SECOND_MS } from '../basics/times';
import { pause } from './retry';

/** The time of a process, in milliseconds, whatever its host’s clock is set to. */
export interface SteadyTime {
	now: () => number;
	/** @throws when the signal ends it */
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** By how much a timer of Node.js may end too early: it knows whole milliseconds only, and cuts off fractions. */
const TIMER_ERROR_MS = 2;

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

	async sleep(ms: number, signal?: AbortSignal): Promise<void> {
		const end = this.now() + ms;
		await pause(ms, signal);
		const leftMs = end - this.now();
		// Thousands of waits that each ended a little early would add up.
		if (leftMs > Math.min(TIMER_ERROR_MS, ms / 2)) this.aheadMs += leftMs;
	}
}

/** By how much the host's clock is ahead of the time that cannot be set. */
function leadOfClock(): number {
	return Date.now() - performance.now();
}
