import { createHash } from 'node:crypto';

import { USUAL_SKEW_MS } from '../../../service/basics/clock';
import type { LeadFilter } from '../../../service/leads/fetchLeads';
import type { LeadType } from '../../../service/leads/lead';
import { leadKey, RETENTION_MS, submittedAt } from '../../../service/leads/lead';
import type { TimeWindow } from '../../../service/leads/window';

/**
 * The progress of one scope, that is one lead type and one filter id. All times are the service's,
 * in epoch milliseconds.
 *
 * The service has a time window and nothing else. Whoever asks for each window once loses what
 * appears late in it; whoever reaches back gets leads again. So every poll reaches back, and the
 * keys of what it may meet again are kept.
 */
export interface Scope {
	/** Tells the credential's client; see `clientMark`. */
	client: string;
	/** Up to when the service was asked. */
	watermark: number;
	/** Leads submitted before this are not delivered by the first answer; later ones come late. */
	since?: number;
	/** Where the scope once began: of the time before, leads may be known and not delivered. */
	start: number;
	/** A span that the service no longer kept when it was asked; kept until somebody was told. */
	missed?: TimeWindow;
	/** From when on `seen` is complete; unset before the first poll. */
	seenFrom?: number;
	/**
	 * Keys of leads that the next polls may meet again, with the end of the window they came in; if
	 * they come out of turn, of the newest one.
	 */
	seen: ReadonlyMap<string, number>;
}

export type StartFrom = 'activation' | 'last24Hours' | 'last30Days';

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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The service writes some times in minutes and may round others: keys are kept a little longer. */
const KEY_MARGIN_MS = 2 * MINUTE_MS;

/** A poll this late is asked in one request; a longer gap is caught up in slices. */
const SHORT_GAP_MS = 6 * HOUR_MS;

/** What a reading lags behind by rounding and time on the wire is left to the next poll. */
export const CAUGHT_UP_MS = 5_000;

const LONGEST_KEY = 64;

/** A legible name: `applicant`, `appraisal · branch 10234`. */
export function scopeKey(leadType: LeadType, filter?: LeadFilter): string {
	return filter ? `${leadType} · ${filter.by} ${filter.id}` : leadType;
}

/** The lead type in the name of a scope. */
export function leadTypeOf(name: string): LeadType {
	return name.startsWith('applicant') ? 'applicant' : 'appraisal';
}

/** Stands for a client id in stored progress, where more people may read than know the id. */
export function clientMark(clientId: string): string {
	return createHash('sha256').update(clientId).digest('base64url').slice(0, 12);
}

/** A scope that has not been polled: leads submitted from `start` on are its leads. */
export function startScope(client: string, start: number): Scope {
	const time = wholeSecond(start);
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
 * What to ask for so that the leads from before a scope's start become known.
 *
 * @param start the service's time
 */
export function baselineWindow(start: number, lookBackMs: number): TimeWindow {
	const to = wholeSecond(start);
	return { from: to - lookBackMs, to };
}

/**
 * Takes in leads from before a scope's start: they become known and are not delivered. A lead from
 * after it, which a service brings that does not keep to the window, is left to the next poll; one
 * that is dated later than it can be is none.
 *
 * @param start the service's time
 * @param now the service's time
 */
export function takeBaseline(
	{ client, seen }: Scope,
	window: TimeWindow,
	leads: Lead[],
	{ start, now, lookBackMs }: { start: number; now: number; lookBackMs: number },
): Scope {
	const begun = { ...startScope(client, start), seen };
	const earlier = leads.filter((lead) => !isFrom(lead, start) || isFrom(lead, now + KEY_MARGIN_MS));
	return takeIn(begun, window, earlier, lookBackMs).scope;
}

/** The scope once somebody was told what it missed. */
export function withoutMissed(scope: Scope): Scope {
	const told = { ...scope };
	delete told.missed;
	return told;
}

/**
 * What to ask for next, oldest first; undefined when the scope is up to date. The last window of a
 * long gap is no longer than the look-back, so that few keys have to be kept. A look-back that was
 * made longer grows as time goes on: further back there are leads whose keys are gone.
 *
 * How long a gap is, and what the service no longer keeps, is for the earlier of two clocks to say;
 * windows that are not a part of a long gap end by the later one.
 *
 * @param isFirst whether it is the first window of a poll: that one reaches back
 */
export function nextWindow(
	scope: Scope,
	{ earliest, latest }: ServiceTime,
	lookBackMs: number,
	isFirst: boolean,
): TimeWindow | undefined {
	const now = wholeSecond(earliest);
	const to = wholeSecond(latest);
	const oldest = now - RETENTION_MS;
	const reached = Math.min(Math.max(scope.watermark, oldest), to);
	if (!isFirst && now - reached <= CAUGHT_UP_MS) return undefined;
	const from = Math.max(oldest, isFirst ? reachBack(scope, reached, lookBackMs) : reached);
	if (now - reached <= Math.max(lookBackMs, SHORT_GAP_MS)) return { from, to };
	const nextDay = Math.floor(reached / DAY_MS + 1) * DAY_MS;
	return { from, to: Math.min(nextDay, now - lookBackMs) };
}

/** Keys from a future that a wrong clock made up say nothing about the time before. */
function reachBack({ seenFrom }: Scope, reached: number, lookBackMs: number): number {
	const isKept = seenFrom !== undefined && seenFrom <= reached;
	return isKept ? Math.max(reached - lookBackMs, seenFrom) : reached - lookBackMs;
}

/**
 * What the service no longer keeps of the time since the last poll.
 *
 * @param now the service's time
 */
export function missedSpan(scope: Scope, now: number): TimeWindow | undefined {
	const oldest = now - RETENTION_MS;
	if (scope.since !== undefined || scope.watermark >= oldest) return undefined;
	return { from: scope.watermark, to: oldest };
}

/** What a scope is put back by. */
interface PresentTime {
	/** The service's time. */
	now: number;
	/** Whether the service told it. */
	isTold: boolean;
	/** From when on it is known which leads were delivered. */
	completeFrom?: number;
}

/**
 * The scope with a watermark that does not lie ahead of the service's clock. It goes back for no other
 * reason, and leads do not move it.
 *
 * The service may have several clocks, minutes apart. Else a wrong one made the watermark up, and of
 * what was asked for then, nothing is known: so it goes back as far as leads may have been left out.
 */
export function notAhead(
	scope: Scope,
	{ now, isTold, completeFrom = -Infinity }: PresentTime,
): Scope {
	const aheadMs = scope.watermark - now;
	if (aheadMs <= CAUGHT_UP_MS) return scope;
	if (isTold && aheadMs <= USUAL_SKEW_MS) return { ...scope, watermark: wholeSecond(now) };
	// A start that was made up as well says only that there was one.
	const start = scope.start > now ? now - DAY_MS : scope.start;
	const back = Math.max(start, now - RETENTION_MS, Math.min(completeFrom, now));
	const watermark = wholeSecond(back);
	const upTo = (time: number) => Math.min(time, watermark);
	const since = scope.since !== undefined && { since: upTo(scope.since) };
	return { ...scope, ...since, watermark, start: upTo(scope.start), seenFrom: watermark };
}

function wholeSecond(time: number): number {
	return Math.floor(time / 1_000) * 1_000;
}

/** What the service answered for a window, taken in. */
interface Taken {
	/** The scope after it. */
	scope: Scope;
	/** The leads that the scope had not seen before. */
	fresh: FreshLead[];
	/** How many leads have a time that is outside of the window. */
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
	scope: Scope,
	window: TimeWindow,
	leads: Lead[],
	lookBackMs: number,
	askedAt = window.to,
): Taken {
	const { since = -Infinity, client, start, missed } = scope;
	const askedUpTo = wholeSecond(Math.min(window.to, askedAt));
	const watermark = Math.max(scope.watermark, askedUpTo);
	const completeFrom = Math.min(scope.seenFrom ?? window.from, window.from);
	const seenFrom = Math.max(completeFrom, watermark - lookBackMs);
	const seen = new Map(keysFrom(scope.seen, seenFrom));
	const fresh: FreshLead[] = [];
	for (const lead of leads) {
		const key = shortKey(lead);
		const submitted = submittedAt(lead);
		const isKnown = scope.seen.has(key) || seen.has(key);
		const isInTurn = submitted !== undefined && isWithin(window, submitted);
		if (!isInTurn || !seen.has(key)) seen.set(key, Math.max(seen.get(key) ?? 0, window.to));
		if (isKnown || (submitted !== undefined && !isFrom(lead, since))) continue;
		fresh.push({ lead, key, time: isInTurn ? submitted : window.to });
	}
	const next = { client, watermark, start, seenFrom, seen, ...(missed && { missed }) };
	return { scope: next, fresh, strays: leads.filter((lead) => isStray(window, lead)).length };
}

function isStray({ from, to }: TimeWindow, lead: Lead): boolean {
	const submitted = submittedAt(lead);
	const wide = { from: from - KEY_MARGIN_MS, to: to + KEY_MARGIN_MS };
	return submitted !== undefined && !isWithin(wide, submitted);
}

function isWithin({ from, to }: TimeWindow, time: number): boolean {
	return time >= from && time <= to;
}

/** The keys that a window from this time on may bring up again. */
function* keysFrom(seen: ReadonlyMap<string, number>, from: number): Generator<[string, number]> {
	for (const entry of seen) {
		if (entry[1] >= from - KEY_MARGIN_MS) yield entry;
	}
}

/** The ID as it is, for whoever looks it up; what is long or has no id is hashed. */
function shortKey(lead: Lead): string {
	const key = leadKey(lead);
	const id = /^id:(.*)$/s.exec(key)?.[1];
	if (id !== undefined && id.length <= LONGEST_KEY) return id;
	return `#${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}
