import { DateTime } from 'luxon';

import { DAY_MS, MINUTE_MS } from './times';

/** Up to this difference, in milliseconds, the service's clock is believed. */
export const USUAL_SKEW_MS = 15 * MINUTE_MS;

/** A Date that is off by more than this is ignored. No lead is kept for so long. */
const LARGEST_SKEW_MS = 30 * DAY_MS;

/**
 * The service's clock as its answers show it. Time windows are the service's: where the host's
 * clock is minutes off, its own time would lose leads or ask for them too early.
 *
 * If the two differ by hours or days, one of them is wrong, and nobody knows which: then `now` is the
 * later and `read` the earlier of both, so that whoever asks up to `now`, and counts as asked what
 * `read` says, may ask for something twice, but leaves nothing out.
 */
export class ServiceClock {
	/** How far the service is ahead of the host, in milliseconds, by its newest answer. */
	private offsetMs?: number;

	/** By how much its newest answer was ahead of the host, even if that is beyond belief. */
	private toldMs = 0;

	/** Whether the service has answered, be it without telling its time. */
	hasAnswered = false;

	/** Whether the service has told its time yet. */
	get isKnown(): boolean {
		return this.offsetMs !== undefined;
	}

	/** Whether its newest answer agrees: a host's clock that was set by weeks meanwhile is nothing to go by. */
	get isToldNow(): boolean {
		return this.isKnown && Math.abs(this.toldMs) <= LARGEST_SKEW_MS;
	}

	/** By how much the host is ahead of the service, in milliseconds, if it is more than usual. */
	get wrongByMs(): number | undefined {
		return isUsual(this.toldMs) ? undefined : -this.toldMs;
	}

	/**
	 * The service's time, in epoch milliseconds; up to the time on the wire and a second behind.
	 *
	 * @param hostTime the moment that is asked about, by the host's clock
	 */
	now(hostTime = Date.now()): number {
		const { offsetMs = 0 } = this;
		return hostTime + (isUsual(offsetMs) ? offsetMs : Math.max(0, offsetMs));
	}

	/** As `now`, by the service's clock alone, however far it is off, once it is known. */
	told(hostTime = Date.now()): number {
		return hostTime + (this.offsetMs ?? 0);
	}

	/** As `now`, and the earlier of both clocks if they differ by hours. */
	earliestNow(hostTime = Date.now()): number {
		const { offsetMs = 0 } = this;
		return hostTime + (isUsual(offsetMs) ? offsetMs : Math.min(0, offsetMs));
	}

	/**
	 * Reads a Date header (RFC 9110 §6.6.1), which has whole seconds, cut off.
	 *
	 * @param sentAt when the request was sent, by the host's clock, in epoch milliseconds
	 * @returns the service's time when it was asked, in epoch milliseconds, rather too early than
	 * too late; undefined as long as no answer had a usable header
	 */
	read(dateHeader: string | undefined, sentAt: number): number | undefined {
		this.hasAnswered = true;
		const date = DateTime.fromHTTP(dateHeader ?? '');
		const receivedAt = Date.now();
		const offsetMs = date.toMillis() - receivedAt;
		if (date.isValid) this.toldMs = offsetMs;
		if (!date.isValid || Math.abs(offsetMs) > LARGEST_SKEW_MS) {
			return this.isKnown ? this.earliestNow(sentAt) : undefined;
		}
		this.offsetMs = offsetMs;
		const askedAt = date.toMillis() - Math.max(0, receivedAt - sentAt);
		return isUsual(offsetMs) ? askedAt : Math.min(askedAt, sentAt);
	}
}

function isUsual(offsetMs: number): boolean {
	return Math.abs(offsetMs) <= USUAL_SKEW_MS;
}
