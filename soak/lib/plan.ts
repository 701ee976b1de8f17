// What happens in a soak run, and when: all of it follows from the seed.
import type { FaultRule } from '../../test/lab/sandbox/faults';
import type { LeadKind } from '../../test/lab/sandbox/leadBodies';
import {
	chance,
	createRandom,
	integer,
	pick,
	shuffled,
	type Random,
} from '../../test/lab/sandbox/random';

/** How a lead is dated when it is received. */
export type Dating = 'now' | 'late' | 'minutes' | 'unset' | 'future';

export interface PlannedLead {
	id: string;
	kind: LeadKind;
	branchId: string;
	dating: Dating;
	/** When it is received, in milliseconds after the activation. */
	at: number;
	/** How much earlier or later it is dated, in milliseconds. */
	shift: number;
}

export interface Disturbance {
	what: 'kill' | 'reactivate';
	/** In milliseconds after the activation. */
	at: number;
	/** Whether it waits until the service answers with a new lead, to strike while n8n takes that over. */
	atAnswer: boolean;
	/** From that answer on, in milliseconds. */
	delay: number;
	/** Between deactivation and re-activation, in milliseconds. */
	pause: number;
}

export interface Plan {
	leads: PlannedLead[];
	disturbances: Disturbance[];
}

/** Each lead is one of theirs. */
export const BRANCHES = ['north', 'south'];

/** Matches the path of a request for leads of either type. */
export const LEADS_PATH = /\/(applicant|appraisal)-leads$/;

const KINDS: LeadKind[] = ['applicant', 'appraisal'];
const MEAN_GAP_MS = 1_500;
const QUIET_START_MS = 15_000;
const KILL_EVERY_MS = 40_000;
const REACTIVATE_EVERY_MS = 60_000;
const LATE_AT_MOST_S = 240;

/** Each as often as it is drawn of 20. */
const DATINGS: Dating[] = [
	...repeated<Dating>('now', 11),
	...repeated<Dating>('late', 4),
	...repeated<Dating>('minutes', 3),
	'unset',
	'future',
];

/** @param prefix of the ids of the leads */
export function planOf(seed: number, durationMs: number, prefix: string): Plan {
	return {
		leads: leadsOf(createRandom(seed), durationMs, prefix),
		disturbances: disturbancesOf(createRandom(seed + 1), durationMs),
	};
}

function leadsOf(random: Random, durationMs: number, prefix: string): PlannedLead[] {
	const leads: PlannedLead[] = [];
	// The first one comes between the activation and the first poll after it.
	for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * MEAN_GAP_MS) {
		const together = chance(random, 0.1) ? integer(random, 2, 4) : 1;
		for (let count = 0; count < together; count++) {
			const number = String(leads.length + 1).padStart(4, '0');
			leads.push({
				id: `${prefix}-${number}`,
				kind: pick(random, KINDS),
				branchId: pick(random, BRANCHES),
				dating: pick(random, DATINGS),
				at: Math.round(at),
				shift: integer(random, 1, LATE_AT_MOST_S) * 1_000,
			});
		}
	}
	return leads;
}

/** One after the other: each has a stretch of time to itself, in which it strikes at a random moment. */
export function disturbancesOf(random: Random, durationMs: number): Disturbance[] {
	const kills = Math.max(1, Math.round(durationMs / KILL_EVERY_MS));
	const reactivations = Math.max(2, Math.round(durationMs / REACTIVATE_EVERY_MS));
	const kinds = shuffled(random, [
		...repeated<Disturbance['what']>('kill', kills),
		...repeated<Disturbance['what']>('reactivate', reactivations),
	]);
	const start = Math.min(QUIET_START_MS, durationMs / 4);
	const stretch = (durationMs - start) / kinds.length;
	return kinds.map((what, index) => ({
		what,
		at: Math.round(start + (index + random() / 2) * stretch),
		atAnswer: chance(random, 0.7),
		delay: integer(random, 0, 150),
		pause: integer(random, 0, 7_000),
	}));
}

/** About one request in seven meets a fault. */
export function faults(paths: Array<RegExp | string> = [LEADS_PATH, '/oauth2/token']): FaultRule[] {
	return paths.flatMap((path) => {
		const rules: FaultRule[] = [
			{ path, kind: 'status', status: 429, probability: 0.02 },
			{ path, kind: 'status', status: 429, retryAfter: 1, probability: 0.01 },
			{ path, kind: 'status', status: 429, retryAfter: { dateInMs: 2_000 }, probability: 0.01 },
			{ path, kind: 'status', status: 500, probability: 0.02 },
			{ path, kind: 'status', status: 500, body: 'empty', when: 'after', probability: 0.01 },
			{ path, kind: 'reset', probability: 0.01 },
			{ path, kind: 'reset', when: 'after', probability: 0.01 },
			{ path, kind: 'cutJson', probability: 0.01 },
			{ path, kind: 'truncate', probability: 0.01 },
			{ path, kind: 'html', probability: 0.01 },
			{ path, kind: 'latency', ms: 1_500, probability: 0.02 },
			{ path, kind: 'latency', ms: 1_500, when: 'after', probability: 0.02 },
		];
		return rules.map((rule) => ({ ...rule, times: Infinity }));
	});
}

function repeated<T>(value: T, count: number): T[] {
	return Array.from({ length: count }, () => value);
}
