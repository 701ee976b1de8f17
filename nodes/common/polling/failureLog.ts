import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';

/** A longer wait is nobody's wish. */
const LONGEST_HEEDED_WAIT_MS = HOUR_MS;

/** A failure that may pass is worth a person's time only if it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

const REPORT_EVERY_MS = HOUR_MS;

/** All in epoch milliseconds but the last two. */
interface Entry {
	failure: ServiceError;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** How long to wait after the last time, in milliseconds. */
	waitMs: number;
	/** How long the next window may be, in milliseconds. */
	longestMs?: number;
}

/** The targets, by key, that were not answered when they were asked last. */
export class FailureLog {
	private readonly entries = new Map<string, Entry>();

	/** Tells apart whom the service was asked as, and where. */
	private fingerprint?: string;

	/** @param triedMs how long a window was asked for in vain, if that may have been too long */
	note(key: string, failure: ServiceError, triedMs?: number): void {
		const now = Date.now();
		// What a person corrects is well again at once.
		const { retryAfterMs = 0 } = failure.isTransient ? failure.details : {};
		const waitMs = Math.min(retryAfterMs, LONGEST_HEEDED_WAIT_MS);
		const longestMs = triedMs === undefined ? {} : { longestMs: Math.max(HOUR_MS, triedMs / 2) };
		const known = { since: now, ...this.entries.get(key), ...longestMs };
		// A clock that went back must not have a person wait to be told.
		const since = Math.min(now, known.since);
		this.entries.set(key, { ...known, since, failure, lastAt: now, waitMs });
	}

	/** The target was answered. */
	clear(key: string): void {
		this.entries.delete(key);
	}

	has(key: string): boolean {
		return this.entries.has(key);
	}

	failureOf(key: string): ServiceError | undefined {
		return this.entries.get(key)?.failure;
	}

	/** How long the next window may be: a poll has no time to try the same in parts, so the next one does. */
	longestMsFor(key: string): number | undefined {
		return this.entries.get(key)?.longestMs;
	}

	/** Whether the service has asked for a longer wait for a target. */
	isToWait(key: string): boolean {
		const { lastAt, waitMs } = this.entries.get(key) ?? { lastAt: 0, waitMs: 0 };
		const elapsedMs = Date.now() - lastAt;
		// A clock that went back must not make it longer.
		return elapsedMs >= 0 && elapsedMs < waitMs;
	}

	/** Call before the service is asked: once a person has corrected the credential, no wait of before counts. */
	askAs(fingerprint: string): void {
		if (fingerprint !== this.fingerprint) this.forgetWaits();
		this.fingerprint = fingerprint;
	}

	/** A person publishes the workflow, and wants to know what the service says now. */
	forgetWaits(): void {
		for (const entry of this.entries.values()) entry.waitMs = 0;
	}

	/**
	 * Which of these targets a person is to be told of now: each once an hour, and not before its
	 * failure has lasted, if it may pass. They count as told.
	 */
	takeDue(keys: string[]): string[] {
		const now = Date.now();
		return keys.filter((key) => {
			const entry = this.entries.get(key);
			if (!entry || !isDue(entry, now)) return false;
			entry.reportedAt = now;
			return true;
		});
	}
}

function isDue({ failure, since, reportedAt = -Infinity }: Entry, now: number): boolean {
	const isWorthwhile = !failure.isTransient || now - since >= PASSES_WITHIN_MS;
	return isWorthwhile && (now < reportedAt || now - reportedAt >= REPORT_EVERY_MS);
}
