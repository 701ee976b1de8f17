import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { personKey } from '../../../../../../nodes/common/leads/simplified/personKey';
import { isObject } from '../../../../../../service/basics/values';
import { LEAD_TYPES } from '../../../../../../service/leads/leads';
import fc from '../../../../../lab/properties';
import { strings } from '../../../../../lab/strings';
import { wildLeads } from '../../../../../lab/wildLeads';

const ROBIN = {
	firstName: 'Robin',
	lastName: 'Ashdown',
	phoneNumber: '07700 900123',
	email: 'robin.ashdown@example.com',
};
const CALLER = { ...ROBIN, email: '' };

describe('the key of a person', () => {
	it('stays what it is from version to version', () => {
		expect(personKey(ROBIN)).toBe('p5d88c516338e4088b9f0247a139f669');
		expect(personKey(CALLER)).toBe('pf6776983d8b3d567ba9e803be827b2e');
	});

	it.each([
		'Robin.Ashdown@Example.com',
		'  robin.ashdown@example.com\r\n',
		'Robin Ashdown <robin.ashdown@example.com>',
		'"Ashdown, Robin" <ROBIN.ASHDOWN@EXAMPLE.COM>',
		'<robin.ashdown@example.com>',
		'robin. ashdown @example.com',
		'robin.ashdown@example.com.',
		'mailto:robin.ashdown@example.com',
		'\u200brobin.ashdown@example.com\ufeff',
	])('is that of the e-mail address in whatever spelling: %p', (email) => {
		const other = { firstName: 'R.', lastName: '', phoneNumber: '020 7946 0123', email };

		expect(personKey(other)).toBe(personKey(ROBIN));
	});

	it.each([
		'robin.ashdown@example.org',
		'robinashdown@example.com',
		'robin.ashdown+flats@example.com',
		'jo.ashdown@example.com',
	])('is another one for another address: %s', (email) => {
		expect(personKey({ ...ROBIN, email })).not.toBe(personKey(ROBIN));
	});

	it.each([
		{ phoneNumber: '+44 (0)7700 900123' },
		{ phoneNumber: '00447700900123', email: undefined },
		{ email: 'not given' },
		{ email: 'robin@example.com, jo@example.com' },
		{ email: null, firstName: ' ROBIN', lastName: 'ashdown ' },
		{ firstName: '', lastName: 'Robin Ashdown' },
	])('without an address is that of number and name: %p', (spelling) => {
		expect(personKey({ ...CALLER, ...spelling })).toBe(personKey(CALLER));
	});

	it.each([
		{ phoneNumber: '07700 900124' },
		{ firstName: 'Jo' },
		{ lastName: 'Merrow' },
		{ firstName: null, lastName: null },
	])('without an address is another one for another number or name: %p', (change) => {
		expect(personKey({ ...CALLER, ...change })).not.toBe(personKey(CALLER));
	});

	it.each<IDataObject>([
		{ firstName: 'Zoe', lastName: "O'DUNNSLEY" },
		{ firstName: 'Zoë', lastName: 'O’Dunnsley' },
	])('knows a name with and without accents: %p', (name) => {
		const zoë = { ...CALLER, firstName: 'Zoë', lastName: 'O Dunnsley' };

		expect(personKey({ ...CALLER, ...name })).toBe(personKey(zoë));
	});

	it.each([
		['राम', 'रमा'],
		['ทิม', 'ทุม'],
	])('tells names apart whose vowels are marks: %s and %s', (firstName, other) => {
		expect(personKey({ ...CALLER, firstName })).not.toBe(
			personKey({ ...CALLER, firstName: other }),
		);
	});

	it('looks at no more of a name than people have', () => {
		const endless = 'a' + '\u0301\u0323'.repeat(5_000_000);

		expect(personKey({ ...CALLER, firstName: endless })).toMatch(/^p[\da-f]{31}$/);
	});

	it('knows a number that is not certain by its digits', () => {
		const office = { ...CALLER, phoneNumber: '01632 960123 ext. 4' };

		expect(personKey({ ...office, phoneNumber: '(01632) 960-123 x4' })).toBe(personKey(office));
		expect(personKey({ ...office, phoneNumber: '01632 960123 x5' })).not.toBe(personKey(office));
	});

	it.each<IDataObject>([
		{},
		{ firstName: 'Robin', lastName: 'Ashdown' },
		{ ...ROBIN, email: 'none', phoneNumber: '00000 000000' },
		{ ...ROBIN, email: '@', phoneNumber: '999' },
		{ email: `${'a'.repeat(2_000)}@example.com` },
		{ email: 7, phoneNumber: 7700900123 },
	])('is null if nothing tells one person from another: %p', (contact) => {
		expect(personKey(contact)).toBeNull();
	});

	const word = fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
	const address = fc.tuple(word, word).map(([local, domain]) => `${local}@${domain}.example.com`);
	const spell = fc.constantFrom<(email: string) => string>(
		(email) => email.toUpperCase(),
		(email) => ` ${email}\t`,
		(email) => `Somebody Else <${email}>`,
		(email) => email.replace('@', ' @ '),
		(email) => `${email};`,
	);

	it('is one for each address, whoever writes it and however', () => {
		fc.assert(
			fc.property(
				address,
				address,
				spell,
				spell,
				word,
				(one, other, spellOne, spellOther, name) => {
					const key = personKey({ ...ROBIN, email: spellOne(one) });
					const another = personKey({ firstName: name, email: spellOther(other) });

					expect(key === another).toBe(one === other);
					expect(personKey({ firstName: name, email: spellOther(one) })).toBe(key);
				},
			),
		);
	});

	it('shows nothing of the contact, whatever the service sends', () => {
		fc.assert(
			fc.property(fc.constantFrom(...LEAD_TYPES), fc.nat(), (leadType, seed) => {
				for (const { contact } of wildLeads(leadType, seed)) {
					if (!isObject(contact)) continue;
					const key = personKey(contact);
					if (key === null) continue;

					expect(key).toMatch(/^p[\da-f]{31}$/);
					for (const text of strings(Object.values(contact)).filter(({ length }) => length > 6)) {
						expect(key).not.toContain(text);
					}
				}
			}),
		);
	});
});
