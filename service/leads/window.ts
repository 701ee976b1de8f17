import { DAY_MS } from '../basics/times';

/** A span of time, inclusive at both ends, in epoch milliseconds at whole seconds. */
export interface TimeWindow {
	from: number;
	to: number;
}

/**
 * Cuts a window into slices of a day, newest first; none if it ends before it starts.
 * Neighbours share the second at which they meet, so that nothing falls between two of them; what
 * lies there comes twice.
 */
export function daySlices({ from, to }: TimeWindow): TimeWindow[] {
	if (from > to) return [];
	const count = Math.max(1, Math.ceil((to - from) / DAY_MS));
	return Array.from({ length: count }, (_, index) => ({
		from: Math.max(from, to - (index + 1) * DAY_MS),
		to: to - index * DAY_MS,
	}));
}
