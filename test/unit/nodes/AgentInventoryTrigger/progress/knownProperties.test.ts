import { describe, expect, it } from '@jest/globals';

import type { KnownProperty } from '../../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import {
	KnownProperties,
	read,
	write,
} from '../../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import { UnreadableProgress } from '../../../../../nodes/common/storedValues';
import fc from '../../../../lab/properties';

const NOON = Date.parse('2026-03-02T12:00:00Z');

const FLAT: KnownProperty = {
	price: 325_000,
	status: 'Available',
	archived: false,
	rest: 'Xb3_a0',
	modified: NOON,
	isFresh: false,
	changes: 2,
};

const property: fc.Arbitrary<KnownProperty> = fc.record({
	price: fc.oneof(
		fc.constant(null),
		fc.integer({ min: -5, max: 9_000_000 }),
		fc.double({ noDefaultInfinity: true, noNaN: true }).filter((price) => !Object.is(price, -0)),
		fc.string(),
	),
	status: fc.oneof(fc.constantFrom('Available', 'LetAgreed', 'Reserved'), fc.string()),
	archived: fc.boolean(),
	rest: fc.constantFrom('Xb3_a0', '------'),
	modified: fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 2 * NOON })),
	isFresh: fc.boolean(),
	changes: fc.nat(),
});

function reread(known: KnownProperties): KnownProperties {
	return new KnownProperties(known.toString());
}

describe('what is known of the properties', () => {
	it('is a short text', () => {
		const known = new KnownProperties('');
		known.set('5017', FLAT);

		expect(known.toString()).toBe('5017,6yrs,c,Xb3_a0,37vao0,2');
	});

	it.each([
		...[
			['Unspecified', 'a'],
			['Appraisal', 'b'],
			['Available', 'c'],
			['UnderOffer', 'd'],
		],
		...[
			['Completed', 'e'],
			['Let', 'f'],
			['LetAgreed', 'g'],
			['LetMarketing', 'h'],
		],
		...[
			['Archived', 'i'],
			['Suspended', 'j'],
			['Withdrawn', 'k'],
			['Instructed', 'l'],
		],
		...[
			['NotInstructed', 'm'],
			['ExternallyLet', 'n'],
			['UnderOfferMarketing', 'o'],
		],
		...[
			['UnderOfferAvailable', 'p'],
			['Exchanged', 'q'],
			['ExternallySold', 'r'],
		],
		...[
			['Reserved', 's'],
			['Taken', "'Taken"],
		],
	])('has the status %s as %s, in each version', (status = '', letter = '') => {
		expect(write({ ...FLAT, status })).toBe(`6yrs,${letter},Xb3_a0,37vao0,2`);
		expect(read(`6yrs,${letter},Xb3_a0,37vao0,2`)).toEqual({ ...FLAT, status });
	});

	it.each<[string, Partial<KnownProperty>, string]>([
		['no price', { price: null }, ',c,Xb3_a0,37vao0,2'],
		['a price in pence', { price: 1_250.5 }, '~1250.5,c,Xb3_a0,37vao0,2'],
		['a price in words', { price: 'POA, £' }, "'POA%2C%20%C2%A3,c,Xb3_a0,37vao0,2"],
		['an archived one', { archived: true }, '6yrs,!c,Xb3_a0,37vao0,2'],
		['a fresh one', { isFresh: true }, '6yrs,c,Xb3_a0,!37vao0,2'],
		['a fraction of a second', { modified: NOON + 1 }, '6yrs,c,Xb3_a0,~2helcao1,2'],
		['no time', { modified: undefined }, '6yrs,c,Xb3_a0,,2'],
		['no changes', { changes: 0 }, '6yrs,c,Xb3_a0,37vao0'],
	])('has %s in its own way, in each version', (_name, more, expected) => {
		expect(write({ ...FLAT, ...more })).toBe(expected);
		expect(read(expected)).toEqual({ ...FLAT, ...more });
	});

	it('has the properties in the order in which they came, each once', () => {
		const known = new KnownProperties('');
		for (const id of ['5018', '5017', '5018']) known.set(id, FLAT);

		expect(known.toString()).toBe('5018,6yrs,c,Xb3_a0,37vao0,2;5017,6yrs,c,Xb3_a0,37vao0,2');
		expect(known.size).toBe(2);
	});

	it('says nothing of a property that is not in it', () => {
		expect(reread(new KnownProperties('')).get('5017')).toBeUndefined();
		expect(new KnownProperties('').toString()).toBe('');
	});

	it('is the same in a copy, whether it was read yet or not', () => {
		const text = '5017,6yrs,c,Xb3_a0,37vao0,2';
		const unread = new KnownProperties(text);
		const wasRead = new KnownProperties(text);
		wasRead.get('5017');

		for (const copy of [unread.copy(), wasRead.copy()]) {
			expect(copy.toString()).toBe(text);
			expect(copy.get('5017')).toEqual(FLAT);
		}
	});

	it('is the same in a copy of what was not written yet', () => {
		const known = new KnownProperties('');
		known.set('5017', FLAT);

		const copy = known.copy();

		expect(copy.get('5017')).toEqual(FLAT);
		expect(copy.toString()).toBe('5017,6yrs,c,Xb3_a0,37vao0,2');
	});

	it('is read as it was written, whatever the values and the IDs', () => {
		const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 20 });
		fc.assert(
			fc.property(ids, fc.array(property, { minLength: 1 }), (names, values) => {
				const known = new KnownProperties('');
				const given = names.map(
					(id, index) => [id, values[index % values.length] ?? FLAT] as const,
				);
				for (const [id, each] of given) known.set(id, each);

				const found = reread(known);

				expect(found.size).toBe(given.length);
				for (const [id, each] of given) expect(found.get(id)).toEqual(each);
			}),
		);
	});

	it('changes in one copy alone, over all of its parts', () => {
		const known = new KnownProperties('');
		for (let id = 0; id < 1_000; id++) known.set(String(id), FLAT);
		const before = known.toString();
		const copy = known.copy();

		copy.set('7', { ...FLAT, price: 1 });
		copy.set('999', { ...FLAT, price: 2 });
		copy.set('1000', FLAT);
		known.set('7', { ...FLAT, price: 3 });

		expect(reread(copy).get('7')?.price).toBe(1);
		expect(reread(copy).get('999')?.price).toBe(2);
		expect(reread(copy).size).toBe(1_001);
		expect(reread(known).get('7')?.price).toBe(3);
		known.set('7', FLAT);
		expect(known.toString()).toBe(before);
	});

	it.each([
		'5017',
		'5017,1',
		'5017,6yrs,zz,Xb3_a0,37xlc0',
		'%,6yrs,c,Xb3_a0,37xlc0',
		'5017,!,c,Xb3_a0,',
		'5017,6yrs,c,Xb3_a0',
		'5017,6yrs,c,Xb3_a0,37vao0,2,3',
		'5017,6YRS,c,Xb3_a0,37vao0',
		'5017,~1.50,c,Xb3_a0,37vao0',
	])('is not made up from %s', (text) => {
		expect(() => new KnownProperties(text).get('5017')).toThrow(UnreadableProgress);
	});
});
