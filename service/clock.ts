import { DateTime } from 'luxon';

/**
 * The service's clock as its answers show it. Time windows are the service's: where the host's
 * clock is minutes off, its own time would lose leads or ask for them too early.
 */
export class ServiceClock {
	/** How far the service is ahead of the host, in milliseconds, by its newest answer. */
	private offsetMs?: number;

	/** Whether the service has told its time yet. */
	get isKnown(): boolean {
		return this.offsetMs !== undefined;
	}

	/** Epoch milliseconds; up to the time on the wire and a second behind. The host's until known. */
	now(): number {
		return Date.now() + (this.offsetMs ?? 0);
	}

	/**
	 * Reads a Date header (RFC 9110 §6.6.1), which has whole seconds, cut off.
	 *
	 * @param sentAt when the request was sent, by the host's clock, in epoch milliseconds
	 * @returns the service's time when it was asked, in epoch milliseconds, rather too early than
	 * too late; undefined without a usable header
	 */
	read(dateHeader: string | undefined, sentAt: number): number | undefined {
		const date = DateTime.fromHTTP(dateHeader ?? '');
		if (!date.isValid) return undefined;
		const receivedAt = Date.now();
		this.offsetMs = date.toMillis() - receivedAt;
		return date.toMillis() - Math.max(0, receivedAt - sentAt);
	}
}
