import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { ServiceError } from '../../../../service/failure';
import type { RetryLimits } from '../../../../service/http/retry';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a token that this process knows', () => {
	it('is shared for as long as it lives, and no longer', async () => {
		await pair.renew();
		clock.now += 60 * MINUTE_MS - 1;
		pair.stored.accessToken = '';

		await pair.renew();

		expect(pair.asked).toBe(1);

		clock.now += 1;
		pair.stored.accessToken = '';

		await pair.renew();

		expect(pair.asked).toBe(2);
	});

	it('is shared even if its end is unknown', async () => {
		pair.body = () => ({ access_token: 'endless' });
		await pair.renew();
		clock.now += 1_000 * MINUTE_MS;
		pair.stored.accessToken = '';

		expect(await pair.renew()).toMatchObject({ accessToken: 'endless' });
		expect(pair.asked).toBe(1);
	});
});

describe('a token request that is under way', () => {
	const LIMITS: RetryLimits = { maxTries: 5, maxWaitMs: 60_000 };
	let answer: () => void;
	let fail: (error: Error) => void;

	beforeEach(() => {
		pair.body = async (asked) =>
			await new Promise((resolve, reject) => {
				answer = () => resolve({ access_token: `token-${asked}`, expires_in: 3_600 });
				fail = reject;
			});
	});

	/** Lets everything happen that waits for nothing. */
	const settle = async () => await new Promise((resolve) => setImmediate(resolve));

	it('is shared', async () => {
		const both = Promise.all([pair.obtain(LIMITS), pair.obtain(LIMITS)]);
		await settle();
		answer();

		expect((await both).map(({ accessToken }) => accessToken)).toEqual(['token-1', 'token-1']);
		expect(pair.asked).toBe(1);
	});

	it('keeps no call waiting beyond its deadline, and serves the others', async () => {
		const first = pair.obtain(LIMITS);
		await settle();
		const hasty = pair.obtain({ ...LIMITS, deadline: clock.now + 20 });

		await expect(hasty).rejects.toMatchObject({
			kind: 'unavailable',
			message: 'The service did not answer in time',
			details: { requestKind: 'token' },
		});

		answer();
		expect(await first).toMatchObject({ accessToken: 'token-1' });
		expect(pair.asked).toBe(1);
	});

	it.each([
		[{ maxTries: 2, maxWaitMs: 5_000 }, 65_000],
		[{ maxTries: 2, maxWaitMs: 5_000, deadline: Infinity }, 65_000],
		[{ maxTries: 1e9, maxWaitMs: 0 }, 3_600_000],
	])('is waited for as long as one within %p would take at most', async (limits, longestMs) => {
		const first = pair.obtain(LIMITS);
		await settle();
		const over = new AbortController();
		const timer = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal);

		const second = pair.obtain(limits);

		expect(timer).toHaveBeenLastCalledWith(longestMs);

		over.abort();
		await expect(second).rejects.toThrow('The service did not answer in time');

		answer();
		await first;
	});

	it('that fails for good fails for all who share it', async () => {
		const all = Promise.allSettled([pair.obtain(LIMITS), pair.obtain(LIMITS)]);
		await settle();
		const reason = new ServiceError('credential', 'No');
		fail(reason);

		expect(await all).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
		expect(pair.asked).toBe(1);
	});

	it('that is given up is made again for a call that may try more often', async () => {
		const hasty = pair.obtain({ maxTries: 1, maxWaitMs: 0 });
		const patient = pair.obtain({ maxTries: 2, maxWaitMs: 0 });
		await settle();
		fail(new ServiceError('unavailable', 'Not now'));

		await expect(hasty).rejects.toThrow('Not now');

		await settle();
		answer();
		expect(await patient).toMatchObject({ accessToken: 'token-2' });
	});

	it('is the last word if the service asked for a longer wait than the others may wait', async () => {
		const limits = { maxTries: 5, maxWaitMs: 60_000 };
		const most = { ...limits, maxWaitMs: 300_000 };
		const all = Promise.allSettled([pair.obtain(limits), pair.obtain(limits)]);
		const patient = pair.obtain(most);
		await settle();
		const reason = new ServiceError('busy', 'Not now', { retryAfterMs: 300_000 }).afterTries(1, 0);
		fail(reason);

		expect(await all).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);

		await settle();
		answer();
		expect(await patient).toMatchObject({ accessToken: 'token-2' });
	});

	/** Limits whose deadline is told in milliseconds from now. */
	const fromNow = ({ deadline = Infinity, ...limits }: RetryLimits): RetryLimits => ({
		...limits,
		deadline: clock.now + deadline,
	});

	it.each<[string, RetryLimits, RetryLimits, number | undefined, number, number]>([
		['waited for most of its time', LIMITS, LIMITS, 40_000, 2, 40_000],
		['may not wait', { ...LIMITS, maxWaitMs: 0 }, { ...LIMITS, maxWaitMs: 0 }, undefined, 1, 0],
		['has waited', LIMITS, LIMITS, undefined, 4, 59_500],
		[
			'has waited, but may try less often',
			LIMITS,
			{ ...LIMITS, maxTries: 9 },
			undefined,
			4,
			59_500,
		],
		[
			'began a moment sooner',
			{ ...LIMITS, deadline: 2_000 },
			{ ...LIMITS, deadline: 2_999 },
			undefined,
			1,
			0,
		],
	])(
		'is the last word for those with no wider limits than a call that %s',
		async (_, limits, others, retryAfterMs, tries, waitedMs) => {
			const all = Promise.allSettled(
				[limits, others, others, others].map(async (each) => await pair.obtain(fromNow(each))),
			);
			await settle();
			const details = retryAfterMs === undefined ? {} : { retryAfterMs };
			const reason = new ServiceError('busy', 'Not now', details).afterTries(tries, waitedMs);
			fail(reason);
			await settle();

			expect(pair.asked).toBe(1);
			expect(await all).toEqual(Array(4).fill({ status: 'rejected', reason }));
		},
	);

	it.each<[string, RetryLimits, RetryLimits]>([
		['may wait for longer', LIMITS, { ...LIMITS, maxWaitMs: 61_000 }],
		['has more time', { ...LIMITS, deadline: 20_000 }, { ...LIMITS, deadline: 21_000 }],
	])('is made again for a call that %s', async (_, limits, wider) => {
		const narrow = pair.obtain(fromNow(limits));
		const wide = pair.obtain(fromNow(wider));
		await settle();
		fail(new ServiceError('busy', 'Not now').afterTries(3, 0));

		await expect(narrow).rejects.toThrow('Not now');

		await settle();
		answer();
		expect(await wide).toMatchObject({ accessToken: 'token-2' });
	});

	it.each<[string, RetryLimits, number, number, number | undefined]>([
		['had used up its waits', LIMITS, 4, 59_500, undefined],
		['had waited for as long as the service asked', LIMITS, 2, 40_000, 40_000],
		['might try less often', { maxTries: 2, maxWaitMs: 60_000 }, 2, 40_000, undefined],
	])(
		'is made again for a call with waits of its own that came after one that %s',
		async (_, limits, tries, waitedMs, retryAfterMs) => {
			const early = pair.obtain(limits);
			await settle();
			clock.now += waitedMs + 500;
			const late = pair.obtain({ maxTries: 5, maxWaitMs: 45_000 });
			await settle();
			clock.now += 20;
			const details = retryAfterMs === undefined ? {} : { retryAfterMs };
			fail(new ServiceError('busy', 'Not now', details).afterTries(tries, waitedMs));

			await expect(early).rejects.toThrow('Not now');

			await settle();
			answer();
			expect(await late).toMatchObject({ accessToken: 'token-2' });
		},
	);

	it('is the last word if it was tried as often as the others may try', async () => {
		const limits = { maxTries: 1, maxWaitMs: 0 };
		const all = Promise.allSettled([pair.obtain(limits), pair.obtain(limits)]);
		await settle();
		const reason = new ServiceError('unavailable', 'Not now');
		fail(reason);

		expect(await all).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
		expect(pair.asked).toBe(1);
	});
});

describe('a refused pair', () => {
	const refuseWith = (status: number, body: unknown) => {
		pair.status = status;
		pair.body = () => body;
	};

	const refusal = async () => {
		const [outcome] = await Promise.allSettled([pair.obtain({ maxTries: 1, maxWaitMs: 0 })]);
		const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
		if (!(error instanceof ServiceError)) throw new Error('It was not refused');
		return error;
	};

	it.each([
		['401', 401, ''],
		['401 and a code', 401, { error: 'invalid_client' }],
		['400 and a code', 400, { error: 'invalid_client' }],
		['403 and a code', 403, { error: 'access_denied' }],
	])('is not sent again for five minutes after %s', async (_, status, body) => {
		refuseWith(status, body);
		const first = await refusal();
		clock.now += 5 * MINUTE_MS - 1;

		const second = await refusal();

		expect(pair.asked).toBe(1);
		expect(second.message).toBe(first.message);
		expect(first.details.aside).toBeUndefined();
		expect(second.details).toEqual({
			...first.details,
			aside:
				'The service said so less than 5 minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.',
		});

		clock.now += 1;

		await refusal();

		expect(pair.asked).toBe(2);
	});

	it.each([
		['403 without a code', 403, ''],
		['400 without a code', 400, '<html></html>'],
		['404 with a code', 404, { error: 'not_found' }],
		['503 with a code', 503, { error: 'invalid_client' }],
		['429', 429, { error: 'slow_down' }],
		['400 that will pass', 400, { error: 'temporarily_unavailable' }],
		['403 from a service in trouble', 403, { error: 'server_error' }],
		['400 in a hurry', 400, { error: 'slow_down' }],
		['a web page', 200, '<html></html>'],
	])('is something else than %s', async (_, status, body) => {
		refuseWith(status, body);
		await refusal();

		await refusal();

		expect(pair.asked).toBe(2);
	});

	it('is something else than an error of n8n itself', async () => {
		pair.body = async () =>
			await Promise.reject(Object.assign(new Error('Domain not allowed'), { details: {} }));
		const limits = { maxTries: 1, maxWaitMs: 0 };

		await expect(pair.obtain(limits)).rejects.toThrow('Domain not allowed');
		await expect(pair.obtain(limits)).rejects.toThrow('Domain not allowed');
		expect(pair.asked).toBe(2);
	});

	it('is sent again at once if the service was seen to accept it', async () => {
		refuseWith(401, '');
		await refusal();
		pair.memory.acceptPair();

		await refusal();

		expect(pair.asked).toBe(2);
	});
});
