// What happens in a soak of properties, and when: all of it follows from the seed.
import type { ChangeLag } from '../../test/lab/sandbox/inventory';
import type { LagFor } from '../../test/lab/sandbox/lag';
import type { Paging } from '../../test/lab/sandbox/paging';
import { chance, createRandom, integer, pick, type Random } from '../../test/lab/sandbox/random';
import { disturbancesOf, type Disturbance } from '../lib/plan';

const DEEDS = [
	'price',
	'price',
	'price',
	'undo',
	'status',
	'archive',
	'rest',
	'create',
	'remove',
] as const;

/** Something that an agency does to a property. */
export interface Deed {
	what: (typeof DEEDS)[number];
	/** In milliseconds after the start. */
	at: number;
	agency: number;
	/** Which of the properties, as a share of all. */
	place: number;
	value: number;
	lag: ChangeLag;
}

export interface Plan {
	deeds: Deed[];
	disturbances: Disturbance[];
	paging: Pick<Paging, 'order'>;
	mostOnPage: number;
}

const MEAN_GAP_MS = 700;
const LAG_AT_MOST_MS = 15_000;

export function planOf(seed: number, durationMs: number): Plan {
	const random = createRandom(seed);
	return {
		deeds: deedsOf(random, durationMs),
		disturbances: disturbancesOf(createRandom(seed + 1), durationMs),
		paging: { order: pick(random, ['stored', 'oldestModified', 'newestModified']) },
		mostOnPage: pick(random, [7, 20, Infinity]),
	};
}

function deedsOf(random: Random, durationMs: number): Deed[] {
	const deeds: Deed[] = [];
	for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * MEAN_GAP_MS) {
		deeds.push({
			what: pick(random, DEEDS),
			at: Math.round(at),
			agency: integer(random, 0, 1),
			// A few properties change all the time.
			place: random() ** 3,
			value: integer(random, 100, 400),
			lag: { ...sometimes(random, 'records'), ...sometimes(random, 'rows') },
		});
	}
	return deeds;
}

function sometimes(random: Random, view: keyof ChangeLag): ChangeLag {
	const lagFor: LagFor = { ms: integer(random, 1, LAG_AT_MOST_MS) };
	return chance(random, 0.15) ? { [view]: lagFor } : {};
}
