import range from 'lodash/range';
import rangeRight from 'lodash/rangeRight';
import sumBy from 'lodash/sumBy';

import { DAY_MS, MINUTE_MS, SECOND_MS, wholeSeconds } from '../basics/times';
import { backoffMs } from '../http/retry';
import type { TimeWindow } from './window';
import { lengthOf } from './window';

/** Worth a request, and easy on memory. */
const LEADS_PER_ANSWER = 2_000;

/** A quiet day says little about the others: each answer counts as if it had held so many leads more. */
const DOUBTED_LEADS = 40;

/** Until the density is known. */
export const FIRST_MS = DAY_MS;

const SHORTEST_MS = MINUTE_MS;

/** A window that failed is asked for again with this length at most. */
const LONGEST_AFTER_FAILURE_MS = 4 * DAY_MS;

/** With so many tries, a window of any length can shrink to a day before the last one. */
const ENOUGH_TRIES = 5;

/** So many answers tell what the next window holds. */
const RECENT_ANSWERS = 4;

/** What came of a window. */
export interface WindowAnswer {
	/** What was asked for at first. */
	window: TimeWindow;
	/** One end of it, if the whole was too much for one answer. */
	answered: TimeWindow;
	/** How many leads of this time the answer held. */
	count: number;
}

/** How long the next windows of a filter should be, so that an answer holds about 2,000 leads. */
export class FittingLength {
	/** What fits, in milliseconds, once that is known. */
	fitMs?: number;

	/** What the next windows go by, the last answer first. */
	private recent: WindowAnswer[] = [];

	/**
	 * @param mostMs see `longestWithin`
	 * @param longestMs what was too long for one answer is tried again only little by little
	 */
	constructor(
		private readonly mostMs = Infinity,
		private longestMs = Infinity,
	) {}

	take(answer: WindowAnswer): void {
		this.recent = [answer, ...this.recent].slice(0, RECENT_ANSWERS);
		this.limit();
		// A quiet night is no quiet week, unless the days before it were as quiet.
		const { fitMs: fittedMs = 0, recentMs } = this;
		const most = recentMs < DAY_MS ? Math.max(fittedMs, 2 * recentMs) : Infinity;
		// After a burst the next windows are short even if the others of these answers were quiet.
		this.fitMs = wholeSeconds(Math.min(most, ...this.recent.map(fitAfter)));
	}

	/**
	 * How long the next window of a span should be. Once the density is known, the span is cut into equal parts.
	 *
	 * @param usualMs until then
	 */
	partOf(span: TimeWindow, usualMs = FIRST_MS): number {
		const spanMs = lengthOf(span);
		const fitMs = Math.min(this.fitMs ?? usualMs, this.longestMs, this.mostMs);
		const limitMs = Math.max(SHORTEST_MS, wholeSeconds(fitMs));
		if (this.fitMs === undefined) return Math.min(spanMs, limitMs);
		const parts = Math.max(1, Math.ceil(spanMs / limitMs));
		return Math.ceil(spanMs / parts / SECOND_MS) * SECOND_MS;
	}

	/** How many leads a window is likely to hold; 0 if nothing is known. */
	expectedIn(window: TimeWindow): number {
		if (this.recent.length === 0) return 0;
		return (sumBy(this.recent, 'count') / this.recentMs) * lengthOf(window);
	}

	/** How much time the recent answers cover. */
	private get recentMs(): number {
		return sumBy(this.recent, ({ answered }) => Math.max(SHORTEST_MS, lengthOf(answered)));
	}

	/** A single window may have been too much by chance: an error, or just as many leads as a service might send at most. */
	private limit(): void {
		const cutShort = this.recent.filter(isCutShort).map(({ answered }) => lengthOf(answered));
		if (cutShort.length > 1) this.longestMs = Math.min(this.longestMs, Math.max(...cutShort));
		else if (cutShort.length === 0) this.longestMs *= 2;
	}
}

export function isCutShort({ window, answered }: WindowAnswer): boolean {
	return lengthOf(answered) < lengthOf(window);
}

/**
 * How long a window may be so that it can shrink to a day within these tries, in milliseconds, even if the first
 * repeat asks for all of it again. Nobody has chosen such a window: it must not fail if windows of a day would not
 * have done so.
 *
 * @param maxWaitMs tries whose waits may be longer than that do not count
 */
export function longestWithin(maxTries: number, maxWaitMs = Infinity): number {
	const most = Math.min(maxTries, ENOUGH_TRIES);
	const tries = rangeRight(1, most + 1).find((each) => longestPauses(each) <= maxWaitMs) ?? 1;
	return tries < ENOUGH_TRIES ? FIRST_MS * 2 ** Math.max(0, tries - 2) : Infinity;
}

/** How long a window holds enough leads, if they are as dense as in this answer. */
function fitAfter({ answered, count }: WindowAnswer): number {
	const length = Math.max(SHORTEST_MS, lengthOf(answered));
	return (length * LEADS_PER_ANSWER) / (count + DOUBTED_LEADS);
}

/** What to ask for in place of a window whose answer failed: its newer half, or less of it. */
export function newerPart(window: TimeWindow): TimeWindow {
	return { ...window, from: window.to - shorter(lengthOf(window)) };
}

/** The same for one who asks for the oldest first. */
export function olderPart(window: TimeWindow): TimeWindow {
	return { ...window, to: window.from + shorter(lengthOf(window)) };
}

function shorter(length: number): number {
	if (length <= SHORTEST_MS) return length;
	return Math.min(LONGEST_AFTER_FAILURE_MS, Math.ceil(length / 2 / SECOND_MS) * SECOND_MS);
}

/** How long all waits between so many tries may be together, in milliseconds. */
function longestPauses(tries: number): number {
	return sumBy(range(1, tries), backoffMs);
}
