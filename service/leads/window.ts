/** A span of time, inclusive at both ends, in epoch milliseconds at whole seconds. */
export interface TimeWindow {
	from: number;
	to: number;
}

export function lengthOf({ from, to }: TimeWindow): number {
	return to - from;
}
