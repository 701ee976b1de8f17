import sortBy from 'lodash/sortBy';
import sum from 'lodash/sum';

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../basics/times';
import type { TimeWindow } from './window';
import { lengthOf } from './window';

/** Worth a request, and easy on memory. */
const LEADS_PER_ANSWER = 2_000;

/** A quiet day says little about the others: each answer counts as if it had held so many leads more. */
const DOUBTED_LEADS = 40;

/** Until the density is known. */
const FIRST_MS = DAY_MS;

const SHORTEST_MS = MINUTE_MS;

/** So many windows of a filter are asked for together, so many filters tell how dense the leads are. */
const WINDOWS_AT_ONCE = 4;

/** A window that failed is asked for again with this length at most. */
const LONGEST_AFTER_FAILURE_MS = 7 * DAY_MS;

/** A window to ask for, and whose leads. */
export interface FilterWindow<Filter> {
	filter: Filter;
	window: TimeWindow;
}

/** What came of it. */
export interface Answered<Filter> extends FilterWindow<Filter> {
	/** The newer end of the window, if the whole was too much for one answer. */
	answered: TimeWindow;
	/** How many leads of this time the answer held. */
	count: number;
}

/**
 * Which windows to ask for, from the newest to the oldest, so that an answer holds about 2,000 leads. The first
 * answers tell how dense the leads are; the next windows are longer or shorter. Neighbours share the second at
 * which they meet: nothing falls between two of them, and what lies there comes twice.
 */
export class FittingWindows<Filter> {
	private readonly queues: Map<Filter, Queue>;

	private reached?: number;

	constructor(
		private readonly period: TimeWindow,
		filters: readonly Filter[],
	) {
		this.queues = new Map(filters.map((filter) => [filter, new Queue()]));
	}

	/**
	 * Goes on to the next part of the period. For all leads that is the whole; else a day first, and then as much
	 * as is likely to hold the rest. Call it when there is no further round.
	 *
	 * @returns false if the period has no other part, or enough was found
	 */
	goFurther(found: number, wanted: number): boolean {
		const { from, to } = this.period;
		const { reached = to } = this;
		const isOver = this.reached === undefined ? from > to : reached <= from;
		if (isOver || found >= wanted) return false;
		const next = Math.max(from, reached - this.partMs(found, wanted));
		for (const queue of this.queues.values()) queue.add({ from: next, to: reached });
		this.reached = next;
		return true;
	}

	/** Windows that may be asked for together; none if this part of the period is covered. */
	nextRound(): Array<FilterWindow<Filter>> {
		const queues = [...this.queues].filter(([, { isEmpty }]) => !isEmpty);
		const isFirst = this.usualMs === undefined;
		// The others can go by what these few bring.
		const due = isFirst ? queues.slice(0, WINDOWS_AT_ONCE) : queues;
		const { usualMs = FIRST_MS } = this;
		const round = due.flatMap(([filter, queue]) =>
			queue.next(usualMs).map((window) => ({ filter, window })),
		);
		return sortBy(round, ({ window }) => -window.to);
	}

	/** Call it with all answers of a round. */
	take(answers: Array<Answered<Filter>>): void {
		for (const [filter, queue] of this.queues) {
			queue.take(answers.filter((answer) => answer.filter === filter));
		}
	}

	/** What fits the densest of those that were asked: for the others, a guess on the safe side. */
	private get usualMs(): number | undefined {
		const fits = [...this.queues.values()].flatMap(({ fitMs }) => fitMs ?? []);
		return fits.length > 0 ? Math.max(FIRST_MS, Math.min(...fits)) : undefined;
	}

	/** Twice what the rest takes at the density so far, and at least twice as far back as before. */
	private partMs(found: number, wanted: number): number {
		if (wanted === Infinity) return Infinity;
		if (this.reached === undefined) return FIRST_MS;
		const behind = this.period.to - this.reached;
		const likely = (2 * behind * (wanted - found)) / found;
		return Math.max(behind, wholeSeconds(likely));
	}
}

/** What is still to be asked for one filter. */
class Queue {
	/** How long the next window should be, once that is known. */
	fitMs?: number;

	/** The newest first. */
	private spans: TimeWindow[] = [];

	/** What was too long for one answer is tried again only little by little. */
	private longestMs = Infinity;

	get isEmpty(): boolean {
		return this.spans.length === 0;
	}

	add(...spans: TimeWindow[]): void {
		this.spans = sortBy([...this.spans, ...spans], ({ to }) => -to);
	}

	/** Several together only if the density is known, and only so many that the rest can go by what these bring. */
	next(usualMs: number): TimeWindow[] {
		const windows: TimeWindow[] = [];
		const most = this.fitMs === undefined ? 1 : WINDOWS_AT_ONCE;
		const fitMs = Math.max(SHORTEST_MS, Math.min(this.fitMs ?? usualMs, this.longestMs));
		while (windows.length < most) {
			const span = this.spans.shift();
			if (!span) break;
			const window = this.fitMs === undefined ? newestIn(span, fitMs) : newestPartOf(span, fitMs);
			windows.push(window);
			if (window.from > span.from) this.spans.unshift({ from: span.from, to: window.from });
		}
		return windows;
	}

	take(answers: Array<Answered<unknown>>): void {
		if (answers.length === 0) return;
		const lengths = answers.map(({ answered }) => Math.max(SHORTEST_MS, lengthOf(answered)));
		const cutShort = answers.filter(({ window, answered }) => answered.from > window.from);
		this.add(...cutShort.map(({ window, answered }) => ({ from: window.from, to: answered.from })));
		this.longestMs =
			cutShort.length > 0
				? Math.min(...cutShort.map(({ answered }) => lengthOf(answered)))
				: 2 * this.longestMs;
		// A quiet night is no quiet week.
		const most = sum(lengths) < DAY_MS ? 2 * sum(lengths) : Infinity;
		// After a burst the next windows are short even if the others of the round were quiet.
		this.fitMs = Math.max(SHORTEST_MS, wholeSeconds(Math.min(most, ...answers.map(fitAfter))));
	}
}

function newestIn({ from, to }: TimeWindow, length: number): TimeWindow {
	return { from: Math.max(from, to - length), to };
}

/** The newest part of a span that is cut into equal parts, none longer than what fits. */
function newestPartOf(span: TimeWindow, fitMs: number): TimeWindow {
	const parts = Math.max(1, Math.ceil(lengthOf(span) / fitMs));
	return newestIn(span, Math.ceil(lengthOf(span) / parts / SECOND_MS) * SECOND_MS);
}

/** How long a window holds enough leads, if they are as dense as in this answer. */
function fitAfter({ answered, count }: Answered<unknown>): number {
	const length = Math.max(SHORTEST_MS, lengthOf(answered));
	return (length * LEADS_PER_ANSWER) / (count + DOUBTED_LEADS);
}

/** What to ask for in place of a window whose answer failed: its newer half, or less of it. */
export function newerPart(window: TimeWindow): TimeWindow {
	const length = lengthOf(window);
	if (length <= SHORTEST_MS) return window;
	const half = Math.min(LONGEST_AFTER_FAILURE_MS, Math.ceil(length / 2 / SECOND_MS) * SECOND_MS);
	return newestIn(window, half);
}

function wholeSeconds(ms: number): number {
	return Math.floor(ms / SECOND_MS) * SECOND_MS;
}
