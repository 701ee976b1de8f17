import { describe, expect, it, jest } from '@jest/globals';

import { remembered } from '../../../../service/basics/remembered';

describe('a function that remembers', () => {
	it('is asked once for each key, even where its answer is null', () => {
		const find = jest.fn((key: string) => (key === 'none' ? null : key.length));
		const lengthOf = remembered(10, find);

		const answers = ['one', 'none', 'one', 'none'].map(lengthOf);

		expect(answers).toEqual([3, null, 3, null]);
		expect(find).toHaveBeenCalledTimes(2);
	});

	it('forgets when it has remembered enough, and still answers rightly', () => {
		const find = jest.fn((key: number) => key * 2);
		const doubleOf = remembered(2, find);

		const answers = [1, 2, 3, 3, 1].map(doubleOf);

		expect(answers).toEqual([2, 4, 6, 6, 2]);
		expect(find.mock.calls).toEqual([[1], [2], [3], [1]]);
	});
});
