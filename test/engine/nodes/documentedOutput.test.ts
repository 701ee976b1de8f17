import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { exampleItems } from '../../lab/documentation';
import type { Bench } from '../../lab/engine/bench';
import { AGENCY, inputOf, InventoryBench } from '../../lab/engine/inventory';
import { InventoryHost } from '../../lab/engine/inventoryPoll';
import { LeadsBench } from '../../lab/engine/leads';
import { ProductsBench } from '../../lab/engine/products';
import type { Overrides } from '../../lab/sandbox/overrides';

let running: Bench | undefined;

afterEach(async () => {
	jest.useRealTimers();
	await running?.stop();
});

type Item = IDataObject | undefined;

const started = async <B extends Bench>(bench: Promise<B>): Promise<B> => {
	running = await bench;
	return await bench;
};

const leads = (parameters: INodeParameters) => async (): Promise<Item> => {
	const bench = await started(LeadsBench.start());
	bench.sandbox.addLead('applicant');
	bench.sandbox.addLead('appraisal');
	return (await bench.run(parameters)).items[0]?.json;
};

const inventory = (parameters: INodeParameters) => async (): Promise<Item> =>
	(await (await started(InventoryBench.start())).run(parameters)).items[0]?.json;

/** The first property that there is, from its whole record. */
const property = (parameters: INodeParameters) => async (): Promise<Item> => {
	const bench = await started(InventoryBench.start());
	const { items } = await bench.run({ operation: 'getAll', limit: 1 });
	const id = items[0]?.json.inventoryId;
	const propertyId = typeof id === 'string' ? id : '';
	return (await bench.run({ operation: 'get', propertyId, ...parameters })).items[0]?.json;
};

/** The same, found by its UPRN. */
const propertyOfLead = async (): Promise<Item> => {
	const bench = await started(InventoryBench.start());
	const [record] = bench.sandbox.inventory.of(AGENCY);
	const lead = { uprn: Number(record?.uprn), propertyAddress: record?.address.postcode };
	const parameters = { operation: 'findForLead', simplify: true };
	return (await bench.run(parameters, { input: inputOf([lead]) })).items[0]?.json;
};

/** A property for sale, once the trigger knows it and it has changed. */
const changed = (changes: Overrides) => async (): Promise<Item> => {
	const bench = await started(InventoryBench.start());
	const { inventory: properties } = bench.sandbox;
	properties.fill(AGENCY, 0);
	const { id } = properties.create(AGENCY, { recordType: 'Sale', inventoryStatus: 'Available' });
	const host = new InventoryHost(bench);
	await host.activate();
	bench.setClock(Date.now() + 60_000);
	properties.change(AGENCY, id, changes);
	return (await host.tick())[0];
};

const activation = async (): Promise<Item> => {
	const bench = await started(ProductsBench.start());
	bench.sandbox.products.configure({ settleAfterGets: 0 });
	const run = await bench.run({
		options: {
			highlights: { highlight: [{ id: 7, description: 'South-facing garden' }] },
			customDetails: '{ "order": "2041" }',
		},
	});
	return run.items[0]?.json;
};

/** The example items of each page in their order, and how a person gets such an item. */
const EXAMPLES: Array<[string, Array<() => Promise<Item>>]> = [
	['agent-leads', [leads({}), leads({ resource: 'appraisalLead' }), leads({ simplify: false })]],
	[
		'agent-inventory',
		[
			property({ simplify: true }),
			propertyOfLead,
			inventory({ operation: 'search', query: 'Road' }),
			inventory({ operation: 'getAll' }),
			property({}),
			inventory({ resource: 'branch', operation: 'getAll' }),
			inventory({ resource: 'negotiator', operation: 'getAll' }),
		],
	],
	['agent-inventory-trigger', [changed({ price: 1 })]],
	['agent-products', [activation]],
];

/** A value that says what it is a kind of; an example may hold null where another item does not. */
type Shape = string | { [key: string]: Shape } | Shape[];

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/;

function shapeOf(value: unknown): Shape {
	if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
	if (typeof value === 'object' && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
	}
	if (value === null) return 'null';
	return typeof value === 'string' && TIME.test(value) ? 'time' : typeof value;
}

/** Where an example says something else than the real thing, each by its path. */
function differences(example: Shape, real: Shape, isShortened: boolean, path = 'item'): string[] {
	if (example === 'null' || real === 'null') return [];
	if (typeof example === 'string' || typeof real === 'string') {
		return example === real
			? []
			: [`${path}: ${JSON.stringify(example)}, not ${JSON.stringify(real)}`];
	}
	const [told, there] = [new Map(Object.entries(example)), new Map(Object.entries(real))];
	const missing = [...there.keys()].filter((key) => !told.has(key) && !isShortened);
	return [
		...(Array.isArray(real) ? [] : missing.map((key) => `${path}.${key} is missing`)),
		...[...told].flatMap(([key, shape]) => {
			const counterpart = there.get(key);
			if (counterpart === undefined) {
				return Array.isArray(real) ? [] : [`${path}.${key} does not exist`];
			}
			return differences(shape, counterpart, isShortened, `${path}.${key}`);
		}),
	];
}

describe.each(EXAMPLES)('docs/%s.md', (page, items) => {
	const examples = exampleItems(page);

	it('has the example items that are looked at here', () => {
		expect(examples).toHaveLength(items.length);
	});

	it.each([...items.entries()])('shows an item as the node gives it (%#)', async (index, get) => {
		const { item, isShortened } = examples[index] ?? { item: {}, isShortened: false };

		const real = await get();

		expect(real).toBeDefined();
		expect(differences(shapeOf(item), shapeOf(real), isShortened)).toEqual([]);
	});
});
