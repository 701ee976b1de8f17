import { createHash } from 'node:crypto';

import { USUAL_SKEW_MS } from '../../../service/basics/clock';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, wholeSeconds } from '../../../service/basics/times';
import type { leadKey } from '../../../service/leads/leads';
import { RETENTION_MS, shortKeyOf, submittedAt } from '../../../service/leads/leads';
import type { TimeWindow } from '../../../service/leads/windows';
import { lengthOf } from '../../../service/leads/windows';

/**
 * How far the polls of one target came. All times are the service's, in epoch milliseconds.
 *
 * The service knows a time window and nothing else. A client that asks for each window once loses the
 * leads that appear late in it; a client that reaches back gets leads again. So every poll reaches
 * back, and the keys of the leads that it may meet again are kept.
 */
export interface TargetProgress {
	/** Tells the credential's client; see `clientMark`. */
	client: string;
	/** Up to when the service was asked. */
	watermark: number;
	/** The first answer delivers nothing submitted before this. Afterwards such a lead counts as late, and is delivered. */
	since?: number;
	/** Where the target once began: leads from before may be known and not delivered. */
	start: number;
	/** A span that the service no longer kept when it was asked; kept until somebody was told. */
	missed?: TimeWindow;
	/** From when on `seen` is complete; unset before the first poll. */
	seenFrom?: number;
	/**
	 * Keys of leads that the next polls may meet again, each with the end of the window that it came
	 * in; a lead that comes out of turn has the end of the newest one.
	 */
	seen: ReadonlyMap<string, number>;
}

/** A lead to deliver, with the time by which it is put in order. */
export interface FreshLead {
	lead: Lead;
	key: string;
	time: number;
}

/** The service's time, in epoch milliseconds; the same twice unless two clocks differ by hours. */
export interface ServiceTime {
	earliest: number;
	latest: number;
}

type Lead = Parameters<typeof leadKey>[0];

/** The service writes some times in minutes and may round others: keys are kept a little longer. */
const KEY_MARGIN_MS = 2 * MINUTE_MS;

/** Keys that came so long before the look-back are dropped, even where storing them made a whole minute of their time. */
const KEPT_LONGER_MS = KEY_MARGIN_MS + MINUTE_MS;

/** A poll this late is asked in one request; a longer gap is caught up in parts. */
const SHORT_GAP_MS = 6 * HOUR_MS;

/** A longer gap is asked for in such parts, once an answer has come. */
const WEEK_MS = 7 * DAY_MS;

/** What a reading lags behind by rounding and time on the wire is left to the next poll. */
export const CAUGHT_UP_MS = 5 * SECOND_MS;

/** Stands for a client id in stored progress, where more people may read than know the id. */
export function clientMark(clientId: string): string {
	return createHash('sha256').update(clientId).digest('base64url').slice(0, 12);
}

/** The progress of a target before its first poll: leads submitted from `start` on are its leads. */
export function startProgress(client: string, start: number): TargetProgress {
	const time = wholeSeconds(start);
	return { client, watermark: time, since: time, start: time, seen: new Map() };
}

/**
 * Whether a lead was submitted at this time or later, as far as its `createdAt` can tell: some leads
 * have their time in minutes. One without a time was not.
 */
export function isFrom(lead: Lead, time: number): boolean {
	const submitted = submittedAt(lead);
	if (submitted === undefined) return false;
	const latest = submitted % MINUTE_MS === 0 ? submitted + MINUTE_MS - 1 : submitted;
	return latest >= time;
}

/**
 * What to ask for so that the leads from before a target's start become known.
 *
 * @param start the service's time
 */
export function baselineWindow(start: number, lookBackMs: number): TimeWindow {
	const to = wholeSeconds(start);
	return { from: to - lookBackMs, to };
}

/**
 * Takes in leads from before a target's start: they become known and are not delivered. A service that
 * does not keep to the window may bring a lead from after the start too: that one is left to the next
 * poll, unless its date is in the future.
 *
 * @param start the service's time
 * @param now the service's time
 */
export function takeBaseline(
	{ client, seen }: TargetProgress,
	window: TimeWindow,
	leads: Lead[],
	{ start, now, lookBackMs }: { start: number; now: number; lookBackMs: number },
): TargetProgress {
	const begun = { ...startProgress(client, start), seen };
	const earlier = leads.filter((lead) => !isFrom(lead, start) || isFrom(lead, now + KEY_MARGIN_MS));
	return takeIn(begun, window, earlier, lookBackMs).progress;
}

/** The progress once a person was told what the target missed. */
export function withoutMissed(progress: TargetProgress): TargetProgress {
	const told = { ...progress };
	delete told.missed;
	return told;
}

/**
 * What to ask for next, oldest first; undefined when the target is up to date. A long gap is caught up in
 * parts: a day, then weeks. The last one is hardly longer than the look-back, so that few keys have to be kept. A longer
 * look-back takes effect gradually: no poll reaches back to where keys are missing.
 *
 * If two clocks differ, the earlier one measures a gap and what the service no longer keeps. A window ends
 * by the later one, unless it is part of a long gap.
 *
 * @param isFirstWindow whether it is the first window of a poll: that one reaches back
 * @param longestMs how long a part may be at most, if a longer one failed before
 */
export function nextWindow(
	progress: TargetProgress,
	{ earliest, latest }: ServiceTime,
	lookBackMs: number,
	isFirstWindow: boolean,
	longestMs = Infinity,
): TimeWindow | undefined {
	const now = wholeSeconds(earliest);
	const to = wholeSeconds(latest);
	const oldest = now - RETENTION_MS;
	const reached = Math.min(Math.max(progress.watermark, oldest), to);
	if (!isFirstWindow && now - reached <= CAUGHT_UP_MS) return undefined;
	const from = Math.max(oldest, isFirstWindow ? reachBack(progress, reached, lookBackMs) : reached);
	const lastMs = lookBackMs + KEPT_LONGER_MS;
	const shortMs = Math.max(lastMs, SHORT_GAP_MS);
	const isShort = now - reached <= shortMs;
	const gap = { from: reached, to: isShort ? now : now - lastMs };
	const usualMs = isFirstWindow ? DAY_MS : WEEK_MS;
	const partMs = Math.min(lengthOf(gap), isShort ? shortMs : usualMs, longestMs);
	const isLast = isShort && partMs >= lengthOf(gap);
	return { from, to: isLast ? to : reached + partMs };
}

/** Keys from a future that a wrong clock made up say nothing about the time before. */
function reachBack({ seenFrom }: TargetProgress, reached: number, lookBackMs: number): number {
	const isKept = seenFrom !== undefined && seenFrom <= reached;
	return isKept ? Math.max(reached - lookBackMs, seenFrom) : reached - lookBackMs;
}

/**
 * What the service no longer keeps of the time since the last poll.
 *
 * @param now the service's time
 */
export function missedSpan(progress: TargetProgress, now: number): TimeWindow | undefined {
	const oldest = now - RETENTION_MS;
	if (progress.since !== undefined || progress.watermark >= oldest) return undefined;
	return { from: progress.watermark, to: oldest };
}

/** What tells whether a watermark lies in the future. */
interface PresentTime {
	/** The service's time. */
	now: number;
	/** Whether the service told it. */
	isTold: boolean;
	/** From when on it is known which leads were delivered. */
	completeFrom?: number;
}

/**
 * The progress with a watermark that is not ahead of the service's clock. The watermark goes back for
 * no other reason, and leads do not move it.
 *
 * If it is ahead by minutes, the service may have several clocks. If it is ahead by more, a wrong clock
 * made it up, and nothing is known of what was asked for then: so it goes back as far as leads may have
 * been left out.
 */
export function notAhead(
	progress: TargetProgress,
	{ now, isTold, completeFrom = -Infinity }: PresentTime,
): TargetProgress {
	const aheadMs = progress.watermark - now;
	if (aheadMs <= CAUGHT_UP_MS) return progress;
	if (isTold && aheadMs <= USUAL_SKEW_MS) return { ...progress, watermark: wholeSeconds(now) };
	// A start that was made up as well says only that there was one.
	const start = progress.start > now ? now - DAY_MS : progress.start;
	const back = Math.max(start, now - RETENTION_MS, Math.min(completeFrom, now));
	const watermark = wholeSeconds(back);
	const upTo = (time: number) => Math.min(time, watermark);
	const since = progress.since !== undefined && { since: upTo(progress.since) };
	// Keys that are complete from earlier on stay so: a lead that appears late is still found and told apart.
	const seenFrom = upTo(progress.seenFrom ?? watermark);
	return { ...progress, ...since, watermark, start: upTo(progress.start), seenFrom };
}

/** What the service answered for a window, taken in. */
interface Taken {
	/** The progress after it. */
	progress: TargetProgress;
	/** The leads that the target had not seen before. */
	fresh: FreshLead[];
	/** How many are from well outside of it. */
	strays: number;
}

/**
 * Takes in what the service answered for a window. The watermark follows the time at which the
 * service was asked, whatever the leads are dated.
 *
 * A lead from outside of the window may come late, or the service does not keep to the window. It is
 * delivered once in either case, since its key is kept for as long as the service brings it up.
 *
 * @param askedAt the service's time when it was asked, where it is known
 */
export function takeIn(
	progress: TargetProgress,
	window: TimeWindow,
	leads: Lead[],
	lookBackMs: number,
	askedAt = window.to,
): Taken {
	const { since = -Infinity, client, start, missed } = progress;
	const askedUpTo = wholeSeconds(Math.min(window.to, askedAt));
	const watermark = Math.max(progress.watermark, askedUpTo);
	const completeFrom = Math.min(progress.seenFrom ?? window.from, window.from);
	const seenFrom = Math.max(completeFrom, watermark - lookBackMs);
	const seen = new Map(keysFrom(progress.seen, seenFrom));
	const fresh: FreshLead[] = [];
	for (const lead of leads) {
		const key = shortKeyOf(lead);
		const submitted = submittedAt(lead);
		const isKnown = progress.seen.has(key) || seen.has(key);
		const isInTurn = submitted !== undefined && liesIn(window, submitted);
		if (!isInTurn || !seen.has(key)) seen.set(key, Math.max(seen.get(key) ?? 0, window.to));
		if (isKnown || (submitted !== undefined && !isFrom(lead, since))) continue;
		fresh.push({ lead, key, time: isInTurn ? submitted : window.to });
	}
	const next = { client, watermark, start, seenFrom, seen, ...(missed && { missed }) };
	const strays = leads.filter((lead) => isStray(window, lead)).length;
	return { progress: next, fresh, strays };
}

function isStray({ from, to }: TimeWindow, lead: Lead): boolean {
	const submitted = submittedAt(lead);
	const wide = { from: from - KEY_MARGIN_MS, to: to + KEY_MARGIN_MS };
	return submitted !== undefined && !liesIn(wide, submitted);
}

function liesIn({ from, to }: TimeWindow, time: number): boolean {
	return time >= from && time <= to;
}

/** The keys that a window from this time on may bring up again. */
function* keysFrom(seen: ReadonlyMap<string, number>, from: number): Generator<[string, number]> {
	for (const entry of seen) {
		if (entry[1] >= from - KEY_MARGIN_MS) yield entry;
	}
}
