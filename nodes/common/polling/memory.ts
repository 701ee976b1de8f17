import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS } from '../../../service/basics/times';
import { FailureLog } from './failures';

/** The memory that this process keeps of one polling node. It is lost when n8n restarts. */
export class PollMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** The time at which each kind of line was last written to n8n's log (epoch ms). */
	private readonly loggedAt = new Map<string, number>();

	/**
	 * Decides whether a line of the given kind may be written to n8n's log now, by default at most once an hour. If so,
	 * it stores the current time as that of the last such line.
	 */
	mayLog(what: string, everyMs = HOUR_MS): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.loggedAt.get(what) ?? -Infinity));
		if (elapsedMs < everyMs) return false;
		this.loggedAt.set(what, now);
		return true;
	}
}
