import { describe, expect, it } from '@jest/globals';

import { keepNewest } from '../../../../service/basics/newest';

describe('what is kept of a map or a set', () => {
	it('is what came last', () => {
		const known = new Map([
			['a', 1],
			['b', 2],
			['c', 3],
		]);

		keepNewest(known, 2);

		expect([...known.keys()]).toEqual(['b', 'c']);
	});

	it('is all of it, if that is not too much', () => {
		const known = new Set(['a', 'b']);

		keepNewest(known, 2);

		expect([...known]).toEqual(['a', 'b']);
	});

	it('is as much as may be kept, if far more was there', () => {
		const known = new Set(['a', 'b', 'c', 'd']);

		keepNewest(known, 1);

		expect([...known]).toEqual(['d']);
	});
});
