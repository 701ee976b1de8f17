import compact from 'lodash/compact';
import maxBy from 'lodash/maxBy';

import { SECOND_MS } from '../basics/times';
import type { ServiceError } from '../failure';
import { orFailure } from '../failure';
import type { RetryLimits } from '../http/retry';
import { NAP_MS, pauseBefore, timeoutWithin, waitLeft } from '../http/retry';
import { ProcessTime } from '../http/steadyTime';
import { lateAnswer } from '../words';

/** A time in which nobody asks, after a request that failed. Both moments are by `time`. */
export interface Rest {
	failure: ServiceError;
	since: number;
	until: number;
}

/** A clock that is set back makes no rest longer; one that is set forward ends it. */
const time = new ProcessTime();

/** One call that needs a token, with its own tries and waits; requests and rests it may share with others. */
export class TokenCall {
	/** How many requests have failed, those included that others began. */
	tries = 0;

	private waitedMs = 0;

	/** Whether the deadline has passed; a clock that is set back does not undo it. */
	private isOver = false;

	/** Only this call keeps it: what the service asked for may be longer than others rest. */
	private ownRest?: Rest;

	constructor(private readonly limits: RetryLimits) {}

	/**
	 * The rest that is to be kept, and counts as a wait; none if the call may ask now. A call that has not asked yet
	 * does so at once if it may not wait, unless the service asked for the wait.
	 *
	 * @param shared the rest of all calls
	 * @throws ServiceError what the rest is after, if it is too long for the limits
	 */
	restBefore(shared?: Rest): Rest | undefined {
		const rest = maxBy(compact([this.ownRest, shared]), 'until');
		const leftMs = rest ? leftOf(rest) : 0;
		if (!rest || leftMs <= 0) return undefined;
		if (leftMs <= waitLeft(this.limits, this.waitedMs)) {
			this.waitedMs += leftMs;
			return rest;
		}
		if (this.tries > 0 || isAskedFor(rest)) throw this.told(toldNow(rest));
		return undefined;
	}

	/**
	 * Counts a request that failed.
	 *
	 * @throws ServiceError the failure, if there is to be no other try
	 */
	fail(failure: ServiceError): void {
		this.tries++;
		const leftMs = waitLeft(this.limits, this.waitedMs);
		const isLast = this.isOver || this.tries >= this.limits.maxTries || leftMs < 0;
		if (!failure.isTransient || isLast) throw this.told(ownCopyOf(failure));
		const { retryAfterMs } = failure.details;
		const pauseMs = retryAfterMs && pauseBefore(this.tries, leftMs, retryAfterMs);
		this.ownRest = pauseMs ? restAfter(failure, pauseMs) : undefined;
	}

	/** The outcome, or a failure if the deadline passes first; the work serves others and goes on. */
	async inTime<T>(work: Promise<T>): Promise<T | ServiceError> {
		if (!Number.isFinite(this.limits.deadline)) return await orFailure(work);
		const over = AbortSignal.timeout(timeoutWithin(this.limits, Infinity));
		const settled = new AbortController();
		const first = new Promise<T>((resolve, reject) => {
			const late = () => {
				this.isOver = true;
				reject(lateAnswer({ requestKind: 'token' }));
			};
			over.addEventListener('abort', late, { signal: settled.signal });
			work.then(resolve, reject);
		});
		return await orFailure(first.finally(() => settled.abort()));
	}

	private told(failure: ServiceError): ServiceError {
		return failure.afterTries(this.tries, this.waitedMs);
	}
}

export function restAfter(failure: ServiceError, ms: number): Rest {
	const since = time.now();
	return { failure, since, until: since + ms };
}

/**
 * Waits until a rest is over: in naps, for a clock that is set forward ends it, and a timer may end early.
 *
 * @throws when the signal ends it
 */
export async function untilOver(rest: Rest, signal: AbortSignal): Promise<void> {
	for (let ms = leftOf(rest); ms > 0; ms = leftOf(rest))
		await time.sleep(Math.min(Math.ceil(ms), NAP_MS), signal);
}

/** In milliseconds; below 0 if it is over. */
function leftOf({ until }: Rest): number {
	return until - time.now();
}

/** Whether it is the service that asked for it. */
function isAskedFor({ failure }: Rest): boolean {
	return Boolean(failure.details.retryAfterMs);
}

/** What the service would say now, for one of those who share the failure. */
function toldNow({ failure, since }: Rest): ServiceError {
	const { retryAfterMs } = failure.details;
	if (!retryAfterMs) return ownCopyOf(failure);
	const leftMs = since + retryAfterMs - time.now();
	// The service itself counts in seconds.
	return failure.with(failure.message, { retryAfterMs: Math.ceil(leftMs / SECOND_MS) * SECOND_MS });
}

/** Each call has its own tries and waits. */
function ownCopyOf(failure: ServiceError): ServiceError {
	return failure.with(failure.message, {});
}
