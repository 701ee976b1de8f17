import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, MINUTE_MS, SECOND_MS, wholeSeconds } from '../../service/basics/times';
import { submittedAt } from '../../service/leads/leads';
import type { TimeWindow } from '../../service/leads/windows';

/** How far the polls of one target came. Both times are the service's, in epoch milliseconds. */
export interface TargetProgress {
	/** Up to when the service was asked. */
	watermark: number;
	/** No poll asks for leads that were submitted before this. */
	start: number;
}

/** The last seconds before a poll are left to the next one: rounding and the time on the wire would have them asked for without end. */
const CAUGHT_UP_MS = 5 * SECOND_MS;

/** The parts in which a long gap is caught up with: the first one of a poll, and those after it. */
const FIRST_PART_MS = DAY_MS;
const NEXT_PART_MS = 7 * DAY_MS;

/**
 * How far a target came with its first answer. The question named no times, so the answer has the service's own last 24 hours:
 * if the target begins earlier, the next question goes on from there.
 *
 * @param askedAt the service's time when it was asked
 * @param reachMs how long before that the target begins
 */
export function firstProgress(askedAt: number, reachMs: number): TargetProgress {
	const reached = wholeSeconds(askedAt);
	const since = wholeSeconds(askedAt - reachMs);
	return {
		watermark: reachMs < DAY_MS ? reached : since,
		start: Math.min(since, reached - DAY_MS),
	};
}

/** Whether a lead of the first answer was there before the target begins: of one without a time of its own nobody knows. */
export function isFromBefore(lead: IDataObject, askedAt: number, reachMs: number): boolean {
	const submitted = submittedAt(lead);
	if (submitted === undefined) return reachMs < DAY_MS;
	// Some leads have their time in minutes.
	const latest = submitted % MINUTE_MS === 0 ? submitted + MINUTE_MS - 1 : submitted;
	return latest < wholeSeconds(askedAt - reachMs);
}

/**
 * What to ask for next; undefined if the target is up to date. The first window of a poll reaches back. What was asked for before
 * may be asked for again at any time, since the leads that were delivered are known.
 *
 * @param now the service's time, as far as it is known
 * @param lookBackMs if it is the first window of a poll
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
	// The host's clock may have been set back: the answer to what was asked for before tells the time.
	const to = Math.max(watermark, Math.min(watermark + part, upTo));
	const from = isFirst ? Math.max(start, Math.min(watermark, upTo) - lookBackMs) : watermark;
	return { from, to };
}

/**
 * How far a target came with an answer. The watermark never passes the service's own time, whatever the host's clock says, and
 * never goes back.
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
