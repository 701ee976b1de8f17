import { beforeAll, describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import difference from 'lodash/difference';
import omit from 'lodash/omit';
import pick from 'lodash/pick';
import uniq from 'lodash/uniq';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../../../service/basics/values';
import { ROW_FIELDS } from '../../../../nodes/AgentInventory/fields';
import { propertyJson } from '../../../../nodes/common/inventory/simplifyProperty';
import type { Told, WildStep } from '../../../lab/sandbox/wild';
import type { NodeRun } from '../../../lab/engine/engine';
import { InventoryBench, PROPERTY_COLUMNS } from '../../../lab/engine/inventory';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
	hasMet,
	isFailed,
	itHolds,
	listIn,
	renewClient,
	textOf,
	toldTo,
	wildSteps,
} from '../../../lab/engine/wild';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

interface Plan {
	agencies: string[];
	/** How many properties each agency has. */
	properties: number;
	/** How many rows the service puts on a page at most. */
	mostOnPage?: number;
	/** Whether the IDs of the properties have letters. */
	hasLetters?: boolean;
	limit?: number;
	maxTries: number;
	simplify: boolean;
	steps: WildStep[];
}

interface ListPlan extends Plan {
	wholeRecords: boolean;
}

/** Of leads and products alone. */
const OTHERS = ['listOrder', 'arrayOfOne', 'statusErrors', 'otherRedirect', 'unsetTimes'];

const bench = useBenchInVirtualTime(InventoryBench);
let agencies: string[];

beforeAll(() => {
	agencies = bench.sandbox.inventoryClient.agencyRefs;
});

const common = {
	maxTries: fc.integer({ min: 1, max: 4 }),
	simplify: fc.boolean(),
	steps: wildSteps(OTHERS),
};

const listPlan: fc.Arbitrary<ListPlan> = fc.record({
	...common,
	agencies: fc.constantFrom([0], [1], [0, 1]).map((indexes) => indexes.map(String)),
	properties: fc.constantFrom(0, 1, 7, 7, 12),
	hasLetters: fc.boolean(),
	mostOnPage: fc.constantFrom(1, 2, 5, 250),
	limit: fc.constantFrom(undefined, 1, 3, 5, 50),
	wholeRecords: fc.constantFrom(false, false, true),
});

function furnish({ properties, mostOnPage = Infinity, hasLetters = false, steps }: Plan): void {
	const { sandbox } = bench;
	sandbox.inventory.mostOnPage = mostOnPage;
	for (const agency of agencies) {
		const filled = sandbox.inventory.fill(agency, properties);
		if (hasLetters) for (const property of filled) property.id = `aB-${property.id}`;
	}
	renewClient(bench, { integration: 'inventory', agencyRefs: agencies });
	sandbox.wild.plan(steps);
}

const agencyOf = (index: string) => agencies[Number(index)] ?? '';

async function run(
	parameters: INodeParameters,
	{ simplify, maxTries }: Plan,
	items: IDataObject[],
	more: INodeParameters = {},
) {
	const options = { agencyRef: '={{ $json.agency }}', maxTries, maxWait: 60, ...more };
	return await bench.run(
		{ ...parameters, simplify, options },
		{ input: items.map((json) => ({ json })), onError: 'continueRegularOutput' },
	);
}

const isOfList = ({ path }: Told) => /\/(inventory|search|filter)$/.test(path);

/** The rows that were told to one agency, page after page. */
function rowsOf(agency: string): IDataObject[] {
	return toldTo(bench)
		.filter((each) => each.agencyRef === agency && isOfList(each))
		.flatMap(({ value }) => listIn(value, 'items'));
}

/** The whole records that one agency was told, some of them more than once. */
function recordsOf(agency: string): IDataObject[] {
	return toldTo(bench)
		.filter((each) => each.agencyRef === agency && !isOfList(each))
		.flatMap(({ path, value }) => (path.endsWith('/items') ? listIn(value, 'items') : [value]))
		.filter(isObject);
}

function expectColumns(json: IDataObject[]): void {
	for (const each of json) expect(Object.keys(each)).toEqual(PROPERTY_COLUMNS);
}

/** A row as the node returns it: simplified, without the columns that no row of its list has. */
function rowJson(row: IDataObject, simplify: boolean, columns: string[]): IDataObject {
	return simplify ? pick(propertyJson(row, true), columns) : row;
}

function expectRows(each: Plan, index: string, json: IDataObject[], columns: string[]): void {
	const agency = agencyOf(index);
	const told = rowsOf(agency).slice(0, each.limit ?? Infinity);
	expect(json).toEqual(told.map((row) => rowJson(row, each.simplify, columns)));
	const whole = bench.sandbox.inventory.of(agency).length;
	if (!hasMet(bench, 'emptyAs404')) expect(json.length).toBe(Math.min(whole, each.limit ?? 9_999));
}

/** The record of each property that was listed, once, in the order of the list. */
function expectRecords({ simplify, limit }: ListPlan, index: string, json: IDataObject[]): void {
	const agency = agencyOf(index);
	const rows = rowsOf(agency).slice(0, limit ?? Infinity);
	const records = recordsOf(agency);
	// What comes without an ID can be told apart neither here nor there. It may have the one that it was asked for by.
	if (hasMet(bench, 'noId')) {
		const told = [...records, ...rows].map((each) => withoutId(propertyJson(each, simplify)));
		for (const each of json) expect(told).toContainEqual(withoutId(each));
		expect(difference(json.map(listedId), ['', ...rows.map(listedId)])).toEqual([]);
		return;
	}
	for (const each of json) {
		const own = records.filter((record) => listedId(record) === listedId(each));
		expect(own.map((record) => propertyJson(record, simplify))).toContainEqual(each);
	}
	const [given, listed] = [json.map(listedId), uniq(rows.map(listedId))];
	expect(given).toEqual(listed.filter((id) => given.includes(id)));
	if (toldTo(bench).some(({ value }) => saysThereIsNone(value))) return;
	const there = rows.filter((row) => isThere(agency, row)).map(listedId);
	expect(difference(there, given)).toEqual([]);
}

const idOf = ({ id, inventoryId }: IDataObject) => textOf(id ?? inventoryId);

const withoutId = (property: IDataObject) => omit(property, 'id');

const listedId = (property: IDataObject) => idOf(property).toLowerCase();

/** Whether the service knows a property by the very ID that its list has for it. */
function isThere(agency: string, row: IDataObject): boolean {
	return bench.sandbox.inventory.of(agency).some(({ id }) => id === idOf(row));
}

const LISTS: Array<[string, INodeParameters, columns: string[]]> = [
	[
		'Search by address',
		{ operation: 'search', searchBy: 'address', query: '={{ $json.words }}' },
		ROW_FIELDS.address,
	],
	[
		'Search by text',
		{ operation: 'search', searchBy: 'text', query: '={{ $json.words }}' },
		ROW_FIELDS.text,
	],
	['Get Many', { operation: 'getAll', filters: {} }, ROW_FIELDS.filter],
];

describe.each(LISTS)('%s', (name, parameters, columns) => {
	itHolds('gives what the service has', () => ({
		name: `Agent Inventory, ${name}`,
		bench,
		plan: listPlan,
		play: async (each) => {
			furnish(each);
			const items = each.agencies.map((index) => ({ agency: agencyOf(index), words: 'a' }));
			const { limit, wholeRecords } = each;
			const query = { returnAll: limit === undefined, limit: limit ?? 1 };
			const result = await run({ ...parameters, ...query }, each, items, { wholeRecords });
			expect(expectNamed(result)).toEqual([]);
			each.agencies.forEach((index, item) => {
				const own = result.items.filter(({ pairedItem }) => itemOf(pairedItem) === item);
				const json = own.map((output) => output.json);
				if (wholeRecords) expectRecords(each, index, json);
				else expectRows(each, index, json, columns);
				if (each.simplify && wholeRecords) expectColumns(json);
			});
		},
	}));
});

function itemOf(pairedItem: NodeRun['items'][number]['pairedItem']): number | undefined {
	return isObject(pairedItem) ? Number(pairedItem.item) : undefined;
}

interface GetPlan extends Plan {
	/** By item: which property of which agency; beyond the last one there is none. */
	wanted: Array<{ agency: string; property: number }>;
}

const getPlan: fc.Arbitrary<GetPlan> = fc.record({
	...common,
	agencies: fc.constant([]),
	properties: fc.constant(5),
	hasLetters: fc.boolean(),
	wanted: fc.array(
		fc.record({
			agency: fc.constantFrom('0', '0', '1'),
			property: fc.nat(5),
		}),
		{ minLength: 1, maxLength: 5 },
	),
});

describe('Get', () => {
	itHolds('gives the property that is asked for, and denies none that there is', () => ({
		name: 'Agent Inventory, Get',
		bench,
		plan: getPlan,
		play: async (each) => {
			furnish(each);
			const items = each.wanted.map(({ agency, property }) => ({
				agency: agencyOf(agency),
				id: bench.sandbox.inventory.of(agencyOf(agency))[property]?.id ?? '999999999',
			}));
			const result = await run({ operation: 'get', propertyId: '={{ $json.id }}' }, each, items);
			expectNamed(result);
			expect(result.items.length).toBe(items.length);
			result.items.forEach(({ json }, item) => expectProperty(each, json, items[item] ?? {}));
		},
	}));
});

function expectProperty({ simplify }: Plan, json: IDataObject, { agency, id }: IDataObject): void {
	const exists = bench.sandbox.inventory.of(textOf(agency)).some((each) => each.id === id);
	const answers = toldTo(bench).filter((each) => each.agencyRef === agency);
	const told = answers.flatMap(({ path, value }) =>
		path.endsWith('/items') ? listIn(value, 'items') : [value],
	);
	if (isFailed(json)) {
		const isDenied = /no such property/.test(textOf(json.error));
		const isTrue = !exists || answers.some(({ value }) => saysThereIsNone(value));
		expect(isDenied && !isTrue ? `${textOf(id)} is denied` : '').toBe('');
		if (exists) expect(told.some(isOfNobody)).toBe(true);
		return;
	}
	expect(exists).toBe(true);
	const isSame = (record: IDataObject) =>
		textOf(record.id).toLowerCase() === textOf(id).toLowerCase();
	const named = (record: IDataObject) =>
		textOf(record.id ?? '') === '' ? { ...record, id } : record;
	const right = told.filter(isObject).map(named).filter(isSame);
	expect(right.map((record) => propertyJson(record, simplify))).toContainEqual(json);
	if (simplify) expectColumns([json]);
}

/** An empty list that counts itself: whoever is told so by the service may believe it. */
function saysThereIsNone(answer: unknown): boolean {
	return isObject(answer) && answer.totalCount === 0 && listIn(answer, 'items').length === 0;
}

/** A record that tells neither its ID nor an address may be refused: nobody knows which property it is. */
function isOfNobody(record: unknown): boolean {
	return isObject(record) && !('id' in record) && !('address' in record);
}
