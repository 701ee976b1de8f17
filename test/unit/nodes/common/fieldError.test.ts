import { describe, expect, it } from '@jest/globals';

import { FieldError, shown } from '../../../../nodes/common/fieldError';

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

describe('a wrong field', () => {
	it('can be told with more to know', () => {
		const told = new FieldError('Limit', 'is empty', 'Enter one.').withNote('Nothing was sent.');

		expect(told).toMatchObject({
			message: '“Limit” is empty',
			field: 'Limit',
			remedy: 'Enter one. Nothing was sent.',
		});
	});
});
