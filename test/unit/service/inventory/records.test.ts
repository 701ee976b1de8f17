import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import {
	isPropertyList,
	nextTokenOf,
	readProperty,
	readRows,
} from '../../../../service/inventory/records';

describe('a list of properties', () => {
	it.each<[IDataObject, IDataObject[]]>([
		[{ items: [{ id: '1' }] }, [{ id: '1' }]],
		[{ items: [] }, []],
		[{ items: null, other: 1 }, []],
		[{ meta: { nextToken: null } }, []],
		[{ totalCount: 0 }, []],
		[{}, []],
	])('is %j', (body, rows) => {
		expect(readRows(body, 'properties')).toEqual(rows);
		expect(isPropertyList(body)).toBe(true);
	});

	it.each<IDataObject>([{ items: 'none' }, { items: {} }, { applicants: [] }, { meta: {}, id: 1 }])(
		'is not %j',
		(body) => {
			expect(() => readRows(body, 'branches')).toThrow(
				expect.objectContaining({
					kind: 'foreign',
					message: 'The service answered without a list of branches',
				}),
			);
			expect(isPropertyList(body)).toBe(false);
		},
	);

	it.each(['', null, undefined, [], 7])('is not the body %j', (body) => {
		expect(isPropertyList(body)).toBe(false);
	});
});

describe('the token of the next page', () => {
	it.each([
		[{ meta: { nextToken: 'next' } }, 'next'],
		[{ meta: { nextToken: 7 } }, '7'],
		[{ meta: { nextToken: '' } }, undefined],
		[{ meta: { nextToken: null } }, undefined],
		[{ meta: {} }, undefined],
		[{ meta: null }, undefined],
		[{}, undefined],
	])('of %j is %j', (body, token) => {
		expect(nextTokenOf(body)).toBe(token);
	});
});

describe('the record of a property', () => {
	it.each(['id', 'branchId', 'category', 'recordType', 'address', 'propertyType'])(
		'is known by its %s, even if that is null',
		(field) => {
			expect(readProperty({ [field]: null })).toEqual({ [field]: null });
		},
	);

	it.each([{}, { message: 'hello' }])('is not %j', (body) => {
		expect(() => readProperty(body)).toThrow(
			expect.objectContaining({
				kind: 'foreign',
				message: 'The service answered without the record of a property',
			}),
		);
	});
});
