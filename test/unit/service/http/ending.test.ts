import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { orEnded, signalAt, timerMs } from '../../../../service/http/ending';

afterEach(() => {
	jest.restoreAllMocks();
});

const reason = () => new Error('ended');

describe('work', () => {
	it('brings its outcome, and leaves nothing behind', async () => {
		const { signal } = new AbortController();

		await expect(
			orEnded(async () => await Promise.resolve('done'), [{ signal, reason }]),
		).resolves.toBe('done');
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('that has ended learns of it', async () => {
		const ending = new AbortController();
		let isEnded = false;
		const outcome = orEnded(
			async (ended) => {
				ended.addEventListener('abort', () => (isEnded = true));
				return await new Promise(() => {});
			},
			[
				{ signal: undefined, reason },
				{ signal: ending.signal, reason },
			],
		);
		ending.abort();

		await expect(outcome).rejects.toThrow('ended');
		expect(isEnded).toBe(true);
	});

	it('may add what ends it', async () => {
		const outcome = orEnded(async (_, endBy) => {
			endBy({ signal: AbortSignal.abort(), reason });
			return await new Promise(() => {});
		}, []);

		await expect(outcome).rejects.toThrow('ended');
	});

	it('does not begin if it is over', async () => {
		const work = jest.fn(async () => await Promise.resolve());

		await expect(orEnded(work, [{ signal: AbortSignal.abort(), reason }])).rejects.toThrow('ended');
		expect(work).not.toHaveBeenCalled();
	});
});

describe('a timer', () => {
	it.each([
		['whole milliseconds', 1_000.2, 1_001],
		['not 0, which clients take for no timeout', -5, 1],
		['no longer than Node’s timers', Infinity, 2 ** 31 - 1],
	])('has %s', (_, ms, expected) => {
		expect(timerMs(ms)).toBe(expected);
	});

	it('for a deadline rings at that moment; without a deadline there is none', () => {
		jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
		const timeout = jest.spyOn(AbortSignal, 'timeout');

		expect(signalAt()).toBeUndefined();

		signalAt(1_800_000_005_000);

		expect(timeout.mock.calls).toEqual([[5_000]]);
	});
});
