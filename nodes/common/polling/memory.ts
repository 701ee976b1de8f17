import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS } from '../../../service/basics/times';
import { FailureLog } from './failures';

/** What a process remembers of a node between its polls, whatever they poll for. */
export class PollMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** When each kind of line was written to n8n's log last (epoch ms). */
	private readonly loggedAt = new Map<string, number>();

	/** Whether n8n's log may have such a line again: one an hour. Notes that it has. */
	mayLog(what: string, everyMs = HOUR_MS): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.loggedAt.get(what) ?? -Infinity));
		if (elapsedMs < everyMs) return false;
		this.loggedAt.set(what, now);
		return true;
	}
}
