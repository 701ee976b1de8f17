import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import sumBy from 'lodash/sumBy';

import { orFailure, ServiceError } from '../../../../service/failure';
import type { RetryLimits } from '../../../../service/http/retry';
import fc from '../../../lab/properties';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';
import { TokenPair } from '../../../lab/tokenPair';

/** How a token request is answered, and how long that takes. */
interface Answer {
	takesMs: number;
	status: number;
	/** In seconds. */
	retryAfter?: number;
	/** How long the token lives, in seconds. */
	expiresIn: number;
}

interface Plan {
	/** When it comes, in milliseconds from the start. */
	at: number;
	maxTries: number;
	maxWaitMs: number;
	/** In milliseconds from when it comes. */
	withinMs?: number;
}

/** A request as the service saw it, in milliseconds from the start. */
interface Asked extends Answer {
	from: number;
	to: number;
}

const answer: fc.Arbitrary<Answer> = fc.record(
	{
		takesMs: fc.constantFrom(0, 1, 300, 5 * SECOND, 20 * SECOND),
		status: fc.constantFrom(200, 200, 429, 429, 500, 503),
		retryAfter: fc.constantFrom(0, 1, 10, 59, 61, 3_600),
		expiresIn: fc.constantFrom(1, 20, 3_600),
	},
	{ requiredKeys: ['takesMs', 'status', 'expiresIn'] },
);

const plan: fc.Arbitrary<Plan> = fc.record(
	{
		at: fc.constantFrom(0, 0, 0, 10, 500, 1_000, 12_000, 60_000, 90_000),
		maxTries: fc.integer({ min: 1, max: 5 }),
		maxWaitMs: fc.constantFrom(0, SECOND, 20 * SECOND, MINUTE, 2 * MINUTE),
		withinMs: fc.constantFrom(500, 5 * SECOND, 30 * SECOND),
	},
	{ requiredKeys: ['at', 'maxTries', 'maxWaitMs'] },
);

/** Plays calls of one process at a service, by fake time. */
class Play {
	readonly asked: Asked[] = [];

	private readonly pair = new TokenPair();

	private readonly start = performance.now();

	/** @param answers one after the other, then `last` over and over */
	constructor(answers: Answer[], last: Answer) {
		this.pair.body = async (count) => {
			const given = answers[count - 1] ?? last;
			const asked = { ...given, from: this.elapsed(), to: Infinity };
			this.asked.push(asked);
			await new Promise((resolve) => setTimeout(resolve, given.takesMs));
			asked.to = this.elapsed();
			this.pair.status = given.status;
			this.pair.headers =
				given.retryAfter === undefined ? {} : { 'retry-after': String(given.retryAfter) };
			return given.status === 200
				? { access_token: `token-${count}`, expires_in: given.expiresIn }
				: '';
		};
	}

	async call(plan: Plan) {
		const { at, withinMs = Infinity, ...limits } = plan;
		if (at > 0) await new Promise((resolve) => setTimeout(resolve, at));
		const own: RetryLimits = { ...limits, deadline: Date.now() + withinMs };
		const from = this.elapsed();
		const outcome = await orFailure(this.pair.obtain(own));
		return { plan, from, to: this.elapsed(), outcome };
	}

	/** For how long a request was under way between two moments. */
	askingMs(from: number, to: number): number {
		return sumBy(this.asked, (each) =>
			Math.max(0, Math.min(each.to, to) - Math.max(each.from, from)),
		);
	}

	/** A token that came before the second moment, and lived in its first half until then: a call would have had it. */
	tokenBetween(from: number, to: number): Asked | undefined {
		return this.asked.find(
			({ status, to: came, expiresIn }) =>
				status === 200 && Math.max(came, from) < to && to < came + (expiresIn * SECOND) / 2,
		);
	}

	private elapsed(): number {
		return performance.now() - this.start;
	}
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-03-02T10:00:00Z') });
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const over = new AbortController();
		setTimeout(() => over.abort(), ms);
		return over.signal;
	});
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

it('each call ends as its own limits say, whatever the others do', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(answer, { maxLength: 6 }),
			answer,
			fc.array(plan, { minLength: 1, maxLength: 6 }),
			fc.constantFrom(0, 0.5, 1),
			async (answers, last, plans, random) => {
				jest.spyOn(Math, 'random').mockReturnValue(random);
				const play = new Play(answers, last);
				const calls = Promise.all(plans.map(async (each) => await play.call(each)));
				await jest.advanceTimersByTimeAsync(HOUR);
				const ended = await calls;

				for (const { plan: limits, from, to, outcome } of ended) {
					const { maxTries, maxWaitMs, withinMs = Infinity } = limits;
					expect(to - from).toBeLessThanOrEqual(withinMs);
					expect(to - from - play.askingMs(from, to)).toBeLessThanOrEqual(maxWaitMs);
					expect(play.tokenBetween(from, to)).toBeUndefined();
					if (!(outcome instanceof ServiceError)) continue;
					expect(outcome.tries).toBeLessThanOrEqual(maxTries);
					expect(outcome.waitedMs).toBeLessThanOrEqual(maxWaitMs);
				}
				for (const [index, { from }] of play.asked.entries()) {
					const before = play.asked[index - 1];
					if (!before) continue;
					expect(from).toBeGreaterThanOrEqual(before.to);
					const { status, retryAfter = 0 } = before;
					const restMs = status === 200 ? 0 : Math.min(retryAfter * SECOND, MINUTE);
					expect(from).toBeGreaterThanOrEqual(before.to + restMs);
				}
			},
		),
		{ numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
	);
});
