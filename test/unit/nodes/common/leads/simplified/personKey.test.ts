import { describe, expect, it } from '@jest/globals';

import { personKey } from '../../../../../../nodes/common/leads/simplified/personKey';

const KEY = personKey('robin.ashdown@example.com', null);

describe('the key of a person', () => {
	it('is the same for the same e-mail address, whatever the number', () => {
		expect(personKey('Robin.Ashdown@Example.com', '07700 900123')).toBe(KEY);
	});

	it('is that of the telephone number without an address, however it is typed', () => {
		const key = personKey(null, '07700 900123');

		expect(personKey('none', '+44 (0)7700 900123')).toBe(key);
		expect(personKey(null, '07700 900124')).not.toBe(key);
	});

	it('is null without either', () => {
		expect([personKey(null, null), personKey('', '900123')]).toEqual([null, null]);
	});

	it('shows nobody’s address, and is never taken for a number', () => {
		expect(KEY).toMatch(/^p[\da-f]{31}$/);
		expect(personKey('robin.ashdown@example.org', null)).not.toBe(KEY);
	});
});
