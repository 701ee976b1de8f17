// What happens in a soak run, and when: all of it follows from the seed.
import { isObject } from '../service/basics/values';
import type { HttpReceiver } from '../test/lab/n8n/httpReceiver';
import type { FaultRule } from '../test/lab/sandbox/faults';
import {
	chance,
	createRandom,
	integer,
	seedOf,
	shuffled,
	type Random,
} from '../test/lab/sandbox/random';

export interface Disturbance {
	/**
	 * - kill: n8n is killed and started again
	 * - lock: nothing can be written to n8n's database for so long
	 * - over: a changed workflow is published over the one before
	 * - unpublish: the workflows are unpublished for so long
	 */
	what: 'kill' | 'lock' | 'over' | 'unpublish';
	/** How long it lasts, in milliseconds. */
	ms: number;
	/** In milliseconds after the publication, or once the one before is over. */
	at: number;
	/** Whether it waits until the service answers with something new, to strike while n8n takes that over. */
	atAnswer: boolean;
	/** From that answer on, in milliseconds. */
	delay: number;
}

/** Each lead is one of theirs. */
export const BRANCHES = ['north', 'south'];

const QUIET_START_MS = 15_000;
const KILL_EVERY_MS = 40_000;
const UNPUBLISH_EVERY_MS = 60_000;
/** The share of runs in which n8n carries out one execution at a time. */
const NARROW = 0.3;
/** The share of requests that workflows send which take longer, so that n8n is killed in the middle of some. */
const SLOW = 0.06;
const SLOW_MS = 2_000;
/** Of the leads, if a lead that fails is run again. */
const REFUSED_AT_FIRST = 0.15;

export function isNarrow(seed: number): boolean {
	return chance(createRandom(seed + 2), NARROW);
}

/** When something comes, in milliseconds: at random, so far apart in the mean. */
export function* moments(random: Random, durationMs: number, meanGapMs: number): Generator<number> {
	for (let at = 0; at < durationMs; at += -Math.log(1 - random()) * meanGapMs) yield Math.round(at);
}

/** As many kills and publications as a run has time for. */
export function usualDisturbances(seed: number, durationMs: number): Disturbance[] {
	const random = createRandom(seed + 1);
	const kills = Math.max(1, Math.round(durationMs / KILL_EVERY_MS));
	const pauses = Math.max(2, Math.round(durationMs / UNPUBLISH_EVERY_MS));
	return inTurn(random, durationMs, [
		...Array.from({ length: kills }, () => ({ what: 'kill' as const, ms: 0 })),
		...Array.from({ length: pauses }, () => ({
			what: 'unpublish' as const,
			ms: integer(random, 0, 7_000),
		})),
	]);
}

/** One after the other: each has a stretch of time to itself, in which it strikes at a random moment. */
export function inTurn(
	random: Random,
	durationMs: number,
	kinds: Array<Pick<Disturbance, 'what' | 'ms'>>,
): Disturbance[] {
	const start = Math.min(QUIET_START_MS, durationMs / 4);
	const stretch = (durationMs - start) / kinds.length;
	return shuffled(random, kinds).map((each, index) => ({
		...each,
		at: Math.round(start + (index + random() / 2) * stretch),
		atAnswer: chance(random, 0.7),
		delay: integer(random, 0, 150),
	}));
}

/** About one request in seven meets a fault. */
export function faults(paths: Array<RegExp | string>): FaultRule[] {
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

/** How the target of the workflows answers: some requests slowly, and it refuses the first try of some leads if they are tried again. */
export function answerOf(seed: number, runAgain: number): HttpReceiver['answer'] {
	const tried = new Set<string>();
	return async ({ body: { workflow, lead } }) => {
		const key = `${String(workflow)} ${JSON.stringify(isObject(lead) ? lead.id : lead)}`;
		const random = createRandom(seedOf(`${seed} ${key}`));
		if (chance(random, SLOW)) await new Promise((go) => setTimeout(go, SLOW_MS));
		const isRefused = runAgain > 0 && !tried.has(key) && chance(random, REFUSED_AT_FIRST);
		tried.add(key);
		return isRefused ? 503 : 200;
	};
}
