import { DAY_MS, MINUTE_MS, wholeSeconds } from '../basics/times';

/** A span of time, inclusive at both ends, in epoch milliseconds at whole seconds. */
export interface TimeWindow {
	from: number;
	to: number;
}

/** The shortest window that is asked for in halves. */
const SHORTEST_MS = MINUTE_MS;

const WEEK_MS = 7 * DAY_MS;

export function lengthOf({ from, to }: TimeWindow): number {
	return to - from;
}

/**
 * Splits a period into windows, the newest first: a day, which often brings enough leads, then weeks. Neighbours
 * share the second at which they meet, so that no lead falls between two of them.
 *
 * @returns none for a period that ends before it begins
 */
export function windowsOf({ from, to }: TimeWindow): TimeWindow[] {
	if (from > to) return [];
	const newest = { from: Math.max(from, to - DAY_MS), to };
	const windows = [newest];
	for (let reached = newest.from; reached > from; reached -= WEEK_MS) {
		windows.push({ from: Math.max(from, reached - WEEK_MS), to: reached });
	}
	return windows;
}

/** The newer half of a window, or all of it if it is too short to be halved. */
export function newerHalf({ from, to }: TimeWindow): TimeWindow {
	const length = lengthOf({ from, to });
	return { from: length > SHORTEST_MS ? to - wholeSeconds(length / 2) : from, to };
}

/** The next part of a window after one was answered: twice as long, up to the whole window. */
export function partBefore(answered: TimeWindow, { from }: TimeWindow): TimeWindow | undefined {
	if (answered.from <= from) return undefined;
	return { from: Math.max(from, answered.from - 2 * lengthOf(answered)), to: answered.from };
}
