import { DAY_MS, MINUTE_MS, wholeSeconds } from '../basics/times';

/** A window, that is a period to which both ends belong, in epoch milliseconds at whole seconds. */
export interface TimeWindow {
	from: number;
	to: number;
}

/** A window (the period of a request) of this length or less, in milliseconds, is not halved. */
const SHORTEST_MS = MINUTE_MS;

const WEEK_MS = 7 * DAY_MS;

export function lengthOf({ from, to }: TimeWindow): number {
	return to - from;
}

/**
 * Splits a period into windows (the periods of single requests), the newest first: one day, which often contains enough
 * leads, and then weeks. Neighbouring windows share one second, so that no lead falls between two of them.
 *
 * @returns an empty list for a period that ends before it starts
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

/** Returns the newer half of a window (the period of a request), or all of it if it is too short to be halved. */
export function newerHalf({ from, to }: TimeWindow): TimeWindow {
	const length = lengthOf({ from, to });
	return { from: length > SHORTEST_MS ? to - wholeSeconds(length / 2) : from, to };
}

/**
 * Chooses the part of a window (the period of a request) to ask for after the service has answered for a newer part. It
 * is twice as long as the newer part, but does not begin before the window.
 *
 * @param answered the part for which the service has answered
 * @returns undefined if the service has answered for the whole window
 */
export function partBefore(answered: TimeWindow, { from }: TimeWindow): TimeWindow | undefined {
	if (answered.from <= from) return undefined;
	return { from: Math.max(from, answered.from - 2 * lengthOf(answered)), to: answered.from };
}
