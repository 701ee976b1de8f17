import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import sum from 'lodash/sum';
import { sleep } from 'n8n-workflow';

import type { RequestKind } from '../../../../service/failure';
import { ServiceError } from '../../../../service/failure';
import type { HttpAnswer } from '../../../../service/http/answer';
import { retryAfterOf } from '../../../../service/http/answer';
import type { RetryLimits } from '../../../../service/http/retry';
import { DEFAULT_LIMITS, withRetry } from '../../../../service/http/retry';
import type { Turn } from '../../../../service/http/throttle';
import { Throttle } from '../../../../service/http/throttle';
import { createDeferredPromise } from '../../../lab/deferred';
import { seedOf } from '../../../lab/seeds';
import { createRandom } from '../../../lab/sandbox/random';

interface Asked {
	isSent: boolean;
	/** Once the request has ended. */
	outcome?: HttpAnswer | Error;
	answer: (status: number, headers?: Record<string, string>) => void;
	break: (error: Error) => void;
}

let client = 0;
let throttle: Throttle;
const EXECUTION = {};

beforeEach(() => {
	jest.useFakeTimers();
	throttle = Throttle.of(`client ${++client}`);
});

afterEach(() => {
	jest.useRealTimers();
});

const aTurn = (): Turn => ({
	owner: EXECUTION,
	limits: DEFAULT_LIMITS,
	signal: new AbortController().signal,
});

/** A request whose answer is up to the test. */
function ask(turn: Partial<Omit<Turn, 'limits'>> & { limits?: Partial<RetryLimits> } = {}): Asked {
	const limits = { ...DEFAULT_LIMITS, ...turn.limits };
	const answered = createDeferredPromise<HttpAnswer>();
	const asked: Asked = {
		isSent: false,
		answer: (statusCode, headers = {}) => answered.resolve({ statusCode, headers, body: {} }),
		break: (error) => answered.reject(error),
	};
	throttle
		.run({ ...aTurn(), ...turn, limits }, async () => {
			asked.isSent = true;
			return await answered.promise;
		})
		.then((sent) => (asked.outcome = sent))
		.catch((error: Error) => (asked.outcome = error));
	return asked;
}

function askMany(count: number, turn?: Parameters<typeof ask>[0]): Asked[] {
	return Array.from({ length: count }, () => ask(turn));
}

const sentOf = (asked: Asked[]) => asked.filter(({ isSent }) => isSent).length;

async function pass(ms = 0): Promise<void> {
	await jest.advanceTimersByTimeAsync(ms);
}

describe('requests at once', () => {
	it.each([
		[0, 4],
		[1, 5],
		[200, 16],
	])('are 4, and one more for each answer, 16 at most: after %d', async (answers, expected) => {
		for (const each of askMany(answers)) {
			await pass();
			each.answer(200);
		}
		const asked = askMany(20);
		await pass();

		expect(sentOf(asked)).toBe(expected);
	});

	it.each([
		['a 500', (each: Asked) => each.answer(500)],
		['a lost connection', (each: Asked) => each.break(lostConnection('data'))],
	])('are half as many after %s, and grow more slowly then', async (_, fail) => {
		fail(ask());
		ask().answer(200);
		await pass();
		const asked = askMany(10);
		await pass();

		expect(sentOf(asked)).toBe(2);
	});

	it.each([
		['a token that could not be had', lostConnection('token')],
		['an error of n8n', new Error('The domain is not allowed')],
	])('are as many as before after %s', async (_, error) => {
		ask().break(error);
		await pass();
		const asked = askMany(10);
		await pass();

		expect(sentOf(asked)).toBe(4);
	});

	it('are never fewer than one', async () => {
		for (const each of askMany(8)) {
			await pass();
			each.answer(503);
		}
		const asked = askMany(2);
		await pass();

		expect(sentOf(asked)).toBe(1);
	});

	it('are no more of one execution than its node allows; others go ahead', async () => {
		const first = ask({ owner: {} });
		const own = askMany(5, { limits: { requestsAtOnce: 1 } });
		const others = askMany(5, { owner: {} });
		await pass();

		expect([first.isSent, sentOf(own), sentOf(others)]).toEqual([true, 1, 2]);
	});

	it('count for each client alone', async () => {
		const own = askMany(4);
		throttle = Throttle.of(`client ${++client}`);
		const others = askMany(4);
		await pass();

		expect(sentOf(own.concat(others))).toBe(8);
	});
});

describe('the queue', () => {
	it('is first come, first served', async () => {
		const underWay = askMany(4);
		const [first, second] = [ask(), ask()];
		await pass();
		underWay[0]?.break(new Error('over'));
		await pass();

		expect([first, second].map((each) => each?.isSent)).toEqual([true, false]);
	});

	it('is left when it is too late, and the failure says that nothing was sent', async () => {
		askMany(4);
		const ending = new AbortController();
		const late = ask({ signal: ending.signal });
		ending.abort(new DOMException('Over', 'TimeoutError'));
		await pass();

		expect(late.isSent).toBe(false);
		expect(late.outcome).toMatchObject({
			kind: 'unavailable',
			details: { isUnsent: true, tries: 0 },
		});
	});

	it('is left at once when the execution is cancelled', async () => {
		const underWay = askMany(4);
		const cancelling = new AbortController();
		const cancelled = ask({ signal: cancelling.signal });
		const next = ask();
		await pass();
		cancelling.abort();
		await pass();

		expect(cancelled.outcome).toEqual(new Error('The execution was canceled'));

		underWay[0]?.answer(200);
		await pass();

		expect([cancelled.isSent, next.isSent]).toEqual([false, true]);
	});
});

describe('after a 429', () => {
	it('a single one holds nobody up', async () => {
		ask().answer(429);
		await pass();
		const asked = ask();
		await pass(25);

		expect(asked.isSent).toBe(true);
	});

	it('nobody asks until Retry-After is over', async () => {
		ask().answer(429, { 'retry-after': '20' });
		await pass();
		const asked = ask();
		await pass(19_999);

		expect(asked.isSent).toBe(false);

		await pass(1);

		expect(asked.isSent).toBe(true);
	});

	it('others wait a minute at most, whatever the service asked one request for', async () => {
		ask().answer(429, { 'retry-after': '3600' });
		await pass();
		const asked = ask();
		await pass(60_000);

		expect(asked.isSent).toBe(true);
	});

	it('neither does a second one, if the service accepted a request between them', async () => {
		for (const status of [429, 200, 429]) {
			ask().answer(status);
			await pass(25);
		}
		const asked = askMany(2);
		await pass(25);

		expect(sentOf(asked)).toBe(2);
	});

	/** Two requests are refused in a second in which the service accepted one. */
	async function reachLimit(): Promise<void> {
		const [taken, ...refused] = askMany(3);
		await pass();
		refused[0]?.answer(429);
		await pass();
		// The request left before the first refusal, so its acceptance says nothing of the time after.
		taken?.answer(200);
		await pass();
		refused[1]?.answer(429);
		await pass(5_000);
	}

	/** Asks 10 more, which are all answered alike. @returns how many have left, at once and after each time (ms) */
	async function leaving(status: number, times: number[]): Promise<number[]> {
		const asked = askMany(10);
		await pass();
		for (const each of asked) each.answer(status);
		const sent = [sentOf(asked)];
		for (const ms of times) {
			await pass(ms);
			sent.push(sentOf(asked));
		}
		return sent;
	}

	it('requests leave no faster than the service accepted them', async () => {
		await reachLimit();

		expect(await leaving(200, [1_060, 1_060, 1_060])).toEqual([1, 2, 3, 4]);
	});

	it('what was accepted more than a second before does not count', async () => {
		for (const each of askMany(4)) each.answer(200);
		await pass(2_000);
		await reachLimit();

		expect(await leaving(200, [1_060, 1_060])).toEqual([1, 2, 3]);
	});

	it('they leave half as fast if the service refuses one at that pace', async () => {
		await reachLimit();
		ask().answer(429);
		await pass(5_000);

		expect(await leaving(200, [1_060, 1_060, 1_060])).toEqual([1, 1, 2, 2]);
	});

	it('they leave at once again when minutes have passed without a refusal', async () => {
		await reachLimit();
		await pass(10 * 60_000);
		ask().answer(200);
		await pass();

		expect(await leaving(200, [])).toEqual([2]);
	});
});

describe('a service that counts', () => {
	const rows = [5, 10, 20].flatMap((perSecond) =>
		(['the last second', 'each second'] as const).flatMap((counts) =>
			[true, false].flatMap((saysWhen) =>
				[0, 20, 150].map((latencyMs) => ({ perSecond, counts, saysWhen, latencyMs })),
			),
		),
	);

	it('answers all of 80 requests, whatever its limit; a fifth of them is refused at most', async () => {
		const seed = seedOf('THROTTLE');
		process.stdout.write(`a service that counts: THROTTLE_SEED=${seed}\n`);
		const random = createRandom(seed);
		jest.spyOn(Math, 'random').mockImplementation(random);
		const refusals = [];
		for (const row of rows) {
			throttle = Throttle.of(`client ${++client}`);
			const service = new Counting(row, random);
			const answers = Array.from({ length: 80 }, async () =>
				withRetry(async () => await service.ask(aTurn()), DEFAULT_LIMITS),
			);
			const all = Promise.all(answers);
			await pass(60_000);
			await all;
			expect(service.accepted).toBe(80);
			refusals.push(service.refused);
		}

		expect(sum(refusals) / rows.length).toBeLessThan(15);
	}, 120_000);
});

/** How a service counts, and how long each of its answers takes. */
interface Count {
	perSecond: number;
	counts: 'the last second' | 'each second';
	/** Whether a 429 says how long to wait. */
	saysWhen: boolean;
	latencyMs: number;
}

/** A service that accepts so many requests in a second and no more. */
class Counting {
	accepted = 0;

	refused = 0;

	private lately: number[] = [];

	constructor(
		private readonly count: Count,
		private readonly random: () => number,
	) {}

	async ask(turn: Turn): Promise<HttpAnswer> {
		const answer = await throttle.run(turn, async () => await this.answer());
		if (answer.statusCode !== 429) return answer;
		const retryAfterMs = retryAfterOf(answer);
		throw new ServiceError('busy', 'busy', { requestKind: 'data', retryAfterMs });
	}

	private async answer(): Promise<HttpAnswer> {
		await sleep(1 + this.random() * 3);
		const waitMs = this.admit(Date.now());
		await sleep(1 + this.count.latencyMs);
		if (waitMs === 0) return { statusCode: 200, headers: {}, body: {} };
		const seconds = String(Math.ceil(waitMs / 1_000));
		const headers = this.count.saysWhen ? { 'retry-after': seconds } : {};
		return { statusCode: 429, headers, body: {} };
	}

	/** @returns how long to wait, in milliseconds; 0 if the request is accepted */
	private admit(now: number): number {
		const second = now - (now % 1_000);
		const from = this.count.counts === 'each second' ? second : now - 999;
		this.lately = this.lately.filter((time) => time >= from);
		if (this.lately.length < this.count.perSecond) {
			this.lately.push(now);
			this.accepted++;
			return 0;
		}
		this.refused++;
		const free = this.count.counts === 'each second' ? second : (this.lately[0] ?? now);
		return free + 1_000 - now;
	}
}

function lostConnection(requestKind: RequestKind): ServiceError {
	return new ServiceError('unavailable', 'The connection was lost', { requestKind });
}
