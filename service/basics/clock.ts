import { DateTime } from 'luxon';

import { MINUTE_MS } from './times';

/** A difference up to this, in milliseconds, is usual: nobody needs to be told of it. */
export const USUAL_SKEW_MS = 15 * MINUTE_MS;

/**
 * The service's clock as its answers show it. Time windows are the service's: where the host's
 * clock is minutes off, its own time would lose leads or ask for them too early.
 *
 * Either clock may be wrong, and nobody knows which. Whoever asks up to `now`, and counts as asked what is before
 * `earliestNow`, may ask for something twice, but leaves nothing out.
 */
export class ServiceClock {
	/** How far the service is ahead of the host, in milliseconds, by its newest answer. */
	private offsetMs?: number;

	/** Whether the service has told its time yet. */
	get isKnown(): boolean {
		return this.offsetMs !== undefined;
	}

	/**
	 * The service's time, in epoch milliseconds; up to the time on the wire and a second behind.
	 *
	 * @param hostTime the moment that is asked about, by the host's clock
	 */
	now(hostTime = Date.now()): number {
		return hostTime + (this.offsetMs ?? 0);
	}

	/** The same by the clock that is behind. */
	earliestNow(hostTime = Date.now()): number {
		return Math.min(hostTime, this.now(hostTime));
	}

	/** Reads a Date header (RFC 9110 §6.6.1), which has whole seconds, cut off. */
	read(dateHeader = ''): void {
		const date = DateTime.fromHTTP(dateHeader);
		if (date.isValid) this.offsetMs = date.toMillis() - Date.now();
	}
}
