import { randomInt } from 'node:crypto';

/**
 * The seed of a randomised test. One of usual length plays the same cases every time, so that what it
 * says is about the change and not by chance; one of more runs draws a seed of its own. `WILD_SEED`,
 * `TRIGGER_SEED`, `PRODUCT_SEED`, `PROPERTY_SEED` and `THROTTLE_SEED` repeat one that was printed.
 */
export function seedOf(kind: 'WILD' | 'TRIGGER' | 'PRODUCT' | 'PROPERTY' | 'THROTTLE'): number {
	const { [`${kind}_SEED`]: asked, [`${kind}_RUNS`]: runs } = process.env;
	if (asked !== undefined) return Number(asked);
	return runs === undefined ? 1 : randomInt(2 ** 31);
}
