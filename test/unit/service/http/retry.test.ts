import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import { backoffMs, pause, withRetry } from '../../../../service/http/retry';

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

describe('repeats', () => {
	const busy = () => new ServiceError('busy', 'busy');
	const failing = (...errors: Error[]) => {
		const send = jest.fn<(failure?: ServiceError) => Promise<string>>();
		for (const error of errors) send.mockRejectedValueOnce(error);
		return send.mockResolvedValue('done');
	};

	it('stop where the next wait would pass the limit', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.01);
		const send = failing(busy(), busy(), busy());

		await expect(withRetry(send, { maxTries: 9, maxWaitMs: 35 })).rejects.toMatchObject({
			details: { tries: 3 },
		});
	});

	it.each([
		['as long as Retry-After asks for', 300, 300, { tries: 2, waitedMs: 300 }],
		['a backoff where Retry-After asks for nothing', 0, 1_000, { tries: 2, waitedMs: 200 }],
		['not where there is no time to wait', 0, 0, { tries: 1, waitedMs: 0 }],
		['not if Retry-After asks for more than is left', 301, 300, { tries: 1, waitedMs: 0 }],
	])('wait %s', async (_, retryAfterMs, maxWaitMs, details) => {
		jest.spyOn(Math, 'random').mockReturnValue(0.2);
		const later = new ServiceError('busy', 'busy', { retryAfterMs });
		const send = failing(later, later);

		await expect(withRetry(send, { maxTries: 2, maxWaitMs })).rejects.toMatchObject({ details });
	});

	it.each([
		['a wait that ends a second before the deadline is made', 1_101, 'done', 2],
		['a wait that would leave less is not', 1_099, 'busy', 1],
		['nor is one that would pass the deadline', 50, 'busy', 1],
		['nor one after it', -50, 'busy', 1],
	])('end before the deadline: %s', async (_, leftMs, end, count) => {
		jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const send = failing(new ServiceError('busy', 'busy', { retryAfterMs: 100 }));
		const limits = { maxTries: 3, maxWaitMs: 60_000, deadline: 1_800_000_000_000 + leftMs };
		const outcome = withRetry(send, limits).catch(({ message }: Error) => message);

		expect(await outcome).toBe(end);
		expect(send).toHaveBeenCalledTimes(count);
	});

	it('of an inner request are not repeated by an outer one', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const limits = { maxTries: 3, maxWaitMs: 1_000 };
		const send = jest.fn<() => Promise<string>>().mockRejectedValue(busy());
		const inner = async () =>
			await withRetry(async () => {
				await send();
				throw busy();
			}, limits);
		send.mockResolvedValue('');

		await expect(withRetry(inner, limits)).rejects.toMatchObject({ details: { tries: 3 } });
		expect(send).toHaveBeenCalledTimes(3);
	});
});

describe('the backoff', () => {
	it.each([
		[1, 1_000],
		[2, 2_000],
		[5, 16_000],
		[6, 30_000],
		[50, 30_000],
	])('after %i failures is %i ms at most', (failures, ms) => {
		expect(backoffMs(failures)).toBe(ms);
	});
});

describe('a pause', () => {
	it.each([20, 1_000, 2_500])('of %d ms takes as long', async (ms) => {
		jest.useFakeTimers();
		const done = jest.fn();
		void pause(ms).then(done);

		await jest.advanceTimersByTimeAsync(ms - 1);

		expect(done).not.toHaveBeenCalled();

		await jest.advanceTimersByTimeAsync(1);

		expect(done).toHaveBeenCalledTimes(1);
	});
});

describe('cancelling', () => {
	it('ends a wait between two tries', async () => {
		const controller = new AbortController();
		const error = new ServiceError('busy', 'busy', { retryAfterMs: 60_000 });
		const send = async () => {
			queueMicrotask(() => controller.abort());
			return await Promise.reject(error);
		};
		const limits = { maxTries: 2, maxWaitMs: 100_000 };

		await expect(withRetry(send, limits, controller.signal)).rejects.toThrow('canceled');
	});

	it('is listened to no longer than the work takes', async () => {
		const { signal } = new AbortController();
		const send = jest
			.fn<() => Promise<string>>()
			.mockRejectedValueOnce(new ServiceError('busy', 'busy', { retryAfterMs: 5 }));
		send.mockResolvedValue('done');

		await withRetry(send, { maxTries: 2, maxWaitMs: 1_000 }, signal);

		expect(send).toHaveBeenCalledTimes(2);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('ends a request under way', async () => {
		const controller = new AbortController();
		const never = async () => await new Promise<never>(() => undefined);
		const outcome = withRetry(never, { maxTries: 2, maxWaitMs: 0 }, controller.signal);
		controller.abort();

		await expect(outcome).rejects.toThrow('canceled');
	});
});
