// What happens to pushed and polled leads in a run, and when: all of it follows from the seed.
import type { LeadKind } from '../../test/lab/sandbox/leadBodies';
import type { PushTravel } from '../../test/lab/sandbox/push/send';
import {
	chance,
	createRandom,
	integer,
	pick,
	shuffled,
	type Random,
} from '../../test/lab/sandbox/random';
import { BRANCHES } from '../lib/plan';

export interface PlannedLead {
	id: string;
	kind: LeadKind;
	branchId: string;
	/** When the service receives it, in milliseconds after the activation. */
	at: number;
	/** From then on, when a poll finds it first (ms); undefined: never. */
	polledAfter?: number;
	/** From then on, when it is pushed (ms), each time until it is taken. Empty: never. */
	pushedAfter: number[];
	/** How many times at once it is pushed. */
	copies: number;
	travel: PushTravel;
}

export type Disturbance =
	/** n8n is killed and started again. */
	| { what: 'kill' }
	/** Nothing can be written to n8n's database. */
	| { what: 'lock'; ms: number }
	/** A changed workflow is published over the one before. */
	| { what: 'over' }
	/** The workflows are unpublished for so long; for a day, pushes are given up. */
	| { what: 'unpublish'; ms: number };

export interface Plan {
	leads: PlannedLead[];
	/** One after the other, each after a pause (ms). */
	disturbances: Array<Disturbance & { pause: number }>;
	/** Whether n8n carries out one run at a time. */
	isNarrow: boolean;
}

/** How long the operator tries to push a lead, 24 hours in life. */
export const DAY_MS = 24_000;

const MEAN_GAP_MS = 900;
/** If n8n is killed while it publishes, it takes two minutes: that is not all that a run is to show. */
const FIRST_PAUSE_MS = 6_000;
const MOST_COPIES = 12;
const LATE_AT_MOST_MS = 9_000;
const NARROW = 0.4;

/** @param prefix of the ids of the leads */
export function planOf(seed: number, durationMs: number, prefix: string): Plan {
	return {
		leads: leadsOf(createRandom(seed), durationMs, prefix),
		disturbances: disturbancesOf(createRandom(seed + 1)),
		isNarrow: chance(createRandom(seed + 2), NARROW),
	};
}

function leadsOf(random: Random, durationMs: number, prefix: string): PlannedLead[] {
	const leads: PlannedLead[] = [];
	for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * MEAN_GAP_MS) {
		leads.push({
			id: `${prefix}-${String(leads.length + 1).padStart(4, '0')}`,
			kind: pick<LeadKind>(random, ['applicant', 'appraisal']),
			branchId: pick(random, BRANCHES),
			at: Math.round(at),
			...wayOf(random),
			copies: chance(random, 0.06) ? MOST_COPIES : 1,
			travel: travelOf(random),
		});
	}
	return leads;
}

/** Whichever way a lead comes first, and however often. */
function wayOf(random: Random): Pick<PlannedLead, 'polledAfter' | 'pushedAfter'> {
	const late = () => integer(random, 0, LATE_AT_MOST_MS);
	const again = chance(random, 0.3) ? [late()] : [];
	switch (pick(random, ['pushed', 'polled', 'pushFirst', 'pollFirst', 'both', 'both'])) {
		case 'pushed':
			return { pushedAfter: [0, ...again] };
		case 'polled':
			return { polledAfter: 0, pushedAfter: [] };
		case 'pushFirst':
			return { polledAfter: late(), pushedAfter: [0, ...again] };
		case 'pollFirst':
			return { polledAfter: 0, pushedAfter: [late(), ...again] };
		default:
			return { polledAfter: 0, pushedAfter: [0, ...again] };
	}
}

function travelOf(random: Random): PushTravel {
	return pick<PushTravel>(random, [
		...Array.from({ length: 8 }, () => ({})),
		{ takesMs: integer(random, 200, 2_000) },
		{ cutAfter: integer(random, 1, 300) },
	]);
}

function disturbancesOf(random: Random): Plan['disturbances'] {
	const lock = (): Disturbance => ({ what: 'lock', ms: integer(random, 1_000, 7_000) });
	const day: Disturbance = { what: 'unpublish', ms: DAY_MS + 6_000 };
	const moment: Disturbance = { what: 'unpublish', ms: integer(random, 0, 2_000) };
	return shuffled<Disturbance>(random, [
		{ what: 'kill' },
		{ what: 'kill' },
		lock(),
		lock(),
		{ what: 'over' },
		moment,
		day,
	]).map((each, index) => {
		const pause = integer(random, 300, 3_500);
		return { ...each, pause: index === 0 ? pause + FIRST_PAUSE_MS : pause };
	});
}
