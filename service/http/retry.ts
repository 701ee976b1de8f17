import { sleep } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { orEnded } from './ending';

/** The limits for one request and its retries. */
export interface RetryLimits {
	/** The most times that the request is sent. */
	maxTries: number;
	/**
	 * The longest sum of the waits between the tries, in milliseconds. The wait for a turn in the throttle does not
	 * count.
	 */
	maxWaitMs: number;
	/** The latest time for an outcome, in epoch milliseconds: no wait ends and no try begins after it. */
	deadline?: number;
	/** The most requests of one node that may be under way at once, even if the service can bear more. */
	requestsAtOnce?: number;
}

export const DEFAULT_LIMITS: Required<Omit<RetryLimits, 'deadline'>> = {
	maxTries: 5,
	maxWaitMs: 60_000,
	requestsAtOnce: MOST_REQUESTS_AT_ONCE,
};

const LONGEST_BACKOFF_MS = 30 * SECOND_MS;

/** The longest single sleep. n8n's sleep cannot be cancelled, so a longer one would leave a timer behind. */
export const NAP_MS = SECOND_MS;

/** The least time that a wait must leave before the deadline; otherwise another try makes no sense. */
const SHORTEST_TRY_MS = SECOND_MS;

/**
 * Calls `send` until it succeeds, fails for good, or the limits are reached. It retries failures that may pass (see
 * `ServiceError.isTransient`), so the caller passes requests that may be sent twice. If the service asks for a longer
 * wait than the limits leave, it throws the failure at once.
 *
 * @param send gets the failure of the try before
 * @throws ServiceError with the number of tries and the time waited; the abort reason when the execution is
 * cancelled, even during a wait
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
 * The wait before the next try, in milliseconds: as long as the service asks for, or else a random time up to the
 * backoff, so that clients do not return together.
 */
export function waitBefore(tries: number, retryAfterMs = 0): number {
	return retryAfterMs || Math.random() * backoffMs(tries);
}

/** The longest wait after so many failures: a second, doubled with each failure up to half a minute. */
export function backoffMs(failures: number): number {
	return Math.min(LONGEST_BACKOFF_MS, SECOND_MS * 2 ** (failures - 1));
}

/** Waits for a time. The wait ends at once when the execution is cancelled. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= NAP_MS) {
		await orEnded(async () => await sleep(Math.min(left, NAP_MS)), signal);
	}
}
