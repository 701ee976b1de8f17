import { DateTime } from 'luxon';

import { MINUTE_MS } from './times';

/** A usual difference between the clocks of two machines, in milliseconds. Only larger differences are reported. */
export const USUAL_SKEW_MS = 15 * MINUTE_MS;

/**
 * The service's clock, as the Date headers of its answers show it. The service compares the times in requests with this
 * clock. If this machine's clock is minutes off, requests with its times would miss leads or start too early.
 *
 * It is not known which of the two clocks is wrong. So a caller asks for everything up to `now`, the time of the
 * service's clock, but notes as read only the time before `earliestNow`, the earlier time of the two clocks. It may
 * then get something twice, but misses nothing.
 */
export class ServiceClock {
	/** How far the service's clock is ahead of this machine's clock, in milliseconds, by the newest Date header. */
	private offsetMs?: number;

	/** True if an answer of the service has contained a Date header, so that the service's clock is known. */
	get isKnown(): boolean {
		return this.offsetMs !== undefined;
	}

	/**
	 * Returns the time of the service's clock, in epoch milliseconds. It may be too early by the time that the answer
	 * took through the network, and by up to a second, because the Date header is rounded down.
	 *
	 * @param hostTime the same moment on this machine's clock
	 */
	now(hostTime = Date.now()): number {
		return hostTime + (this.offsetMs ?? 0);
	}

	/**
	 * Returns the earlier one of two times, in epoch milliseconds: that of this machine's clock and that of the
	 * service's clock.
	 */
	earliestNow(hostTime = Date.now()): number {
		return Math.min(hostTime, this.now(hostTime));
	}

	/** Sets the clock by a Date header (RFC 9110 §6.6.1), which contains whole seconds, rounded down. */
	read(dateHeader: string): void {
		const date = DateTime.fromHTTP(dateHeader);
		if (date.isValid) this.offsetMs = date.toMillis() - Date.now();
	}
}
