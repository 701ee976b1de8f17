import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type { PropertyState } from '../../../../../nodes/AgentInventoryTrigger/progress/propertyState';
import {
	changesBetween,
	stateOf,
} from '../../../../../nodes/AgentInventoryTrigger/progress/propertyState';
import { recordOf } from '../../../../lab/polling/inventory/agency';

const restOf = (more: IDataObject) => stateOf(recordOf('5017', more)).rest;

const HALF = '\uD83C';

describe('the state of a property', () => {
	it.each<[string, unknown, PropertyState['price']]>([
		['a number', 325_000.5, 325_000.5],
		['zero', 0, 0],
		['text', '£325,000 (offers)', '£325,000 (offers)'],
		['null', null, null],
		['missing', undefined, null],
		['an object', { amount: 325_000 }, null],
		['half a character', `1${HALF}2`, '1\uFFFD2'],
	])('has its price if that is %s', (_name, price, expected) => {
		expect(stateOf({ id: '5017', price } as IDataObject).price).toBe(expected);
	});

	it.each<[string, IDataObject, string]>([
		[
			'the one from the list of values',
			{ inventoryStatus: 'LetAgreed', status: 'Let' },
			'LetAgreed',
		],
		[
			'the one in words without its blanks',
			{ status: 'Under Offer Available' },
			'UnderOfferAvailable',
		],
		['the one in words if the other is null', { inventoryStatus: null, status: 'Let' }, 'Let'],
		['empty if there is none', {}, ''],
		['with half a character replaced', { inventoryStatus: `Let${HALF}${HALF}` }, 'Let\uFFFD\uFFFD'],
	])('has as its status %s', (_name, record, expected) => {
		expect(stateOf({ id: '5017', ...record }).status).toBe(expected);
	});

	it('is archived only if the service says so', () => {
		const archived = [true, false, null, undefined, 'true', 1].map(
			(each) => stateOf({ archived: each }).archived,
		);

		expect(archived).toEqual([true, false, false, false, false, false]);
	});
});

describe('what stands for all the rest of a property', () => {
	it('stays the same in later versions, which hold it against what is stored', () => {
		const record = recordOf('5017', {
			address: { postcode: 'AB1 2CD', line1: '1 Example Street' },
			features: ['Garden', { name: 'Garage', tags: [] }],
			notes: null,
		});

		expect(stateOf(record).rest).toBe('8Q1DC1');
	});

	it.each([
		...['createdDate', 'modifiedDate', 'price', 'inventoryStatus', 'status', 'isAtActiveStatus'],
		...['negotiatorName', 'leaseRemainingYears', 'archived', 'id'],
	])('does not change with %s', (name) => {
		expect(restOf({ [name]: 'another value' })).toBe(restOf({}));
	});

	it.each<[string, IDataObject]>([
		['another number', { bedrooms: 4 }],
		['another field', { bathrooms: 1 }],
		['false', { bathrooms: false }],
		['zero', { bathrooms: 0 }],
		['a field less', { bedrooms: undefined }],
		['a list with something in it', { images: [{ url: 'https://example.com/1.jpg' }] }],
		['an object with something in it', { address: { postcode: 'AB1 2CD' } }],
	])('changes with %s', (_name, more) => {
		expect(restOf(more)).not.toBe(restOf({}));
	});

	it.each<[string, unknown]>([
		['null', null],
		['undefined', undefined],
		['empty text', ''],
		['an empty list', []],
		['an empty object', {}],
		['an object of nothing but empty values', { line1: '', tags: [], links: { self: null } }],
	])('takes %s for no value', (_name, value) => {
		const more = { notes: value, address: { postcode: 'AB1 2CD', line2: value } } as IDataObject;

		expect(restOf(more)).toBe(restOf({ address: { postcode: 'AB1 2CD' } }));
	});

	it('does not change with the order of fields, at any depth', () => {
		const one = {
			address: { postcode: 'AB1 2CD', line1: '1' },
			images: [{ url: 'a', title: 'b' }],
		};
		const other = {
			images: [{ title: 'b', url: 'a' }],
			address: { line1: '1', postcode: 'AB1 2CD' },
		};

		expect(restOf(one)).toBe(restOf(other));
	});

	it('changes with the order of a list, and with what is in it', () => {
		const marks = [['a', 'b'], ['b', 'a'], ['a'], ['a', 'c']].map((images) => restOf({ images }));

		expect(new Set(marks).size).toBe(4);
	});
});

describe('what happened to a property', () => {
	const before: PropertyState = {
		...{ price: 325_000, status: 'Available', archived: false, rest: 'Xb3_a0' },
	};

	it.each<[string, Partial<PropertyState>, string[], object]>([
		['nothing', {}, [], {}],
		['a lower price', { price: 300_000 }, ['priceChanged'], { price: 325_000 }],
		['another status', { status: 'Let' }, ['statusChanged'], { status: 'Available' }],
		['that it was archived', { archived: true }, ['statusChanged'], { archived: false }],
		['anything else', { rest: '------' }, ['updated'], {}],
		[
			'all of it, the most important first',
			{ price: null, status: 'Let', archived: true, rest: '------' },
			['statusChanged', 'priceChanged', 'updated'],
			{ price: 325_000, status: 'Available', archived: false },
		],
	])('is %s, with the values before', (_name, change, events, previous) => {
		expect(changesBetween(before, { ...before, ...change })).toEqual({ events, previous });
	});
});
