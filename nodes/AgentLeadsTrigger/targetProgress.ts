import type { IDataObject } from 'n8n-workflow';

import {
	DAY_MS,
	latestServiceTime,
	SECOND_MS,
	wholeMinutes,
	wholeSeconds,
} from '../../service/basics/times';
import type { TimeWindow } from '../../service/leads/windows';

/**
 * The progress of one target, that is of one type of lead, with one filter ID if a filter is set. Both times are times
 * of the service's clock, in epoch milliseconds.
 */
export interface TargetProgress {
	/** The time up to which the service has been asked for leads. */
	watermark: number;
	/** The earliest time that a poll asks for, however far it looks back. */
	start: number;
}

/**
 * If a target (such as the leads of one branch) has been read up to less than this time ago, the poll stops and leaves
 * the rest to the next poll. Otherwise the poll would ask for ever shorter periods: each request takes some time, and
 * times are rounded to seconds.
 */
const CAUGHT_UP_MS = 5 * SECOND_MS;

/**
 * How far one request may reach beyond the time up to which leads were read before. `FIRST_PART_MS` applies to the
 * first request of a poll for a target (such as the leads of one branch), and `NEXT_PART_MS` to each later one. A
 * longer gap is read in several requests.
 */
const FIRST_PART_MS = DAY_MS;
const NEXT_PART_MS = 7 * DAY_MS;

/**
 * Makes the progress of a target, such as the leads of one branch, after the service's first answer. The first request
 * names no period, so the service answers with its last 24 hours. If older leads are wanted too, the next request
 * starts at `askedAt - reachMs`.
 *
 * @param askedAt the time of the service's clock when the request was sent
 * @param reachMs how long before `askedAt` a lead may have been submitted and still be delivered
 */
export function firstProgress(askedAt: number, reachMs: number): TargetProgress {
	const reached = wholeSeconds(askedAt);
	const since = wholeSeconds(askedAt - reachMs);
	return {
		watermark: reachMs < DAY_MS ? reached : since,
		start: Math.min(since, reached - DAY_MS),
	};
}

/**
 * True if a lead in the service's first answer for a target (such as the leads of one branch) is too old to be
 * delivered. A lead without a submission time counts as too old if less than the service's last 24 hours is wanted.
 */
export function isFromBefore(
	{ createdAt }: IDataObject,
	askedAt: number,
	reachMs: number,
): boolean {
	const latest = latestServiceTime(createdAt);
	if (latest === undefined) return reachMs < DAY_MS;
	return latest < wholeSeconds(askedAt - reachMs);
}

/**
 * Chooses the next period to ask for. In a poll, the first period starts before the time up to which leads were read,
 * because the service may list leads late. It does no harm to ask for a time twice, because the trigger remembers the
 * leads that it delivered.
 *
 * @param now the current time of the service's clock, as far as it is known
 * @param lookBackMs how far the first period of a poll reaches back; unset for later periods
 * @returns undefined if nothing is left to ask for
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
	// If this machine's clock was set back, `upTo` (the current time) may be before the watermark, the time up to which
	// leads were read. The period to ask for then ends at the watermark, and the answer brings the service's correct
	// time.
	const to = Math.max(watermark, Math.min(watermark + part, upTo));
	if (!isFirst) return { from: watermark, to };
	// The times of some leads have no seconds, and the service takes such a lead to be from the start of its minute. A
	// period that began within the minute would miss the lead.
	return { from: Math.max(start, wholeMinutes(Math.min(watermark, upTo) - lookBackMs)), to };
}

/**
 * Makes the progress of a target, such as the leads of one branch, after an answer. The watermark, that is the time up
 * to which the service was asked, never moves back, and never passes the service's own time, even if this machine's
 * clock is fast.
 *
 * @param askedAt the time of the service's clock when the request was sent
 */
export function afterAnswer(
	{ watermark, start }: TargetProgress,
	window: TimeWindow,
	askedAt: number,
): TargetProgress {
	return { watermark: Math.max(watermark, wholeSeconds(Math.min(window.to, askedAt))), start };
}
