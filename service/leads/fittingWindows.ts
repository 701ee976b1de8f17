import sortBy from 'lodash/sortBy';

import { wholeSeconds } from '../basics/times';
import type { WindowAnswer } from './fittingLength';
import { FIRST_MS, FittingLength, isCutShort } from './fittingLength';
import type { TimeWindow } from './window';

/** So many filters tell how dense the leads are, before the others are asked for. */
const FILTERS_AT_FIRST = 4;

/** So many windows of a filter are under way at most: enough to keep a service busy, and easy on memory. */
const WINDOWS_AT_ONCE = 4;

/** A window to ask for, and whose leads. */
export interface FilterWindow<Filter> {
	filter: Filter;
	window: TimeWindow;
}

/** What came of it: all of the window, or its newer end. */
export type Answered<Filter> = FilterWindow<Filter> & WindowAnswer;

/**
 * Which windows to ask for, from the newest to the oldest, so that an answer holds about 2,000 leads. The first
 * answers tell how dense the leads are; the next windows are longer or shorter. Neighbours share the second at
 * which they meet: nothing falls between two of them, and what lies there comes twice.
 */
export class FittingWindows<Filter> {
	private readonly queues: Map<Filter, Queue>;

	private reachedBackTo = Infinity;

	/** Whether this part of the period is longer than one asks for without knowing the density. */
	private isLong = false;

	/** @param mostMs how long a window may be; see `longestWithin` */
	constructor(
		private readonly period: TimeWindow,
		filters: readonly Filter[],
		mostMs?: number,
	) {
		this.queues = new Map(filters.map((filter) => [filter, new Queue(new FittingLength(mostMs))]));
	}

	/** Back to when all was asked for; `Infinity` at first. */
	get reached(): number {
		return this.reachedBackTo;
	}

	/**
	 * Goes on to the next part of the period. For all leads that is the whole; else a day first, and then as much
	 * as is likely to hold the rest. Call it when there is no further round.
	 *
	 * @returns false if the period has no other part, or enough was found
	 */
	goFurther(found: number, wanted: number): boolean {
		const { from, to } = this.period;
		const reached = Math.min(this.reached, to);
		const isOver = this.reached === Infinity ? from > to : reached <= from;
		if (isOver || found >= wanted) return false;
		const next = Math.max(from, reached - this.partMs(found, wanted));
		for (const queue of this.queues.values()) queue.add({ from: next, to: reached });
		this.isLong = reached - next > FIRST_MS;
		this.reachedBackTo = next;
		return true;
	}

	/**
	 * Windows that may be asked for beside those that are under way.
	 *
	 * @returns at most so many; none and nothing under way means that this part of the period is covered
	 */
	next(most: number): Array<FilterWindow<Filter>> {
		const { usualMs, isLong } = this;
		const queues = [...this.queues];
		// The others can go by what these few bring.
		const due = isLong && usualMs === undefined ? queues.slice(0, FILTERS_AT_FIRST) : queues;
		const windows: Array<FilterWindow<Filter>> = [];
		for (const [filter, queue] of due) {
			const places = most - windows.length;
			windows.push(...queue.next(places, usualMs).map((window) => ({ filter, window })));
		}
		return windows;
	}

	/** Call it with each answer. */
	take(answer: Answered<Filter>): void {
		this.queues.get(answer.filter)?.take(answer);
	}

	/** What fits the densest of those that were asked: for the others, a guess on the safe side. */
	private get usualMs(): number | undefined {
		const fits = [...this.queues.values()].flatMap(({ lengths }) => lengths.fitMs ?? []);
		return fits.length > 0 ? Math.max(FIRST_MS, Math.min(...fits)) : undefined;
	}

	/** Twice what the rest takes at the density so far, and at least twice as far back as before. */
	private partMs(found: number, wanted: number): number {
		if (wanted === Infinity) return Infinity;
		if (this.reached === Infinity) return FIRST_MS;
		const behind = this.period.to - this.reached;
		const likely = (2 * behind * (wanted - found)) / found;
		return Math.max(behind, wholeSeconds(likely));
	}
}

/** What is still to be asked for one filter. */
class Queue {
	/** The newest first. */
	private spans: TimeWindow[] = [];

	private underWay = 0;

	constructor(readonly lengths: FittingLength) {}

	add(...spans: TimeWindow[]): void {
		this.spans = sortBy([...this.spans, ...spans], ({ to }) => -to);
	}

	next(places: number, usualMs?: number): TimeWindow[] {
		const windows: TimeWindow[] = [];
		// Nothing but its own first answer tells how many of them there may be.
		const most = this.lengths.fitMs === undefined ? 1 : WINDOWS_AT_ONCE;
		for (; windows.length < places && this.underWay < most; this.underWay++) {
			const span = this.spans.shift();
			if (!span) break;
			const from = Math.max(span.from, span.to - this.lengths.partOf(span, usualMs));
			windows.push({ from, to: span.to });
			if (from > span.from) this.spans.unshift({ from: span.from, to: from });
		}
		return windows;
	}

	take(answer: WindowAnswer): void {
		const { window, answered } = answer;
		this.underWay--;
		if (isCutShort(answer)) this.add({ from: window.from, to: answered.from });
		this.lengths.take(answer);
	}
}
