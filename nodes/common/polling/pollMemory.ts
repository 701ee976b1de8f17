import { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS } from '../../../service/basics/times';
import { FailureLog } from './failureLog';

const TELL_EVERY_MS = HOUR_MS;

/** What a process remembers of a node between its polls, beside its progress. */
export class PollMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** The poll under way. */
	current?: Promise<unknown>;

	/** When n8n's log was told of something that goes on, by what it is (epoch ms). */
	private readonly told = new Map<string, number>();

	/** Whether n8n's log is to be told of something that goes on: once an hour. Notes that it is. */
	isToTell(what: string): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.told.get(what) ?? -Infinity));
		if (elapsedMs < TELL_EVERY_MS) return false;
		this.told.set(what, now);
		return true;
	}
}
