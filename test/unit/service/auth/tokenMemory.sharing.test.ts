import { getEventListeners } from 'node:events';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import range from 'lodash/range';

import { orFailure, ServiceError } from '../../../../service/failure';
import type { RetryLimits } from '../../../../service/http/retry';
import { mostListeners } from '../../../lab/listeners';
import { TokenPair } from '../../../lab/tokenPair';

const LIMITS: RetryLimits = { maxTries: 5, maxWaitMs: 60_000 };
const HOUR = 3_600_000;

/** How a token request is answered: a status, with a Retry-After in seconds, and how long the answer takes. */
interface Answer {
	status: number;
	retryAfter?: number;
	takesMs?: number;
}

const TAKEN: Answer = { status: 200 };

let pair: TokenPair;
/** When the service was asked, in milliseconds from the start. */
let askedAt: number[];
let start: number;
/** The times that were set, the answer's own among them. */
let timeouts: Array<{ ms: number; signal: AbortSignal }>;

const elapsed = () => performance.now() - start;
const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);

/** @param answerTo the number of the request, from 1, and when it comes, in milliseconds */
function answers(answerTo: (count: number, atMs: number) => Answer): void {
	pair.body = async (count) => {
		askedAt.push(elapsed());
		const { status, retryAfter, takesMs = 0 } = answerTo(count, elapsed());
		if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
		pair.status = status;
		pair.headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
		return status === 200 ? { access_token: `token-${count}`, expires_in: 3_600 } : '';
	};
}

/** What a call with these limits comes to, and when, in milliseconds from its beginning. */
async function call(limits: RetryLimits = LIMITS) {
	const began = elapsed();
	const outcome = await orFailure(pair.obtain(limits));
	return { outcome, tookMs: elapsed() - began };
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-03-02T10:00:00Z') });
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const over = new AbortController();
		setTimeout(() => over.abort(), ms);
		timeouts.push({ ms, signal: over.signal });
		return over.signal;
	});
	// The longest pauses after failures without a Retry-After: 1, 2, 4, 8 seconds.
	jest.spyOn(Math, 'random').mockReturnValue(1);
	pair = new TokenPair();
	askedAt = [];
	timeouts = [];
	start = performance.now();
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('calls that need a token at the same time', () => {
	it('share one request', async () => {
		answers(() => ({ ...TAKEN, takesMs: 500 }));
		const all = Promise.all(range(10).map(async () => await call()));
		await pass(HOUR);

		for (const { outcome, tookMs } of await all) {
			expect(outcome).toMatchObject({ accessToken: 'token-1' });
			expect(tookMs).toBe(500);
		}
		expect(askedAt).toEqual([0]);
	});

	it('share each repeat as well, and the pause before it', async () => {
		answers(() => ({ status: 503 }));
		const all = Promise.all(range(10).map(async () => await call()));
		await pass(HOUR);

		for (const { outcome, tookMs } of await all) {
			expect(outcome).toMatchObject({ kind: 'unavailable', tries: 5, waitedMs: 15_000 });
			expect(tookMs).toBe(15_000);
		}
		expect(askedAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
	});

	it('share a refusal, each with its own count of tries', async () => {
		answers((count) => (count === 1 ? { status: 503 } : { status: 401, takesMs: 1_000 }));
		const early = call();
		await pass(1_500);
		const late = call();
		await pass(HOUR);

		expect((await early).outcome).toMatchObject({ kind: 'credential', tries: 2, waitedMs: 1_000 });
		expect((await late).outcome).toMatchObject({ kind: 'credential', tries: 1, waitedMs: 0 });
		expect(askedAt).toEqual([0, 1_000]);
	});

	it('share what went wrong in n8n', async () => {
		pair.body = async () => await Promise.reject(new Error('Domain not allowed'));
		const both = Promise.allSettled([call(), call()]);
		await pass(1_000);

		for (const settled of await both) {
			expect(settled).toMatchObject({ reason: new Error('Domain not allowed') });
		}
		expect(pair.asked).toBe(1);
	});

	it('each end by their own limits', async () => {
		answers((count) => (count < 6 ? { status: 503 } : TAKEN));
		const all = Promise.all([
			call({ maxTries: 1, maxWaitMs: 60_000 }),
			call({ maxTries: 9, maxWaitMs: 2_500 }),
			call({ maxTries: 9, maxWaitMs: HOUR, deadline: Date.now() + 7_000 }),
			call({ maxTries: 9, maxWaitMs: HOUR }),
		]);
		await pass(HOUR);

		const [once, hasty, inTime, patient] = await all;
		expect(once).toMatchObject({ tookMs: 0, outcome: { tries: 1, waitedMs: 0 } });
		expect(hasty).toMatchObject({ tookMs: 1_000, outcome: { tries: 2, waitedMs: 1_000 } });
		// A second is kept for the request itself.
		expect(inTime).toMatchObject({ tookMs: 3_000, outcome: { tries: 3, waitedMs: 3_000 } });
		expect(patient).toMatchObject({ outcome: { accessToken: 'token-6' } });
	});
});

describe('a call that joins the request of another', () => {
	it('has all its tries and waits before it, even if it is the last request of the other', async () => {
		answers((count) => (count <= 5 ? { status: 503, takesMs: 100 } : TAKEN));
		const early = call();
		await pass(15_450);
		const late = call();
		await pass(HOUR);

		expect((await early).outcome).toMatchObject({ kind: 'unavailable', tries: 5 });
		expect((await late).outcome).toMatchObject({ accessToken: 'token-6' });
	});

	it('is told at its deadline, and leaves the request to the other', async () => {
		answers(() => ({ ...TAKEN, takesMs: 5_000 }));
		const patient = call();
		const hasty = call({ ...LIMITS, deadline: Date.now() + 2_000 });
		await pass(HOUR);

		expect(await hasty).toMatchObject({
			tookMs: 2_000,
			outcome: {
				kind: 'unavailable',
				message: 'The service did not answer in time',
				details: { requestKind: 'token' },
				tries: 1,
			},
		});
		expect((await patient).outcome).toMatchObject({ accessToken: 'token-1' });
		expect(askedAt).toEqual([0]);
	});

	it('is not cut short by the deadline of the other', async () => {
		answers(() => ({ ...TAKEN, takesMs: 15_000 }));
		const hasty = call({ ...LIMITS, deadline: Date.now() + 10_000 });
		await pass(1_000);
		const patient = call({ maxTries: 1, maxWaitMs: 0 });
		await pass(30_000);

		expect(await hasty).toMatchObject({ tookMs: 10_000, outcome: { kind: 'unavailable' } });
		expect(await patient).toMatchObject({ tookMs: 14_000, outcome: { accessToken: 'token-1' } });
		expect(askedAt).toEqual([0]);
	});

	it('is told at its deadline after one try, though the clock is set back', async () => {
		answers(() => ({ ...TAKEN, takesMs: 29_000 }));
		setTimeout(() => jest.setSystemTime(Date.now() - HOUR), 1_000);
		const hasty = call({ maxTries: 2, maxWaitMs: 0, deadline: Date.now() + 5_000 });
		await pass(HOUR);

		const { outcome, tookMs } = await hasty;
		expect(outcome).toMatchObject({ details: { helpCode: 'noAnswer' }, tries: 1 });
		expect(tookMs).toBe(5_000);
	});

	it('leaves nothing behind that waits for a deadline', async () => {
		answers(() => ({ status: 503 }));
		const calls = Promise.all([
			call({ maxTries: 1, maxWaitMs: 0, deadline: Infinity }),
			call({ maxTries: 1, maxWaitMs: 0, deadline: Date.now() + HOUR }),
		]);
		await pass(1_000);
		await calls;

		expect(timeouts.map(({ ms }) => ms)).toEqual([HOUR, 30_000]);
		for (const { signal } of timeouts) expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});

describe('a wait that the service asked for', () => {
	const busyUntil = (ms: number, retryAfter: number) =>
		answers((_, atMs) => (atMs < ms ? { status: 429, retryAfter } : TAKEN));

	it('is waited for by those who come meanwhile, too', async () => {
		busyUntil(40_000, 40);
		const early = call();
		await pass(30_000);
		const late = call();
		await pass(HOUR);

		expect(await late).toMatchObject({ outcome: { accessToken: 'token-2' } });
		expect((await early).outcome).toMatchObject({ accessToken: 'token-2' });
		expect(askedAt).toHaveLength(2);
		expect(askedAt[1]).toBeGreaterThanOrEqual(40_000);
	});

	it('is never longer than the limits allow, for none of those who share it', async () => {
		busyUntil(HOUR, 16);
		void call();
		await pass(4_100);
		const late = call();
		await pass(HOUR);

		const { outcome, tookMs } = await late;
		expect(outcome).toMatchObject({ kind: 'busy' });
		expect(tookMs).toBeLessThanOrEqual(60_000);
	});

	it('is waited for even if it is just as long as the limits allow', async () => {
		busyUntil(60_000, 60);
		const only = call();
		await pass(HOUR);

		expect(await only).toMatchObject({ tookMs: 60_000, outcome: { accessToken: 'token-2' } });
	});

	it.each([1, 60])(
		'is followed by the try that it was for, if it is %i s as the limits allow, however time passes meanwhile',
		async (seconds) => {
			const now = performance.now.bind(performance);
			let looks = 0;
			// A hundredth of a millisecond from one look at the clock to the next.
			jest.spyOn(performance, 'now').mockImplementation(() => now() + ++looks / 100);
			answers((count) => (count === 1 ? { status: 429, retryAfter: seconds } : TAKEN));
			const only = call({ maxTries: 2, maxWaitMs: seconds * 1_000 });
			await pass(HOUR);

			expect((await only).outcome).toMatchObject({ accessToken: 'token-2' });
		},
	);

	it('that is too long for a call is told to it at once, and how much of it is left', async () => {
		busyUntil(3_000_000, 3_000);
		const patient = call({ maxTries: 5, maxWaitMs: HOUR });
		await pass(999);

		const usual = await call({ maxTries: 5, maxWaitMs: 59_000 });

		expect(usual).toMatchObject({
			tookMs: 0,
			outcome: { kind: 'busy', tries: 0, waitedMs: 0, details: { retryAfterMs: 3_000_000 } },
		});
		await pass(2);
		expect((await call({ maxTries: 5, maxWaitMs: 58_000 })).outcome).toMatchObject({
			details: { retryAfterMs: 2_999_000 },
		});
		expect(askedAt).toEqual([0]);

		await pass(2 * HOUR);
		expect((await patient).outcome).toMatchObject({ accessToken: expect.any(String) });
	});

	it('keeps those who were not told it for a minute at most', async () => {
		busyUntil(HOUR, 3_000);
		void call({ maxTries: 2, maxWaitMs: HOUR });
		await pass(1_000);

		const late = call();
		await pass(58_999);
		expect(askedAt).toEqual([0]);
		await pass(1);

		expect(askedAt).toEqual([0, 60_000]);
		expect(await late).toMatchObject({ tookMs: 59_000, outcome: { tries: 1, waitedMs: 59_000 } });
	});

	it('is over once the service was seen to accept the pair', async () => {
		busyUntil(1, 3_000);
		await call();
		await pass(1);
		pair.memory.acceptPair();

		expect(await call()).toMatchObject({ tookMs: 0, outcome: { accessToken: 'token-2' } });
	});

	it('is over when the host’s clock says so', async () => {
		busyUntil(1, 3_000);
		await call();
		jest.setSystemTime(Date.now() + HOUR);
		await pass(1);

		expect(await call()).toMatchObject({ tookMs: 0, outcome: { accessToken: 'token-2' } });
	});

	it('is over within a second for who waits, if the host’s clock is set forward', async () => {
		busyUntil(1, 40);
		const waiting = call();
		await pass(5_500);
		jest.setSystemTime(Date.now() + HOUR);
		await pass(1_000);

		expect(await waiting).toMatchObject({ outcome: { accessToken: 'token-2' } });
	});

	it('of no time is none', async () => {
		answers((count) => (count === 1 ? { status: 429, retryAfter: 0 } : TAKEN));
		const only = call();
		await pass(HOUR);

		expect(await only).toMatchObject({ tookMs: 1_000, outcome: { accessToken: 'token-2' } });
	});

	it('lasts as long if the host’s clock is set back', async () => {
		busyUntil(40_000, 40);
		void call();
		await pass(1_000);
		jest.setSystemTime(Date.now() - HOUR);
		const late = call();
		await pass(38_999);
		expect(askedAt).toEqual([0]);
		await pass(20_000);

		expect((await late).outcome).toMatchObject({ accessToken: 'token-2' });
	});
});

describe('a call that waits', () => {
	it('has the token at once that another call was given meanwhile', async () => {
		answers((count) => (count === 1 ? { status: 429, retryAfter: 50 } : TAKEN));
		const early = call();
		await pass(1_000);
		pair.memory.acceptPair();
		await call();
		await pass(1_000);

		expect(await early).toMatchObject({ tookMs: 1_000, outcome: { accessToken: 'token-2' } });
	});

	it('may come with the same wait as another one, and heeds what that one is told next', async () => {
		const jitters = [0, 1];
		jest.spyOn(Math, 'random').mockImplementation(() => jitters.shift() ?? 1);
		const script = [
			{ status: 429, retryAfter: 5 },
			{ status: 429, retryAfter: 20 },
		];
		answers((count) => script[count - 1] ?? TAKEN);
		const both = Promise.all([call(), call()]);
		await pass(HOUR);

		for (const { outcome } of await both) expect(outcome).toMatchObject({ accessToken: 'token-3' });
		const [, second = NaN, third = NaN] = askedAt;
		expect(third - second).toBeGreaterThanOrEqual(20_000);
	});

	it('shares the request of another one that asks at that moment, and does not wait', async () => {
		answers((count) => (count === 1 ? { status: 503 } : { status: 503, takesMs: 500 }));
		const once: RetryLimits = { maxTries: 1, maxWaitMs: 0 };
		await call(once);
		await pass(100);
		void call(once);
		await pass(100);
		const joining = call({ ...LIMITS, maxTries: 1 });
		await pass(HOUR);

		expect(await joining).toMatchObject({ tookMs: 400, outcome: { tries: 1, waitedMs: 0 } });
	});

	it('is no leak to Node, though many wait', async () => {
		const most = mostListeners();
		answers((count) => (count === 1 ? { status: 503 } : TAKEN));
		const all = Promise.all(range(30).map(async () => await call()));
		await pass(HOUR);

		for (const { outcome } of await all) expect(outcome).toMatchObject({ accessToken: 'token-2' });
		expect(most()).toBeLessThanOrEqual(10);
	});

	it('loses no try by another call that fails meanwhile', async () => {
		answers((_, atMs) => (atMs < 10_000 ? { status: 503 } : TAKEN));
		const patient = call();
		await pass(8_000);
		await call({ maxTries: 1, maxWaitMs: 0 });
		await pass(HOUR);

		// Its fifth try is the last one that it has.
		expect(await patient).toMatchObject({ tookMs: 15_000, outcome: { accessToken: 'token-6' } });
	});

	it('waits no longer for what was asked of another call', async () => {
		answers((_, atMs) =>
			atMs < 120_000 ? { status: 429, retryAfter: Math.ceil((120_000 - atMs) / 1_000) } : TAKEN,
		);
		const patient = call({ maxTries: 5, maxWaitMs: 150_000 });
		await pass(1_000);
		void call();
		await pass(HOUR);

		expect((await patient).outcome).toMatchObject({ accessToken: expect.any(String) });
	});
});

describe('a pause of our own', () => {
	beforeEach(() => answers((count) => (count === 1 ? { status: 503 } : TAKEN)));

	it('keeps nobody from the only try that their limits allow', async () => {
		void call();
		await pass(100);

		expect(await call({ maxTries: 1, maxWaitMs: 0 })).toMatchObject({
			tookMs: 0,
			outcome: { accessToken: 'token-2' },
		});
	});

	it('is over with the next token, even if that is refused at once', async () => {
		await call({ maxTries: 1, maxWaitMs: 0 });
		await pass(100);
		await call({ maxTries: 1, maxWaitMs: 0 });
		pair.memory.refuse('token-2', 401);

		expect(await call()).toMatchObject({ tookMs: 0, outcome: { accessToken: 'token-3' } });
	});

	it('is kept after there was a token as well', async () => {
		answers((count) => (count === 2 ? { status: 429, retryAfter: 20 } : TAKEN));
		await call();
		pair.memory.refuse('token-1', 401);
		void call();
		await pass(HOUR);

		expect(askedAt).toEqual([0, 0, 20_100]);
	});

	it('comes after no failure that is for good', async () => {
		pair.body = (count) =>
			count === 1 ? '<html></html>' : { access_token: 'token', expires_in: 60 };
		expect((await call()).outcome).toMatchObject({ kind: 'foreign' });

		expect(await call()).toMatchObject({ tookMs: 0, outcome: { accessToken: 'token' } });
	});

	it('is waited for by those whose limits allow it', async () => {
		void call();
		await pass(100);
		const late = call({ maxTries: 1, maxWaitMs: 900 });
		await pass(HOUR);

		expect(await late).toMatchObject({ tookMs: 900, outcome: { accessToken: 'token-2' } });
		expect(askedAt).toEqual([0, 1_000]);
	});
});

it('each call gets a failure of its own', async () => {
	answers(() => ({ status: 503 }));
	const both = Promise.all([call({ ...LIMITS, maxTries: 1 }), call({ ...LIMITS, maxTries: 1 })]);
	await pass(1_000);

	const [one, other] = await both;
	expect(one.outcome).toBeInstanceOf(ServiceError);
	expect(one.outcome).not.toBe(other.outcome);
});
