import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { orEnded, signalOf } from '../../../../service/http/ending';

afterEach(() => {
	jest.restoreAllMocks();
});

const never = async () => await new Promise<never>(() => {});
const timeIsOver = () => AbortSignal.abort(new DOMException('Over', 'TimeoutError'));

describe('work', () => {
	it('brings its outcome, and leaves nothing behind', async () => {
		const { signal } = new AbortController();

		expect(await orEnded(async () => await Promise.resolve('done'), signal)).toBe('done');
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('that has ended learns of it', async () => {
		const ending = new AbortController();
		const learnt = jest.fn();
		const outcome = orEnded(async (ended) => {
			ended.addEventListener('abort', learnt);
			return await never();
		}, ending.signal);
		ending.abort();

		await expect(outcome).rejects.toThrow('The execution was canceled');
		expect(learnt).toHaveBeenCalledTimes(1);
	});

	it.each([
		['is cancelled', AbortSignal.abort(), { message: 'The execution was canceled' }],
		['is out of time', timeIsOver(), { details: { requestKind: 'data' } }],
	])('that %s before it does not begin', async (_, signal, error) => {
		const work = jest.fn(never);

		await expect(orEnded(work, signal)).rejects.toMatchObject(error);
		expect(work).not.toHaveBeenCalled();
	});
});

describe('a signal for several ends', () => {
	it('is aborted with any of them; without a deadline no timer runs', () => {
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		const ending = new AbortController();
		const signal = signalOf([undefined, ending.signal]);
		expect(signal.aborted).toBe(false);
		ending.abort();

		expect(signal.aborted).toBe(true);
		expect(timeout).not.toHaveBeenCalled();
	});

	it.each([
		[5_000.5, 5_001],
		[-5_000, 0],
	])('rings at a deadline %d ms from now', (leftMs, ms) => {
		jest.spyOn(Date, 'now').mockReturnValue(1_800_000_000_000);
		const timer = new AbortController();
		const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timer.signal);
		const signal = signalOf([undefined], 1_800_000_000_000 + leftMs);
		timer.abort();

		expect(timeout.mock.calls).toEqual([[ms]]);
		expect(signal.aborted).toBe(true);
	});

	it('holds on to its timer, which Node 20 would collect', () => {
		const timer = new AbortController().signal;
		jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timer);

		signalOf([undefined], Date.now() + 1_000);

		expect(getEventListeners(timer, 'abort')).toHaveLength(1);
	});
});
