// Taken once: a test that replaces Date must not move the service with it.
const hostNow = Date.now;

/** The service's time: the host's, plus an offset that a test may change. */
export class Clock {
	/** The host's time at which it stands still; unset while it goes. */
	private stoppedAt?: number;

	private offsetMs = 0;

	/** @returns epoch milliseconds */
	now(): number {
		return (this.stoppedAt ?? hostNow()) + this.offsetMs;
	}

	/** From now on the service's time passes only by `advance`. */
	standStill(): void {
		this.stoppedAt = hostNow();
	}

	goOn(): void {
		delete this.stoppedAt;
	}

	advance(ms: number): void {
		this.offsetMs += ms;
	}
}

/** @returns `2006-01-02T15:04:05Z` */
export function isoSeconds(epochMs: number): string {
	return new Date(epochMs).toISOString().slice(0, 19) + 'Z';
}

/** @returns `2006-01-02T15:04Z` */
export function isoMinutes(epochMs: number): string {
	return new Date(epochMs).toISOString().slice(0, 16) + 'Z';
}
