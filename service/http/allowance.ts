import { MINUTE_MS, SECOND_MS } from '../basics/times';
import type { Width } from './width';

/** How the service took a request: as usual, with a 429, with another fault of its own, or not at all. */
export type Verdict = 'good' | 'busy' | 'trouble' | 'none';

/** A request that is under way. */
export interface Departure {
	/** They are counted from 1. */
	readonly number: number;
	/** When it departed, in milliseconds. */
	readonly at: number;
	/** Whether it was the last one that might be under way. */
	readonly isLast: boolean;
	/** What its answer tells more about. */
	readonly of: Allowance;
}

/** A time of 429s: it begins with one and ends with a good answer to a request that departed later. */
interface Jam {
	readonly beganAt: number;
	/** When the first request departed that was refused. */
	readonly departedAt: number;
	/** The last request that departed before anybody knew. */
	readonly lastBefore: number;
	/** The next one departs then. */
	until: number;
	/** Whether the service said how long to wait. */
	isTold: boolean;
	refusals: number;
	/** How many requests departed in vain since. */
	probes: number;
	/** Whether the last one of them was not refused, but failed otherwise. */
	isFaulty: boolean;
	/** How many requests the service took in the second before it refused; 0 if it took none. */
	most: number;
}

/** Requests that depart together may arrive in any order: only a later one says that the service takes more again. */
const TOGETHER_MS = 25;

/** A request may take so much longer than another one to reach the service. */
const SLACK_MS = 40;

/** The wait after a request that departed in vain; it doubles. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30 * SECOND_MS;

/** What the service asks of one request, others do for so long at most. */
const LONGEST_HOLD_MS = MINUTE_MS;

/**
 * For so long without a 429 the gap stays as it is, if it was learned well (the second if it is a second or more), and then
 * shrinks; at last it is forgotten.
 */
const STEADY_MS = 10 * SECOND_MS;
const LONG_STEADY_MS = 30 * SECOND_MS;
const QUIET_MS = MINUTE_MS;
const SHRINKING = 0.95;

/** A little slower than what was learned: requests do not arrive as evenly as they depart. */
const MARGIN = 1.03;
const LONGEST_GAP_MS = 5 * SECOND_MS;

/** By how much the gap grows if it was too small; the second if it is much too small, or each try costs a long wait. */
const GROWING = 1.1;
const GROWING_FAST = 1.5;

/** If so many jams in a row begin after one request that was taken, that is no chance: the gap is too small. */
const TIGHT_JAMS = 4;

/**
 * What the service allows one client, as far as its answers have told it: when it takes requests at all, and how fast
 * one after the other. It has no clock and no timer: whoever asks says what time it is, in milliseconds.
 */
export class Allowance {
	/** How many answers were good. */
	answers = 0;

	private departedAt = -Infinity;

	/** When the requests departed that were answered well, the oldest first. */
	private taken: number[] = [];

	/** How many of them since the last jam ended, the one that ended it included. */
	private takenSinceJam = Infinity;

	/** How many jams in a row began after no more than one. */
	private tightJams = 0;

	private jam?: Jam;

	/** Between two departures; 0 for none. */
	private gapMs = 0;

	private busyAt = -Infinity;

	private shrunkAt = -Infinity;

	/** Whether it shrank since the last jam. */
	private hasShrunk = false;

	/** When a 429 last showed that the gap is needed: one by chance does not, if the gap is long. */
	private neededAt = -Infinity;

	private steadyMs = STEADY_MS;

	/** @param width which all clients of the service share */
	constructor(private readonly width: Width) {}

	get isJammed(): boolean {
		return this.jam !== undefined;
	}

	/** Whether the service refused the last request that it was asked, rather than that it failed. */
	get isRefusing(): boolean {
		return this.jam !== undefined && !this.jam.isFaulty;
	}

	/** When the present jam began, in milliseconds. */
	get jammedSince(): number {
		return this.jam?.beganAt ?? Infinity;
	}

	/** Whether the service said how long to wait. */
	get isTold(): boolean {
		return this.jam?.isTold ?? false;
	}

	/** Whether a request that departed in the jam was refused as well. */
	get isSure(): boolean {
		return this.jam !== undefined && this.jam.probes > 0;
	}

	/** How long the jam keeps everybody back, in milliseconds. */
	jammedFor(now: number): number {
		return Math.max(0, (this.jam?.until ?? now) - now);
	}

	/**
	 * @param underWay departures that have not come back
	 * @param isAlone whether nothing of the same lane is under way: then it need not wait for the others
	 * @returns how long to wait before the next departure; Infinity until another one has come back
	 */
	waitMs(now: number, underWay: Departure[], isAlone: boolean): number {
		const mayGo = this.jam ? this.mayProbe(underWay) : underWay.length < this.width.most;
		if (!mayGo && !isAlone) return Infinity;
		return Math.max(0, this.jammedFor(now), this.departedAt + this.gapMs - now);
	}

	/** Whether nothing is under way that shows if the jam is over. */
	mayProbe(underWay: Departure[]): boolean {
		return !underWay.some((departure) => this.isProbe(departure));
	}

	private isProbe({ number, of }: Departure): boolean {
		return of === this && this.jam !== undefined && number > this.jam.lastBefore;
	}

	depart(now: number, underWay: number): Departure {
		this.departedAt = now;
		return { ...this.width.depart(underWay), at: now, of: this };
	}

	/** @param retryAfterMs what the service asked for; it counts with a 429 alone */
	comeBack(departure: Departure, verdict: Verdict, now: number, retryAfterMs?: number): void {
		if (verdict === 'good') this.noteGood(departure, now);
		if (verdict === 'busy' || verdict === 'trouble') this.width.halveAfter(departure);
		if (verdict === 'busy') this.noteBusy(departure, now, retryAfterMs);
		if (this.jam && this.isProbe(departure)) this.jam.isFaulty = verdict === 'trouble';
	}

	private noteGood(departure: Departure, now: number): void {
		this.answers++;
		const { jam } = this;
		if (jam && departure.at > jam.departedAt + TOGETHER_MS) this.endJam(jam, departure, now);
		if (!this.jam) this.takenSinceJam++;
		this.taken.push(departure.at);
		this.width.grow(departure);
		this.shrinkGap(now);
	}

	private noteBusy(departure: Departure, now: number, retryAfterMs?: number): void {
		this.busyAt = this.shrunkAt = now;
		if (this.gapMs < SECOND_MS) this.neededAt = now;
		const isProbe = this.isProbe(departure);
		this.jam ??= this.newJam(departure, now);
		const { jam } = this;
		jam.refusals++;
		if (isProbe) {
			jam.probes++;
			jam.most = this.takenBefore(departure.at) || jam.most;
		}
		jam.isTold ||= retryAfterMs !== undefined;
		const waitMs = Math.min(LONGEST_HOLD_MS, retryAfterMs ?? this.guess(jam, now));
		jam.until = Math.max(jam.until, now + waitMs);
	}

	private newJam({ at }: Departure, now: number): Jam {
		this.taken = this.takenSince(at - SECOND_MS);
		return {
			beganAt: now,
			departedAt: at,
			lastBefore: this.width.departures,
			until: now + TOGETHER_MS,
			isTold: false,
			refusals: 0,
			probes: 0,
			isFaulty: false,
			most: this.takenBefore(at),
		};
	}

	/**
	 * A single 429 may be a whim. If there are more, the service counts: a second after the first of those that it
	 * took, it will take another one; if it does not even then, the waits grow.
	 */
	private guess({ refusals, probes }: Jam, now: number): number {
		if (refusals < 2) return 0;
		const inTime = (this.taken[0] ?? -Infinity) + SECOND_MS + SLACK_MS - now;
		return inTime > 0
			? inTime
			: Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, probes - 1));
	}

	private endJam(jam: Jam, { at }: Departure, now: number): void {
		delete this.jam;
		const { hasShrunk } = this;
		this.tightJams = this.takenSinceJam < 2 ? this.tightJams + 1 : 0;
		this.takenSinceJam = 0;
		this.hasShrunk = false;
		const isChance = jam.refusals < 2 && this.tightJams < TIGHT_JAMS;
		if ((isChance && this.gapMs === 0) || now - this.busyAt > QUIET_MS) return;
		if (this.gapMs >= SECOND_MS) return this.correctLongGap(jam, hasShrunk, now);
		// A service that took nothing before has shown no limit of ours.
		if (jam.most === 0) return;
		const least = 1 + this.takenBefore(at);
		const isExact = jam.probes === 0;
		this.steadyMs = isExact ? STEADY_MS : SECOND_MS;
		const perSecond = isExact ? jam.most : jam.most - Math.max(0, jam.most - least) / 4;
		const gapMs = (SECOND_MS / perSecond) * MARGIN;
		this.gapMs = Math.min(LONGEST_GAP_MS, Math.max(gapMs, GROWING * this.gapMs));
		this.shrunkAt = now;
	}

	/** If a service takes less than one request a second, no second shows how many: the gap is found by trying. */
	private correctLongGap({ probes, beganAt, until }: Jam, hasShrunk: boolean, now: number): void {
		const isFar = probes > 0 || until - beganAt > 2 * this.gapMs;
		if (hasShrunk) this.gapMs /= SHRINKING;
		else if (this.tightJams >= TIGHT_JAMS) this.gapMs *= isFar ? GROWING_FAST : GROWING;
		this.gapMs = Math.min(LONGEST_GAP_MS, this.gapMs);
		if (hasShrunk || this.tightJams > 0) this.neededAt = now;
		this.steadyMs = LONG_STEADY_MS;
		this.shrunkAt = now;
	}

	/** In the second before. */
	private takenBefore(time: number): number {
		return this.takenSince(time - SECOND_MS).filter((each) => each <= time).length;
	}

	private takenSince(time: number): number[] {
		return this.taken.filter((each) => each > time);
	}

	private shrinkGap(now: number): void {
		// Two seconds: a refusal may come a second after its departure, and counts what was taken in the one before.
		if (!this.jam) this.taken = this.takenSince(now - 2 * SECOND_MS);
		if (now - this.busyAt > QUIET_MS) this.gapMs = 0;
		if (now - this.shrunkAt < SECOND_MS || now - this.neededAt < this.steadyMs) return;
		this.gapMs *= SHRINKING;
		this.hasShrunk = true;
		this.shrunkAt = now;
	}
}
