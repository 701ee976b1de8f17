import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, MINUTE_MS, SECOND_MS, wholeSeconds } from '../../service/basics/times';
import { submittedAt } from '../../service/leads/leads';
import type { TimeWindow } from '../../service/leads/windows';

/** The progress of one target. Both times are by the service's clock, in epoch milliseconds. */
export interface TargetProgress {
	/** The time up to which the service was asked for leads. */
	watermark: number;
	/** The time of the oldest leads that a poll asks for. */
	start: number;
}

/**
 * The last seconds before a poll, which are left to the next poll. Otherwise rounding and the time on the wire would
 * make the target ask for them without end.
 */
const CAUGHT_UP_MS = 5 * SECOND_MS;

/** The lengths of the parts in which a long gap is caught up with: of the first part of a poll, and of those after it. */
const FIRST_PART_MS = DAY_MS;
const NEXT_PART_MS = 7 * DAY_MS;

/**
 * The progress of a target after its first answer. The first request has no times, so the answer has the service's
 * own last 24 hours. If the target begins earlier, the next request goes on from there.
 *
 * @param askedAt the service's time when it was asked
 * @param reachMs the time before that at which the target begins
 */
export function firstProgress(askedAt: number, reachMs: number): TargetProgress {
	const reached = wholeSeconds(askedAt);
	const since = wholeSeconds(askedAt - reachMs);
	return {
		watermark: reachMs < DAY_MS ? reached : since,
		start: Math.min(since, reached - DAY_MS),
	};
}

/** True if a lead of the first answer was there before the target begins. For a lead without a time, nobody knows. */
export function isFromBefore(lead: IDataObject, askedAt: number, reachMs: number): boolean {
	const submitted = submittedAt(lead);
	if (submitted === undefined) return reachMs < DAY_MS;
	// Some leads have times without seconds.
	const latest = submitted % MINUTE_MS === 0 ? submitted + MINUTE_MS - 1 : submitted;
	return latest < wholeSeconds(askedAt - reachMs);
}

/**
 * The next window to ask for; undefined if the target is up to date. The first window of a poll reaches back. A
 * window may be asked for twice at any time, because the trigger remembers the leads that it delivered.
 *
 * @param now the service's time, as far as it is known
 * @param lookBackMs how far the window reaches back, if it is the first one of a poll
 */
export function dueWindow(
	{ watermark, start }: TargetProgress,
	now: number,
	lookBackMs?: number,
): TimeWindow | undefined {
	const upTo = wholeSeconds(now);
	const isFirst = lookBackMs !== undefined;
	if (!isFirst && upTo - watermark <= CAUGHT_UP_MS) return undefined;
	const part = isFirst ? FIRST_PART_MS : NEXT_PART_MS;
	// The host's clock may have been set back. Asking up to the watermark again brings an answer, which has the
	// service's time.
	const to = Math.max(watermark, Math.min(watermark + part, upTo));
	const from = isFirst ? Math.max(start, Math.min(watermark, upTo) - lookBackMs) : watermark;
	return { from, to };
}

/**
 * The progress of a target after an answer. The watermark never passes the service's own time, even if the host's
 * clock is fast, and never goes back.
 *
 * @param askedAt the service's time when it was asked
 */
export function afterAnswer(
	{ watermark, start }: TargetProgress,
	window: TimeWindow,
	askedAt: number,
): TargetProgress {
	return { watermark: Math.max(watermark, wholeSeconds(Math.min(window.to, askedAt))), start };
}
