// From the measurements of many runs to the few figures that a reader sees.
import sum from 'lodash/sum';

import { say } from './report';

export { sum };

export function median(values: number[]): number {
	return percentile(values, 50);
}

/** The value that so many per cent are not above. */
export function percentile(values: number[], percent: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}

export function medianOf<Key extends string>(all: Array<Record<Key, number>>, key: Key): number {
	return median(all.map((each) => each[key]));
}

/** The median of the ratios run by run: other work of the machine meets both of a pair. */
export function ratioOf(values: number[], others: number[]): number {
	return median(values.map((value, index) => value / (others[index] ?? NaN)));
}

/** Each variant in turn, round after round, so that whatever else the machine does meets all of them. */
export async function inTurn<Name extends string, Run>(
	rounds: number,
	variants: Record<Name, (round: number) => Promise<Run>>,
): Promise<Record<Name, Run[]>> {
	const names = Object.keys(variants) as Name[];
	const runs = Object.fromEntries(names.map((name) => [name, [] as Run[]])) as Record<Name, Run[]>;
	for (let round = 1; round <= rounds; round++) {
		for (const name of names) {
			say(`round ${round} of ${rounds}: ${name}`);
			runs[name].push(await variants[name](round));
		}
	}
	return runs;
}
