import { describe, expect, it } from '@jest/globals';

import { mapConcurrently, workWhileDue } from '../../../../service/basics/concurrency';
import { createDeferredPromise } from '../../../lab/deferred';

const whatFollows = async () => await new Promise((resolve) => setImmediate(resolve));

describe('mapping a few at once', () => {
	it('keeps the order and the limit', async () => {
		let underWay = 0;
		let most = 0;

		const results = await mapConcurrently([1, 2, 3, 4, 5, 6], 2, async (item) => {
			most = Math.max(most, ++underWay);
			await Promise.resolve();
			underWay--;
			return item * 2;
		});

		expect(results).toEqual([2, 4, 6, 8, 10, 12]);
		expect(most).toBe(2);
	});

	it('starts nothing more after a failure, and throws the first one', async () => {
		const started: number[] = [];
		const other = createDeferredPromise<number>();
		const outcome = mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
			started.push(item);
			if (item === 2) throw new Error('second');
			return await other.promise;
		});

		await expect(outcome).rejects.toThrow('second');
		other.resolve(1);
		await whatFollows();
		expect(started).toEqual([1, 2]);
	});

	it('of nothing is nothing', async () => {
		await expect(mapConcurrently([], 4, async () => await Promise.resolve(1))).resolves.toEqual([]);
	});
});

describe('work that makes more work', () => {
	/** Each number makes work for the next two, up to 20. */
	function growing(): { due: (most: number) => number[]; done: (item: number) => void } {
		const queue = [1];
		const done = (item: number) =>
			void queue.push(...[2 * item, 2 * item + 1].filter((n) => n <= 20));
		return { due: (most) => queue.splice(0, most), done };
	}

	it('is done until nothing is due, and keeps the limit', async () => {
		const { due, done } = growing();
		const worked: number[] = [];
		let underWay = 0;
		let most = 0;

		await workWhileDue(3, due, async (item) => {
			most = Math.max(most, ++underWay);
			await Promise.resolve();
			underWay--;
			worked.push(item);
			done(item);
		});

		expect(worked.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
		expect(most).toBe(3);
	});

	it('starts nothing more after a failure, throws the first one and ends the others', async () => {
		const { due, done } = growing();
		const started: number[] = [];
		const ended: number[] = [];
		const third = createDeferredPromise<number>();
		const outcome = workWhileDue(3, due, async (item, signal) => {
			started.push(item);
			signal.addEventListener('abort', () => ended.push(item));
			await Promise.resolve();
			if (item === 2) throw new Error('second');
			if (item === 3) await third.promise;
			done(item);
		});

		await expect(outcome).rejects.toThrow('second');
		third.resolve(3);
		await whatFollows();
		expect(started).toEqual([1, 2, 3]);
		expect(ended).toContain(3);
	});

	it('throws what asking for more throws', async () => {
		let asked = 0;
		const due = () => {
			if (asked++ === 0) return [1];
			throw new Error('nothing is known');
		};

		const outcome = workWhileDue(3, due, async () => await Promise.resolve());

		await expect(outcome).rejects.toThrow('nothing is known');
	});
});
