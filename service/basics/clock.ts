import { DateTime } from 'luxon';

import { MINUTE_MS } from './times';

/** A usual difference between two clocks, in milliseconds. The node reports larger ones only. */
export const USUAL_SKEW_MS = 15 * MINUTE_MS;

/**
 * The service’s clock, as the Date headers of its answers show it. Time windows are compared with the service’s
 * clock: if the host’s clock is minutes off, windows by the host’s clock would miss leads or begin too early. Either
 * clock may be wrong, and nobody knows which. A caller that asks for a window up to `now`, and counts the time before
 * `earliestNow` as asked, may get something twice but misses nothing.
 */
export class ServiceClock {
	/** The time by which the service's clock is ahead of the host's, in milliseconds, by the newest answer. */
	private offsetMs?: number;

	/** True if an answer of the service has had a Date header. */
	get isKnown(): boolean {
		return this.offsetMs !== undefined;
	}

	/**
	 * The service’s time, in epoch milliseconds. It may be late by the time that the answer was on the wire, and by a
	 * second.
	 *
	 * @param hostTime the moment in question, by the host’s clock
	 */
	now(hostTime = Date.now()): number {
		return hostTime + (this.offsetMs ?? 0);
	}

	/** The time in epoch milliseconds by the slower of the two clocks. */
	earliestNow(hostTime = Date.now()): number {
		return Math.min(hostTime, this.now(hostTime));
	}

	/** Reads a Date header (RFC 9110 §6.6.1), which has whole seconds, rounded down. */
	read(dateHeader = ''): void {
		const date = DateTime.fromHTTP(dateHeader);
		if (date.isValid) this.offsetMs = date.toMillis() - Date.now();
	}
}
