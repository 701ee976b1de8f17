import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { WildStep } from '../../../lab/sandbox/wild';
import type { NodeRun } from '../../../lab/engine/engine';
import { InventoryBench } from '../../../lab/engine/inventory';
import { visibleText } from '../../../lab/engine/leads';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
	expectNamedItem,
	expectNoSecret,
	hasMet,
	hasReasonToFail,
	holds,
	isFields,
	lastAnswers,
	listIn,
	PATIENCE_MS,
	renewClient,
	textOf,
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
	steps: WildStep[];
}

/** Of leads and products alone. */
const OTHERS = [
	'outsideWindow',
	'twice',
	'listOrder',
	'arrayOfOne',
	'statusErrors',
	'highlightKeys',
	'otherRedirect',
	'unsetTimes',
];

const bench = useBenchInVirtualTime(InventoryBench);
let agencies: string[];

beforeAll(() => {
	agencies = bench.sandbox.inventoryClient.agencyRefs;
});

const common = {
	maxTries: fc.integer({ min: 1, max: 4 }),
	steps: wildSteps(OTHERS),
};

const listPlan: fc.Arbitrary<Plan> = fc.record(
	{
		...common,
		agencies: fc.constantFrom([0], [1], [0, 1]).map((indexes) => indexes.map(String)),
		properties: fc.constantFrom(0, 1, 7, 7, 12),
		mostOnPage: fc.constantFrom(1, 2, 5, 250),
		limit: fc.constantFrom(1, 3, 5, 50),
	},
	{ requiredKeys: ['maxTries', 'steps', 'agencies', 'properties', 'mostOnPage'] },
);

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

async function run(parameters: INodeParameters, plan: Plan, items: IDataObject[]) {
	const { maxTries } = plan;
	return await bench.run(
		{
			...parameters,
			simplify: false,
			options: { agencyRef: '={{ $json.agency }}', maxTries, maxWait: 60 },
		},
		{ input: items.map((json) => ({ json })), onError: 'continueRegularOutput' },
	);
}

const isFailed = ({ error, message }: IDataObject) => error !== undefined && message !== undefined;

function expectAllNamed(result: NodeRun): IDataObject[] {
	expectNoSecret(bench, [visibleText(result)]);
	if (result.error) expectNamed(result);
	const failed = result.items.map(({ json }) => json).filter(isFailed);
	for (const json of failed) expectNamedItem(json);
	return failed;
}

/** The rows that were told to one agency, page after page. */
function rowsOf(agency: string): IDataObject[] {
	return lastAnswers(bench)
		.filter(({ agencyRef }) => agencyRef === agency)
		.flatMap(({ value }) => listIn(value, 'items'));
}

function expectRows(each: Plan, index: string, json: IDataObject[]): void {
	const agency = agencyOf(index);
	const answers = lastAnswers(bench).filter(({ agencyRef }) => agencyRef === agency);
	expect(answers.filter(({ isReadable }) => !isReadable)).toEqual([]);
	const told = rowsOf(agency).slice(0, each.limit ?? Infinity);
	expect(json).toEqual(told);
	const whole = bench.sandbox.inventory.of(agency).length;
	if (!hasMet(bench, 'emptyAs404')) expect(json.length).toBe(Math.min(whole, each.limit ?? 9_999));
}

const LISTS: Array<[string, INodeParameters]> = [
	['Search by address', { operation: 'search', searchBy: 'address', query: '={{ $json.words }}' }],
	['Search by text', { operation: 'search', searchBy: 'text', query: '={{ $json.words }}' }],
	['Get Many', { operation: 'getAll', filters: {} }],
];

describe.each(LISTS)('%s', (name, parameters) => {
	it(
		'gives what the service has, or says why not',
		async () => {
			await holds(`Agent Inventory, ${name}`, bench, listPlan, async (each) => {
				furnish(each);
				const items = each.agencies.map((index) => ({ agency: agencyOf(index), words: 'a' }));
				const { limit } = each;
				const query = { returnAll: limit === undefined, limit: limit ?? 1 };
				const result = await run({ ...parameters, ...query }, each, items);
				const failed = expectAllNamed(result);
				if (failed.length > 0) expect(hasReasonToFail(bench)).toBe(true);
				each.agencies.forEach((index, item) => {
					const own = result.items.filter(({ pairedItem }) => itemOf(pairedItem) === item);
					const json = own.map((output) => output.json);
					if (!json.some(isFailed)) expectRows(each, index, json);
				});
			});
		},
		PATIENCE_MS,
	);
});

function itemOf(pairedItem: NodeRun['items'][number]['pairedItem']): number | undefined {
	return isFields(pairedItem) ? Number(pairedItem.item) : undefined;
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
	it(
		'gives the property that is asked for, and denies none that there is',
		async () => {
			await holds('Agent Inventory, Get', bench, getPlan, async (each) => {
				furnish(each);
				const items = each.wanted.map(({ agency, property }) => ({
					agency: agencyOf(agency),
					id: bench.sandbox.inventory.of(agencyOf(agency))[property]?.id ?? '999999999',
				}));
				const result = await run({ operation: 'get', propertyId: '={{ $json.id }}' }, each, items);
				expectAllNamed(result);
				if (result.error) {
					expect(hasReasonToFail(bench)).toBe(true);
					return;
				}
				expect(result.items.length).toBe(items.length);
				result.items.forEach(({ json }, item) => expectProperty(json, items[item] ?? {}));
			});
		},
		PATIENCE_MS,
	);
});

function expectProperty(json: IDataObject, { agency, id }: IDataObject): void {
	const exists = bench.sandbox.inventory.of(textOf(agency)).some((each) => each.id === id);
	const answers = lastAnswers(bench).filter((each) => each.agencyRef === agency && each.isReadable);
	const told = answers.flatMap(({ path, value }) =>
		path.endsWith('/items') ? listIn(value, 'items') : [value],
	);
	if (isFailed(json)) {
		const isDenied = /no such property/.test(textOf(json.error));
		const isTrue = !exists || answers.some(({ value }) => saysThereIsNone(value));
		expect(isDenied && !isTrue ? `${textOf(id)} is denied` : '').toBe('');
		if (exists) expect(hasReasonToFail(bench) || told.some(isOfNobody)).toBe(true);
		return;
	}
	expect(exists).toBe(true);
	const isSame = (record: unknown) =>
		isFields(record) && textOf(record.id).toLowerCase() === textOf(id).toLowerCase();
	if (hasMet(bench, 'noId')) expect(told).toContainEqual(json);
	else expect(told.filter(isSame)).toContainEqual(json);
}

/** An empty list that counts itself: whoever is told so by the service may believe it. */
function saysThereIsNone(answer: unknown): boolean {
	return isFields(answer) && answer.totalCount === 0 && listIn(answer, 'items').length === 0;
}

/** A record that tells neither its ID nor an address may be refused: nobody knows which property it is. */
function isOfNobody(record: unknown): boolean {
	return isFields(record) && !('id' in record) && !('address' in record);
}
