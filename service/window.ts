/** A span of time, inclusive at both ends, in epoch milliseconds at whole seconds. */
export interface TimeWindow {
	from: number;
	to: number;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Cuts a window into slices of a day, newest first. Neighbours share the second at which they
 * meet, so that nothing falls between two of them; what lies there comes twice.
 */
export function daySlices({ from, to }: TimeWindow): TimeWindow[] {
	const slices: TimeWindow[] = [];
	for (let end = to; slices.length === 0 || end > from; end -= DAY_MS) {
		slices.push({ from: Math.max(from, end - DAY_MS), to: end });
	}
	return slices;
}
