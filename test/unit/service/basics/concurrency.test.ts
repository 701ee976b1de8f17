import { describe, expect, it } from '@jest/globals';

import { mapConcurrently } from '../../../../service/basics/concurrency';
import { createDeferredPromise } from '../../../lab/deferred';

const whatFollows = async () => await new Promise((resolve) => setImmediate(resolve));

describe('mapping a few at once', () => {
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
