import { describe, expect, it } from '@jest/globals';

import { uprnOf, uprnText } from '../../../../../service/inventory/match/uprn';

describe('a UPRN', () => {
	it.each([
		[990000000001, '990000000001'],
		['990000000001', '990000000001'],
		['000000012345', '12345'],
		[' 12345 ', '12345'],
	])('%j is compared as %j', (value, compared) => {
		expect(uprnText(value)).toBe(compared);
	});

	it.each(['', '0', '000', 'U12345', '12345U', '12 345', 1.5, -1, null, undefined, {}])(
		'is not %j, which equals no other',
		(value) => {
			expect(uprnText(value)).toBe('');
		},
	);

	it('is a field of a record', () => {
		expect(uprnOf({ uprn: '0007' })).toBe('7');
		expect(uprnOf({})).toBe('');
	});
});
