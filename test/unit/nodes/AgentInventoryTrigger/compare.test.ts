import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type { PropertyState } from '../../../../nodes/AgentInventoryTrigger/compare';
import {
	changesBetween,
	compare,
	EVENTS,
	stateOf,
} from '../../../../nodes/AgentInventoryTrigger/compare';
import type { KnownProperty } from '../../../../nodes/AgentInventoryTrigger/known';
import type { AgencyProgress } from '../../../../nodes/AgentInventoryTrigger/progress';
import { ServiceClock } from '../../../../service/basics/clock';
import { isoSeconds } from '../../../../service/basics/times';
import { useModelTime } from '../../../lab/polling/modelTime';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;
const NOON = Date.parse('2026-03-02T12:00:00Z');
const YESTERDAY = NOON - DAY;

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

/** A whole record of a property that was modified yesterday. */
function recordOf(id: string, more: IDataObject = {}): IDataObject {
	return {
		...{ id, price: 325_000, inventoryStatus: 'Available', archived: false, bedrooms: 3 },
		...{ createdDate: '2025-06-01T09:00:00Z', modifiedDate: isoSeconds(YESTERDAY) },
		...more,
	};
}

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

const at = (epochMs: number) => ({ modifiedDate: isoSeconds(epochMs) });

/** A cheaper one, modified two minutes before noon. */
const CHEAPER = { price: 300_000, ...at(NOON - 2 * MINUTE) };

const KNOWN: KnownProperty = { ...stateOf(recordOf('5017')), modified: YESTERDAY, changes: 4 };

/** Holds a record of property 5017, asked for at noon, against what is known of it. */
function compared(
	record: IDataObject,
	known: KnownProperty | null = KNOWN,
	more: Partial<AgencyProgress & { listed: number; isLookBack: boolean }> = {},
) {
	const progress: AgencyProgress = {
		...{ scope: 'all', begunAt: YESTERDAY, start: YESTERDAY, watermark: NOON - MINUTE },
		...{ known: new Map(), started: new Map() },
		...more,
	};
	if (known) progress.known.set('5017', known);
	const clock = new ServiceClock();
	clock.read(new Date(NOON).toUTCString());
	const terms = {
		clock,
		startFrom: more.isLookBack ? ('lookBack' as const) : ('activation' as const),
		events: [...EVENTS],
	};
	const found = compare(progress, terms, '5017', more.listed, recordOf('5017', record));
	return { ...found, state: found.change?.after ?? progress.known.get('5017') };
}

describe('a record', () => {
	it('that is newer than what is known is a change', () => {
		const { change } = compared(CHEAPER);

		expect(change).toMatchObject({
			...{ events: ['priceChanged'], previous: { price: 325_000 }, time: NOON - 2 * MINUTE },
			after: { price: 300_000, changes: 5 },
		});
	});

	it.each<[string, IDataObject]>([
		['of another property', { ...CHEAPER, id: '5018' }],
		['that is older than what is known', { price: 1, ...at(YESTERDAY - SECOND) }],
		['that was never modified, by when it was created', { price: 1, modifiedDate: null }],
	])('%s tells nothing', (_name, record) => {
		expect(compared(record)).toEqual({ isNew: false, state: KNOWN });
	});

	it.each<[string, IDataObject, object, number | undefined]>([
		['its own, and its row’s if it has none', {}, { listed: NOON - 2 * MINUTE }, NOON - 2 * MINUTE],
		['its own if it is older than its row', CHEAPER, { listed: NOON - 1 }, NOON - 2 * MINUTE],
		[
			'its row’s in the same minute',
			{ modifiedDate: '2026-03-02T11:30' },
			{ listed: NOON - 30 * MINUTE + 5 },
			NOON - 30 * MINUTE + 5,
		],
		['a moment less if it was read within a minute', at(NOON - MINUTE), {}, NOON - MINUTE - 1],
		['its own a second later', at(NOON - 61 * SECOND), {}, NOON - 61 * SECOND],
		['none if it is in the future', at(NOON + DAY), {}, undefined],
	])('is known with a time: %s', (_name, record, more, modified) => {
		const given = { modifiedDate: undefined, ...record };

		expect(compared(given, KNOWN, more).state?.modified).toBe(modified);
	});

	it.each<[string, IDataObject, KnownProperty | null, boolean]>([
		['a change', CHEAPER, KNOWN, true],
		['a property that was not known', {}, null, true],
		['a later time', at(YESTERDAY + 5_000), KNOWN, true],
		['nothing', {}, KNOWN, false],
	])('brings something new or not: %s', (_name, record, known, isNew) => {
		expect(compared(record, known).isNew).toBe(isNew);
	});
});

describe('a property that was not known', () => {
	const created = (epochMs: number) => ({ createdDate: isoSeconds(epochMs) });
	const baseline = { watermark: undefined };

	it.each<[string, IDataObject, Parameters<typeof compared>[2], string[] | undefined]>([
		['was created at the start', created(YESTERDAY), {}, ['created']],
		['was created before', created(YESTERDAY - SECOND), {}, undefined],
		['does not say when it was created', { createdDate: null }, {}, ['created']],
		['does not say so, in the baseline', { createdDate: null }, baseline, undefined],
		[
			'was modified since a start with Look Back',
			{},
			{ ...baseline, isLookBack: true },
			['updated'],
		],
		['was modified before', at(YESTERDAY - 1), { ...baseline, isLookBack: true }, undefined],
		['was modified since, after the baseline', {}, { isLookBack: true }, undefined],
	])('that %s', (_name, record, more, events) => {
		const { change, state } = compared(record, null, more);

		expect(change?.events).toEqual(events);
		expect(state?.changes).toBe(events ? 1 : 0);
	});
});
