import { describe, expect, it } from '@jest/globals';

import { shown } from '../../../../nodes/common/fieldError';

describe('a value in a remedy', () => {
	it.each([
		['', 'empty'],
		[null, 'empty'],
		[undefined, 'empty'],
		[[], 'an empty list'],
		[[1], '[1]'],
		[0, '0'],
		['a', '"a"'],
	])('%p is shown as %s', (value, text) => {
		expect(shown(value)).toBe(text);
	});
});
