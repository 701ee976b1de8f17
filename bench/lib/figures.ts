// From the measurements of many runs to the few figures that a reader sees.

/** The runs of each variant, by the name that the reader sees. */
export type Runs<Run> = Map<string, Run[]>;

/** A row of figures for each variant. */
export function figuresOf<Run, Figures extends object>(
	runs: Runs<Run>,
	reduce: (all: Run[]) => Figures,
): Array<Figures & { name: string }> {
	return [...runs].map(([name, all]) => ({ name, ...reduce(all) }));
}

/** The figures of one variant. */
export function figureOf<Figures extends { name: string }>(
	figures: Figures[],
	name: string,
): Figures {
	const found = figures.find((each) => each.name === name);
	if (!found) throw new Error(`${name} was not measured`);
	return found;
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** The value that so many per cent are not above. */
export function percentile(values: number[], percent: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}

/** How far apart the middle half of the values lies. */
export function spread(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const quarter = Math.floor(sorted.length / 4);
	return (sorted.at(-1 - quarter) ?? NaN) - (sorted[quarter] ?? NaN);
}

export function sum(values: number[]): number {
	return values.reduce((total, value) => total + value, 0);
}

export function valuesOf<Key extends string>(all: Array<Record<Key, number>>, key: Key): number[] {
	return all.map((each) => each[key]);
}

export function medianOf<Key extends string>(all: Array<Record<Key, number>>, key: Key): number {
	return median(valuesOf(all, key));
}

export function mostOf<Key extends string>(all: Array<Record<Key, number>>, key: Key): number {
	return Math.max(...valuesOf(all, key));
}
