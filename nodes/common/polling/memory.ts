import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS } from '../../../service/basics/times';
import { FailureLog } from './failures';

/** The memory of this process for one polling node. */
export class PollMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** When each kind of line was last written to n8n's log (epoch ms). */
	private readonly loggedAt = new Map<string, number>();

	/**
	 * True if such a line may be written to n8n's log again: by default once an hour. It notes that the line is
	 * written.
	 */
	mayLog(what: string, everyMs = HOUR_MS): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.loggedAt.get(what) ?? -Infinity));
		if (elapsedMs < everyMs) return false;
		this.loggedAt.set(what, now);
		return true;
	}
}
