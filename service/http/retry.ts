import { sleep } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { orEnded } from './ending';

/** The limits for one request and its retries. */
export interface RetryLimits {
	/** How many times the request is sent at most. */
	maxTries: number;
	/**
	 * The longest total of the waits between the tries, in milliseconds. It does not include the time that a request
	 * spends in the queue of `Throttle`.
	 */
	maxWaitMs: number;
	/**
	 * The latest time at which the result is useful, in epoch milliseconds. No wait ends and no try starts after it.
	 */
	deadline?: number;
	/** How many requests one node may have under way at the same time, even if the service can handle more. */
	requestsAtOnce?: number;
}

export const DEFAULT_LIMITS: Required<Omit<RetryLimits, 'deadline'>> = {
	maxTries: 5,
	maxWaitMs: 60_000,
	requestsAtOnce: MOST_REQUESTS_AT_ONCE,
};

const LONGEST_BACKOFF_MS = 30 * SECOND_MS;

/**
 * The longest single sleep, in milliseconds. n8n's `sleep` cannot be cancelled, so after a cancellation, a longer one
 * would keep its timer running.
 */
export const NAP_MS = SECOND_MS;

/**
 * The time that must remain before the deadline after a wait, in milliseconds. With less time, another try could not
 * succeed.
 */
const SHORTEST_TRY_MS = SECOND_MS;

/**
 * Calls `send` until it succeeds, fails permanently, or reaches the limits. It retries temporary failures (see
 * `ServiceError.isTransient`), so it is only for requests that may be sent twice. If the service asks for a longer wait
 * than the limits allow, the failure is thrown at once.
 *
 * @param send sends the request; its argument is the failure of the previous try
 * @throws ServiceError with the number of tries and the time waited; the abort reason if the execution is cancelled,
 * even during a wait
 */
export async function withRetry<T>(
	send: (failure?: ServiceError) => Promise<T>,
	limits: RetryLimits,
	signal?: AbortSignal,
): Promise<T> {
	const { maxTries, maxWaitMs, deadline = Infinity } = limits;
	let waitedMs = 0;
	let failure: ServiceError | undefined;
	for (let tries = 1; ; tries++) {
		const outcome = await orFailure(orEnded(async () => await send(failure), signal));
		if (!(outcome instanceof ServiceError)) return outcome;
		if (outcome.isFinal) throw outcome;
		const waitMs = waitBefore(tries, outcome.details.retryAfterMs);
		const leftMs = Math.min(maxWaitMs - waitedMs, deadline - SHORTEST_TRY_MS - Date.now());
		const isLast = !outcome.isTransient || tries >= maxTries || waitMs > leftMs;
		if (isLast) throw outcome.afterTries(tries, waitedMs);
		await pause(waitMs, signal);
		waitedMs += waitMs;
		failure = outcome;
	}
}

/**
 * Returns the wait before the next try, in milliseconds: the time for which the service asked or, if it did not ask, a
 * random time up to `backoffMs`. It is random so that many clients do not return at the same moment.
 */
export function waitBefore(tries: number, retryAfterMs = 0): number {
	return retryAfterMs || Math.random() * backoffMs(tries);
}

/**
 * Returns the longest wait after a number of failures: one second, doubled with each further failure, up to half a
 * minute.
 */
export function backoffMs(failures: number): number {
	return Math.min(LONGEST_BACKOFF_MS, SECOND_MS * 2 ** (failures - 1));
}

/** Waits for a time. The wait ends at once when the execution is cancelled. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= NAP_MS) {
		await orEnded(async () => await sleep(Math.min(left, NAP_MS)), signal);
	}
}
