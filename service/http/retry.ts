import { DateTime } from 'luxon';
import { sleep } from 'n8n-workflow';

import { ServiceError } from '../failure';

/** Bounds for one request and its repeats. */
export interface RetryLimits {
	/** How often the request is sent at most. */
	maxTries: number;
	/** All waits between the tries together, in milliseconds. */
	maxWaitMs: number;
	/** When the outcome is wanted, in epoch milliseconds: no wait ends, no try begins after it. */
	deadline?: number;
}

export const DEFAULT_LIMITS: RetryLimits = { maxTries: 5, maxWaitMs: 60_000 };

/** A longer wait is a mistake, and counts as the usual one. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;
const USUAL_RETRY_AFTER_MS = 900_000;

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
const NAP_MS = 1_000;

/** A wait that leaves less than this before the deadline is not worth it. */
const SHORTEST_TRY_MS = 1_000;

/**
 * Sends until it succeeds, fails for good, or the limits are reached. Only failures that may pass
 * (429, 5xx, a lost connection, no answer in time) are repeated: the caller hands in requests
 * that may be sent twice.
 *
 * @throws ServiceError with the number of tries and the time waited; the abort reason when the
 * execution is cancelled, also during a wait
 */
export async function withRetry<T>(
	send: () => Promise<T>,
	limits: RetryLimits,
	signal?: AbortSignal,
): Promise<T> {
	let waitedMs = 0;
	for (let tries = 1; ; tries++) {
		const [outcome] = await Promise.allSettled([orCancelled(send, signal)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError) || error.isFinal) throw error;
		const leftMs = timeLeft(limits, limits.maxWaitMs - waitedMs, SHORTEST_TRY_MS);
		const waitMs = pauseBefore(tries, leftMs, error.details.retryAfterMs);
		const isExhausted = tries >= limits.maxTries || waitMs > leftMs;
		if (!error.isTransient || isExhausted) throw error.afterTries(tries, waitedMs);
		await pause(waitMs, signal);
		waitedMs += waitMs;
	}
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
	return Math.max(1, Math.ceil(timeLeft(limits, ms)));
}

/**
 * Exponential backoff with full jitter. A wait that the service asked for is never shortened, and
 * spread a little, as far as the limit allows: whoever was told the same comes back together.
 */
function pauseBefore(tries: number, leftMs: number, retryAfterMs?: number): number {
	const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
	const jitter = Math.random() * ceiling;
	if (retryAfterMs === undefined) return jitter;
	const spread = Math.max(retryAfterMs, jitter) + jitter / 10;
	return Math.max(retryAfterMs, Math.min(spread, leftMs));
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

/**
 * Reads Retry-After (RFC 9110 §10.2.3), in seconds or as a date, of several the longest. A date
 * counts from the service's own Date header, since its clock and ours may differ. A wait that no
 * service can mean, such as a moment since 1970, in milliseconds or before now, is a usual one.
 *
 * @returns milliseconds to wait, or undefined when the value is neither form
 */
export function parseRetryAfter(value: string, serviceDate?: string): number | undefined {
	const waits = value.split(BETWEEN_WAITS).flatMap((each) => waitIn(each, serviceDate) ?? []);
	if (waits.length === 0) return undefined;
	const longest = Math.max(...waits);
	return longest > LONGEST_RETRY_AFTER_MS ? USUAL_RETRY_AFTER_MS : longest;
}

/** A comma, but not the one within a date. */
const BETWEEN_WAITS = /,(?=\s*[-+]?[\d.]+\s*(?:,|$)|\s*[A-Za-z]+,)/;

function waitIn(value: string, serviceDate = ''): number | undefined {
	const text = value.trim();
	if (/^[-+]?(?:\d+\.?\d*|\.\d+)$/.test(text)) {
		const seconds = Number(text);
		return seconds < 0 ? USUAL_RETRY_AFTER_MS : Math.ceil(seconds * 1_000);
	}
	const until = DateTime.fromHTTP(text);
	if (!until.isValid) return undefined;
	const serviceNow = DateTime.fromHTTP(serviceDate);
	return Math.max(0, until.diff(serviceNow.isValid ? serviceNow : DateTime.now()).toMillis());
}
