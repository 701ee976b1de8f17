import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { TokenCache } from '../../../../service/auth/tokenCache';
import { orFailure, ServiceError } from '../../../../service/failure';
import { withRetry } from '../../../../service/http/retry';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

let caches = 0;

/** A cache that nothing is known to, and how often the service was asked. */
class Client {
	readonly cache = TokenCache.of(`client-${++caches}`);

	asked = 0;

	/** The failures that the service answers with, one after the other; then it issues tokens. */
	failures: Error[] = [];

	/** How long a request takes. */
	takesMs = 0;

	lifeMs = HOUR;

	readonly request = async () => {
		const number = ++this.asked;
		const failure = this.failures.shift();
		if (this.takesMs > 0) await new Promise((resolve) => setTimeout(resolve, this.takesMs));
		if (failure) throw failure;
		const expiresAt = this.lifeMs === Infinity ? 0 : Date.now() + this.lifeMs;
		return { accessToken: `token-${number}`, expiresAt };
	};

	async get(): Promise<string> {
		return (await this.cache.get(this.request)).accessToken;
	}

	/** The outcome of several calls that are made together. */
	async getTogether(count: number) {
		const calls = Array.from({ length: count }, async () => await orFailure(this.get()));
		await jest.advanceTimersByTimeAsync(MINUTE);
		return await Promise.all(calls);
	}
}

let client: Client;

const refusal = () => new ServiceError('credential', 'Refused', { status: 401 });
const busy = (retryAfterMs?: number) =>
	new ServiceError('busy', 'Busy', { status: 429, retryAfterMs });

const advance = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-03-02T10:00:00Z') });
	client = new Client();
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('a token', () => {
	it('serves until its end, and not longer', async () => {
		expect(await client.get()).toBe('token-1');
		await advance(HOUR - 1);
		expect(await client.get()).toBe('token-1');
		await advance(1);
		expect(await client.get()).toBe('token-2');
	});

	it('without a known end serves until it is refused', async () => {
		client.lifeMs = Infinity;
		await client.get();
		await advance(100 * HOUR);

		expect(await client.get()).toBe('token-1');
		expect(client.cache.refuse('token-1', 401)).toBe(true);
		expect(await client.get()).toBe('token-2');
	});

	it('is asked for once by all who need it together', async () => {
		client.takesMs = 5 * SECOND;

		expect(await client.getTogether(60)).toEqual(new Array(60).fill('token-1'));
	});
});

describe('a failure', () => {
	it('of n8n itself is thrown as it is, and the next call asks again', async () => {
		client.failures = [new Error('Domain not allowed')];

		await expect(client.get()).rejects.toThrow('Domain not allowed');
		expect(await client.get()).toBe('token-2');
	});

	it('that may pass is followed by a pause, in which no caller asks', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		client.failures = [busy()];
		await expect(client.get()).rejects.toThrow('Busy');

		const next = Promise.all(Array.from({ length: 10 }, async () => await client.get()));
		await advance(SECOND - 1);
		expect(client.asked).toBe(1);
		await advance(1);
		expect(client.asked).toBe(2);
		expect(await next).toEqual(new Array(10).fill('token-2'));
	});

	it.each([
		['a mistake in a field', new ServiceError('credential', 'No secret')],
		['a page with 403', new ServiceError('credential', 'No token', { status: 403 })],
		['another service', new ServiceError('foreign', 'A page', { status: 401, code: 'x' })],
	])(
		'that is no refusal, such as %s, does not keep the next call from asking',
		async (_, failure) => {
			client.failures = [failure];
			await expect(client.get()).rejects.toThrow(failure.message);

			expect(await client.get()).toBe('token-2');
		},
	);
});

describe('a busy token endpoint', () => {
	it('that asks for a wait: callers are told how much of it is left, and nobody asks before its end', async () => {
		client.failures = [busy(20 * SECOND)];
		await expect(client.get()).rejects.toMatchObject({ details: { retryAfterMs: 20 * SECOND } });

		await advance(15 * SECOND);
		await expect(client.get()).rejects.toMatchObject({
			isTransient: true,
			message: 'Busy',
			details: { status: 429, retryAfterMs: 5 * SECOND },
		});
		// The last second is waited for here, as a caller's own wait may end a little early.
		await advance(4 * SECOND);
		const call = client.get();
		await advance(SECOND - 1);
		expect(client.asked).toBe(1);
		await advance(1);
		expect(await call).toBe('token-2');
	});

	it.each([
		['asks for a wait', 10 * SECOND, 2],
		['does not say how long', undefined, 4],
	])(
		'that %s: 60 executions ask as if they were one, and all have their token',
		async (_, retryAfterMs, failures) => {
			let seed = 1;
			jest.spyOn(Math, 'random').mockImplementation(() => {
				seed = (seed * 16_807) % 2_147_483_647;
				return seed / 2_147_483_647;
			});
			client.takesMs = 300;
			client.failures = Array.from({ length: failures }, () => busy(retryAfterMs));
			const limits = { maxTries: 5, maxWaitMs: MINUTE };
			const runs = Array.from({ length: 60 }, async (_each, index) => {
				await new Promise((resolve) => setTimeout(resolve, 10 * index));
				return await withRetry(async () => await client.get(), limits);
			});
			await advance(2 * MINUTE);

			expect(new Set(await Promise.all(runs)).size).toBe(1);
			expect(client.asked).toBe(failures + 1);
		},
	);

	it('that asks for an hour: the next request goes out after five minutes', async () => {
		client.failures = [busy(HOUR)];
		await expect(client.get()).rejects.toThrow('Busy');

		await advance(5 * MINUTE - 1);
		await expect(client.get()).rejects.toMatchObject({
			details: { retryAfterMs: 55 * MINUTE + 1 },
		});
		await advance(1);
		expect(await client.get()).toBe('token-2');
	});

	it('is asked at once if the clock is set back', async () => {
		client.failures = [busy(MINUTE)];
		await expect(client.get()).rejects.toThrow('Busy');
		jest.setSystemTime(Date.now() - HOUR);

		expect(await client.get()).toBe('token-2');
	});
});

describe('a refused client ID and secret', () => {
	it.each([
		['401', refusal()],
		['a code', new ServiceError('credential', 'Refused', { status: 400, code: 'invalid_client' })],
	])('(%s) are not sent for five minutes, and each call is told so', async (_, failure) => {
		client.failures = [failure];
		await expect(client.get()).rejects.toMatchObject({
			message: 'Refused',
			details: failure.details,
		});

		await advance(5 * MINUTE - 1);
		await expect(client.get()).rejects.toMatchObject({
			message: 'Refused',
			details: {
				note: 'The service said so less than 5 minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.',
			},
		});
		expect(client.asked).toBe(1);
		await advance(1);
		expect(await client.get()).toBe('token-2');
	});

	it('are sent at once if their test has passed', async () => {
		client.failures = [refusal()];
		await expect(client.get()).rejects.toThrow('Refused');
		client.cache.endCoolDown();

		expect(await client.get()).toBe('token-2');
	});
});

describe('a token that is refused', () => {
	/** Whether another token may help, and the token that the next request gets. */
	const after = async (status: 401 | 403, token: string) => [
		client.cache.refuse(token, status),
		await client.get(),
	];

	it.each([401, 403] as const)('(%d) is replaced once, by all who met it', async (status) => {
		await client.get();

		expect(client.cache.refuse('token-1', status)).toBe(true);
		expect(client.cache.refuse('token-1', status)).toBe(true);
		expect(await client.get()).toBe('token-2');
		expect(await after(status, 'token-1')).toEqual([true, 'token-2']);
	});

	it.each([
		[401, 30 * SECOND],
		[403, 5 * MINUTE],
	] as const)('(%d) is not replaced again within %d ms', async (status, ms) => {
		await client.get();
		await after(status, 'token-1');

		await advance(ms - 1);
		expect(await after(status, 'token-2')).toEqual([false, 'token-2']);
		await advance(1);
		expect(await after(status, 'token-2')).toEqual([true, 'token-3']);
	});

	it('by 401 is replaced although another one was replaced because of a 403', async () => {
		await client.get();
		await after(403, 'token-1');

		expect(await after(401, 'token-2')).toEqual([true, 'token-3']);
	});

	it('is not the last word while its successor is on its way', async () => {
		client.lifeMs = MINUTE;
		await client.get();
		await after(403, 'token-1');
		await advance(MINUTE);
		client.takesMs = SECOND;
		const renewal = client.get();

		expect(client.cache.refuse('token-2', 403)).toBe(true);
		await advance(SECOND);
		expect(await renewal).toBe('token-3');
	});

	it('after the service has accepted it is replaced at once', async () => {
		await client.get();
		await after(401, 'token-1');
		client.cache.accept('token-2');

		expect(await after(401, 'token-2')).toEqual([true, 'token-3']);
		client.cache.accept('token-1');
		expect(client.cache.refuse('token-3', 401)).toBe(false);
	});

	it('is replaced if this process does not know it, or only one that has ended', async () => {
		expect(client.cache.refuse('of another process', 401)).toBe(true);
		client.lifeMs = MINUTE;
		expect(await client.get()).toBe('token-1');
		await advance(MINUTE);
		expect(client.cache.refuse('of another process', 401)).toBe(true);
	});

	it('is still to be replaced if the service issued none', async () => {
		await client.get();
		client.failures = [busy(2 * SECOND)];
		client.cache.refuse('token-1', 403);
		await expect(client.get()).rejects.toThrow('Busy');
		await advance(2 * SECOND);

		expect(await after(403, 'token-1')).toEqual([true, 'token-3']);
	});
});
