import { describe, expect, it } from '@jest/globals';

import type { KnownProperty } from '../../../../../nodes/AgentInventoryTrigger/target/knownProperties';
import { KnownProperties } from '../../../../../nodes/AgentInventoryTrigger/target/knownProperties';
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
	])('is not made up from %s', (text) => {
		expect(() => new KnownProperties(text).get('5017')).toThrow(UnreadableProgress);
	});
});
