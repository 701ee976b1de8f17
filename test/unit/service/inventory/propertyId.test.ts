import { describe, expect, it } from '@jest/globals';

import {
	branchIdOf,
	idOrRow,
	isPropertyId,
	listedIdOf,
	propertyIdOf,
} from '../../../../service/inventory/records';

describe('an ID that a property can have', () => {
	it.each(['5001', 'REF-1', 'a b', 'ü', '...'])('%j is one', (id) => {
		expect(isPropertyId(id)).toBe(true);
	});

	it.each(['', '.', '..', 'items', 'ITEMS', 'Search', 'filter', 'a/b', 'a\\b', 'a\nb', '\ud800'])(
		'%j is none',
		(id) => {
			expect(isPropertyId(id)).toBe(false);
		},
	);
});

describe('the ID of a property', () => {
	it('has one name in a record and in a search by address, and another in the other lists', () => {
		expect(propertyIdOf({ id: 5001, inventoryId: '1' })).toBe('5001');
		expect(listedIdOf({ inventoryId: '5001' })).toBe('5001');
		expect(listedIdOf({ id: '5002', inventoryId: '5001' })).toBe('5002');
		expect(listedIdOf({ id: null })).toBe('');
	});

	it('tells rows apart; a row without one is like no other', () => {
		const row = { inventoryId: null };

		expect(idOrRow({ inventoryId: '5001' })).toBe('5001');
		expect(idOrRow(row)).toBe(row);
	});
});

describe('the ID of a branch', () => {
	it('has one name everywhere, and may be missing', () => {
		expect(branchIdOf({ branchId: 11 })).toBe('11');
		expect(branchIdOf({})).toBe('');
	});
});
