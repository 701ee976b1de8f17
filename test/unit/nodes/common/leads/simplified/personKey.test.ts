import { describe, expect, it } from '@jest/globals';

import { personKey } from '../../../../../../nodes/common/leads/simplified/personKey';

const KEY = personKey({ email: 'robin.ashdown@example.com' });

describe('the key of a person', () => {
	it.each([
		{ email: ' Robin.Ashdown@Example.com\n' },
		{ email: 'robin.ashdown@example.com', phoneNumber: '07700 900123', firstName: 'Robin' },
	])('is the same for the same e-mail address: %j', (contact) => {
		expect(personKey(contact)).toBe(KEY);
	});

	it('is that of the telephone number without an address, however it is typed', () => {
		const key = personKey({ phoneNumber: '07700 900123' });

		expect(personKey({ email: 'none', phoneNumber: '+44 (0)7700 900123' })).toBe(key);
		expect(personKey({ phoneNumber: '07700 900124' })).not.toBe(key);
	});

	it.each([{}, { email: null, phoneNumber: null }, { email: '', phoneNumber: '900123' }])(
		'is null for %j',
		(contact) => {
			expect(personKey(contact)).toBeNull();
		},
	);

	it('shows nobody’s address, and is never taken for a number', () => {
		expect(KEY).toMatch(/^p[\da-f]{31}$/);
		expect(personKey({ email: 'robin.ashdown@example.org' })).not.toBe(KEY);
	});
});
