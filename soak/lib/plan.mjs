// @ts-check
// What happens in a soak run, and when: all of it follows from the seed.
import { createRequire } from 'node:module';

const { chance, createRandom, integer, pick, shuffled } = /** @type {Random} */ (
	createRequire(import.meta.url)('../../test/lab/sandbox/random')
);

/**
 * @typedef {typeof import('../../test/lab/sandbox/random.js')} Random
 * @typedef {import('../../test/lab/sandbox/leadBodies.js').LeadKind} LeadKind
 * @typedef {import('../../test/lab/sandbox/faults.js').FaultRule} FaultRule
 * @typedef {'now' | 'late' | 'minutes' | 'unset' | 'future'} Dating how a lead is dated when it is received
 * @typedef {object} PlannedLead
 * @property {string} id
 * @property {LeadKind} kind
 * @property {string} branchId
 * @property {Dating} dating
 * @property {number} at when it is received, in milliseconds after the activation
 * @property {number} shift how much earlier or later it is dated, in milliseconds
 * @typedef {object} Disturbance
 * @property {'kill' | 'reactivate'} what
 * @property {number} at in milliseconds after the activation
 * @property {boolean} atAnswer whether it waits for the service to answer with a new lead, to strike while that is handed on
 * @property {number} delay from that answer on, in milliseconds
 * @property {number} pause between de- and re-activation, in milliseconds
 * @typedef {{ leads: PlannedLead[], disturbances: Disturbance[] }} Plan
 */

/** Each lead is one of theirs. */
export const BRANCHES = ['north', 'south'];

const MEAN_GAP_MS = 1_500;
const QUIET_START_MS = 15_000;
const KILL_EVERY_MS = 40_000;
const REACTIVATE_EVERY_MS = 60_000;
const LATE_AT_MOST_S = 240;

/** @type {Dating[]} */
const DATINGS = [
	...Array.from({ length: 11 }, () => /** @type {const} */ ('now')),
	...Array.from({ length: 4 }, () => /** @type {const} */ ('late')),
	...Array.from({ length: 3 }, () => /** @type {const} */ ('minutes')),
	'unset',
	'future',
];

/**
 * @param {number} seed
 * @param {number} durationMs
 * @param {string} prefix of the lead ids
 * @returns {Plan}
 */
export function planOf(seed, durationMs, prefix) {
	return {
		leads: leadsOf(createRandom(seed), durationMs, prefix),
		disturbances: disturbancesOf(createRandom(seed + 1), durationMs),
	};
}

/**
 * @param {() => number} random
 * @param {number} durationMs
 * @param {string} prefix
 */
function leadsOf(random, durationMs, prefix) {
	/** @type {PlannedLead[]} */
	const leads = [];
	// The first one comes between the activation and the first poll after it.
	for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * MEAN_GAP_MS) {
		const together = chance(random, 0.1) ? integer(random, 2, 4) : 1;
		for (let count = 0; count < together; count++) {
			const number = String(leads.length + 1).padStart(4, '0');
			leads.push({
				id: `${prefix}-${number}`,
				kind: pick(random, /** @type {const} */ (['applicant', 'appraisal'])),
				branchId: pick(random, BRANCHES),
				dating: pick(random, DATINGS),
				at: Math.round(at),
				shift: integer(random, 1, LATE_AT_MOST_S) * 1_000,
			});
		}
	}
	return leads;
}

/**
 * One after the other: each has a stretch of time to itself, in which it strikes at a random moment.
 *
 * @param {() => number} random
 * @param {number} durationMs
 */
function disturbancesOf(random, durationMs) {
	const kills = Math.max(1, Math.round(durationMs / KILL_EVERY_MS));
	const reactivations = Math.max(2, Math.round(durationMs / REACTIVATE_EVERY_MS));
	const kinds = shuffled(random, [
		...Array.from({ length: kills }, () => /** @type {const} */ ('kill')),
		...Array.from({ length: reactivations }, () => /** @type {const} */ ('reactivate')),
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

/**
 * About one request in seven meets a fault.
 *
 * @returns {FaultRule[]}
 */
export function faults() {
	return [/\/(applicant|appraisal)-leads$/, '/oauth2/token'].flatMap((path) =>
		/** @type {FaultRule[]} */ ([
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
		]).map((rule) => ({ ...rule, times: Infinity })),
	);
}
