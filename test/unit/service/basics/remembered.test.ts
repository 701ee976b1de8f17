import { expect, it } from '@jest/globals';

import { keepNewest } from '../../../../service/basics/remembered';

it('of what is remembered, the newest entries are kept', () => {
	const known = new Set(['a', 'b', 'c', 'd']);

	keepNewest(known, 2);

	expect([...known]).toEqual(['c', 'd']);
});
