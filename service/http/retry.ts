import range from 'lodash/range';
import sum from 'lodash/sum';
import { sleep } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { orFailure, ServiceError } from '../failure';

/** Bounds for one request and its repeats. */
export interface RetryLimits {
	/** How often the request is sent at most. */
	maxTries: number;
	/** All waits between the tries together, in milliseconds. */
	maxWaitMs: number;
	/** When the outcome is wanted, in epoch milliseconds: no wait ends, no try begins after it. */
	deadline?: number;
	/** How many requests may be under way at once, even if the service can bear more. */
	requestsAtOnce?: number;
}

export const DEFAULT_LIMITS: Required<Omit<RetryLimits, 'deadline'>> = {
	maxTries: 5,
	maxWaitMs: 60_000,
	requestsAtOnce: MOST_REQUESTS_AT_ONCE,
};

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
/** n8n's sleep cannot be ended: no longer timer is left behind. */
export const NAP_MS = 1_000;

/** A wait that leaves less than this before the deadline is not worth it. */
const SHORTEST_TRY_MS = 1_000;

/** Node takes a longer one for none at all, or not at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends until it succeeds, fails for good, or the limits are reached. Only failures that may pass
 * (429, 5xx, a lost connection, no answer in time) are repeated: the caller hands in requests
 * that may be sent twice. A repeat is told what it is for: it may ask for less.
 *
 * @param keptMs for how long the tries waited for their turn so far: people are told of all waits
 * @throws ServiceError with the number of tries and the time waited; the abort reason when the
 * execution is cancelled, even during a wait
 */
export async function withRetry<T>(
	send: (failure?: ServiceError) => Promise<T>,
	limits: RetryLimits,
	signal?: AbortSignal,
	keptMs = () => 0,
): Promise<T> {
	let waitedMs = 0;
	let failure: ServiceError | undefined;
	for (let tries = 1; ; tries++) {
		const outcome = await orFailure(orCancelled(async () => await send(failure), signal));
		if (!(outcome instanceof ServiceError)) return outcome;
		if (outcome.isFinal) throw outcome;
		const leftMs = waitLeft(limits, waitedMs);
		const waitMs = pauseBefore(tries, leftMs, outcome.details.retryAfterMs);
		const isExhausted = tries >= limits.maxTries || waitMs > leftMs;
		if (!outcome.isTransient || isExhausted) throw outcome.afterTries(tries, waitedMs + keptMs());
		await pause(waitMs, signal);
		waitedMs += waitMs;
		failure = outcome;
	}
}

/** For how long the limits still allow to wait, after waits of so many milliseconds. */
export function waitLeft(limits: RetryLimits, waitedMs: number): number {
	return timeLeft(limits, limits.maxWaitMs - waitedMs, SHORTEST_TRY_MS);
}

/** What is left of a span of milliseconds before the deadline, less a reserve. */
function timeLeft(
	{ deadline = Infinity }: Pick<RetryLimits, 'deadline'>,
	ms: number,
	reserveMs = 0,
): number {
	return Math.min(ms, deadline - reserveMs - Date.now());
}

/** A timeout in whole milliseconds for one request; HTTP clients take 0 for none at all. */
export function timeoutWithin(limits: Pick<RetryLimits, 'deadline'>, ms: number): number {
	return Math.min(LONGEST_TIMER_MS, Math.max(1, Math.ceil(timeLeft(limits, ms))));
}

/**
 * Exponential backoff with full jitter, also where the service asks for no wait. One that it asked for is never shortened. It is
 * lengthened a little at random, as far as the limit allows: clients that were told the same wait would otherwise
 * return at the same moment.
 */
export function pauseBefore(tries: number, leftMs = Infinity, retryAfterMs?: number): number {
	const jitter = Math.random() * longestPause(tries);
	if (!retryAfterMs) return jitter;
	const spread = Math.max(retryAfterMs, jitter) + jitter / 10;
	return Math.max(retryAfterMs, Math.min(spread, leftMs));
}

/** How long the wait after so many tries may be, unless the service asks for a longer one. */
function longestPause(tries: number): number {
	return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
}

/** How long all waits between so many tries may be together, in milliseconds. */
export function longestPauses(tries: number): number {
	return sum(range(1, tries).map(longestPause));
}

/**
 * Waits, and ends at once when the execution is cancelled. n8n's sleep cannot be ended: naps leave
 * no long timer behind.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
	for (let left = ms; left > 0; left -= NAP_MS) {
		await orCancelled(async () => await sleep(Math.min(left, NAP_MS)), signal);
	}
}

/**
 * The outcome of the work, or a rejection as soon as the execution is cancelled; the work itself
 * may serve others and goes on. It does not begin once the execution is cancelled.
 */
async function orCancelled<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
	if (!signal) return await work();
	return await new Promise<T>((resolve, reject) => {
		const cancel = () => reject(cancelled());
		if (signal.aborted) return cancel();
		signal.addEventListener('abort', cancel, { once: true });
		work()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', cancel));
	});
}

/** What ends the work of a cancelled execution: n8n knows it by this very word. */
export function cancelled(): Error {
	return new Error('The execution was canceled');
}
