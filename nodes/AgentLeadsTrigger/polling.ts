import { createHash } from 'node:crypto';

import type { LeadFilter, LeadType } from '../../service/leads';
import { leadKey, RETENTION_MS, submittedAt } from '../../service/leads';
import type { TimeWindow } from '../../service/window';

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
	/** A span that the service no longer kept when it was asked; kept until somebody was told. */
	missed?: TimeWindow;
	/** From when on `seen` is complete; unset before the first poll. */
	seenFrom?: number;
	/** Keys of leads that the next polls may meet again, with the end of the window they came in. */
	seen: ReadonlyMap<string, number>;
}

export type StartFrom = 'activation' | 'last24Hours' | 'last30Days';

/** A lead to deliver, with the time by which it is put in order. */
export interface FreshLead {
	lead: Lead;
	key: string;
	time: number;
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
const CAUGHT_UP_MS = 5_000;

const LONGEST_KEY = 64;

/** A legible name: `applicant`, `appraisal · branch 10234`. */
export function scopeKey(leadType: LeadType, filter?: LeadFilter): string {
	return filter ? `${leadType} · ${filter.by} ${filter.id}` : leadType;
}

/** Stands for a client id in stored progress, where more people may read than know the id. */
export function clientMark(clientId: string): string {
	return createHash('sha256').update(clientId).digest('base64url').slice(0, 12);
}

/** A scope that has not been polled: leads submitted from `since` on are its leads. */
export function startScope(client: string, since: number): Scope {
	const start = startOfMinute(since);
	return { client, watermark: start, since: start, seen: new Map() };
}

/** Some leads have their time in minutes. */
function startOfMinute(time: number): number {
	return Math.floor(time / MINUTE_MS) * MINUTE_MS;
}

/**
 * A scope whose client was replaced, which may be a new pair for the same agency: what was submitted
 * since the last poll is delivered, what was delivered before is not.
 */
export function succeedScope({ watermark, seenFrom, seen }: Scope, client: string): Scope {
	return { client, watermark, since: startOfMinute(watermark), seenFrom, seen };
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
 * @param now the service's time
 * @param isFirst whether it is the first window of a poll: that one reaches back
 */
export function nextWindow(
	scope: Scope,
	now: number,
	lookBackMs: number,
	isFirst: boolean,
): TimeWindow | undefined {
	const to = wholeSecond(now);
	const oldest = to - RETENTION_MS;
	const reached = Math.min(Math.max(scope.watermark, oldest), to);
	if (!isFirst && to - reached <= CAUGHT_UP_MS) return undefined;
	const from = Math.max(oldest, isFirst ? reachBack(scope, reached, lookBackMs) : reached);
	if (to - reached <= Math.max(lookBackMs, SHORT_GAP_MS)) return { from, to };
	const nextDay = Math.floor(reached / DAY_MS + 1) * DAY_MS;
	return { from, to: Math.min(nextDay, to - lookBackMs) };
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

/**
 * The scope with a watermark that does not lie ahead of the service's clock, as one does that a
 * wrong clock made up. The watermark goes back for no other reason, and leads do not move it.
 *
 * @param now the service's time
 */
export function notAhead(scope: Scope, now: number): Scope {
	return scope.watermark - now <= CAUGHT_UP_MS ? scope : { ...scope, watermark: wholeSecond(now) };
}

function wholeSecond(time: number): number {
	return Math.floor(time / 1_000) * 1_000;
}

/**
 * Takes in what the service answered for a window. The watermark follows the time at which the
 * service was asked, whatever the leads are dated.
 *
 * @param askedAt the service's time when it was asked, where it is known
 * @returns the scope after it, and the leads that were not seen before
 */
export function takeIn(
	scope: Scope,
	window: TimeWindow,
	leads: Lead[],
	lookBackMs: number,
	askedAt = window.to,
): { scope: Scope; fresh: FreshLead[] } {
	const { since = -Infinity } = scope;
	const askedUpTo = wholeSecond(Math.min(window.to, askedAt));
	const watermark = Math.max(scope.watermark, askedUpTo);
	const completeFrom = Math.min(scope.seenFrom ?? window.from, window.from);
	const seenFrom = Math.max(completeFrom, watermark - lookBackMs);
	const seen = new Map(keysFrom(scope.seen, seenFrom));
	const fresh: FreshLead[] = [];
	for (const lead of leads) {
		const key = shortKey(lead);
		if (scope.seen.has(key) || seen.has(key)) continue;
		const submitted = submittedAt(lead);
		seen.set(key, window.to);
		if (submitted !== undefined && submitted < since) continue;
		fresh.push({ lead, key, time: placeIn(window, submitted) });
	}
	const next: Scope = { client: scope.client, watermark, seenFrom, seen };
	if (scope.missed) next.missed = scope.missed;
	return { scope: next, fresh };
}

/** A lead without a time, or with one outside of the window, was in it all the same. */
function placeIn({ from, to }: TimeWindow, submitted?: number): number {
	const isInside = submitted !== undefined && submitted >= from && submitted <= to;
	return isInside ? submitted : to;
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
