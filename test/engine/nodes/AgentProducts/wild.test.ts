import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../../../service/basics/values';
import { listingOf } from '../../../lab/sandbox/products';
import type { Product } from '../../../lab/sandbox/products';
import type { WildStep } from '../../../lab/sandbox/wild';
import type { NodeRun } from '../../../lab/engine/engine';
import { ProductsBench } from '../../../lab/engine/products';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
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

const MINUTE = 60_000;

/** Of leads and properties alone. */
const OTHERS = [
	'bareObject',
	'nullItems',
	'emptyAs404',
	'noId',
	'mediaTypes',
	'unsetTimes',
	'nulls',
];

interface Behaviour {
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	duplicates: 'redirect' | 'refuse';
	isQuick: boolean;
}

interface Plan extends Behaviour {
	maxTries: number;
	steps: WildStep[];
}

const behaviour = {
	result: fc.constantFrom(
		'ACTIVATED' as const,
		'ACTIVATED' as const,
		'SCHEDULED' as const,
		'ERROR' as const,
	),
	duplicates: fc.constantFrom('redirect' as const, 'refuse' as const),
	isQuick: fc.boolean(),
	maxTries: fc.integer({ min: 1, max: 4 }),
	steps: wildSteps(OTHERS),
};

const RESOURCES: Array<[string, Product]> = [
	['premiumListing', 'premium-listings'],
	['weeklyFeaturedProperty', 'weekly-featured-properties'],
];

const bench = useBenchInVirtualTime(ProductsBench);

/** The products as a run finds them, with activations of these listings from an hour ago. */
function furnish({ result, duplicates, isQuick, steps }: Plan, product: Product, before: number[]) {
	const { sandbox } = bench;
	plans++;
	sandbox.products.clear();
	renewClient(bench, { integration: 'products' });
	sandbox.advance(-60 * MINUTE);
	const ids = before.map((listing) => {
		const order = {
			listingId: listingId(listing),
			...(listing % 2 === 0 && { highlights: [{ id: 4 }] }),
		};
		return sandbox.products.activate(product, order, bench.clientId).id;
	});
	sandbox.products.settle();
	sandbox.advance(60 * MINUTE);
	sandbox.products.configure({
		settleAfterGets: 0,
		settleAfterMs: isQuick ? 0 : null,
		result,
		duplicates,
	});
	sandbox.resetCounts();
	sandbox.wild.plan(steps);
	return ids;
}

/** Listings of its own for each plan: a process knows for a moment what it has ordered. */
let plans = 0;

const customerId = (listing: number) => `OUR-${plans}-${listing}`;
const listingId = (listing: number) => listingOf(customerId(listing));

async function run(parameters: INodeParameters, items: IDataObject[]): Promise<NodeRun> {
	const input = items.map((json): INodeExecutionData => ({ json }));
	return await bench.run(parameters, { input, onError: 'continueRegularOutput' });
}

interface OrderPlan extends Plan {
	listings: number[];
	idType: 'listing' | 'customer';
	before: number[];
	waitForResult: boolean;
}

const listing = fc.integer({ min: 1, max: 4 });

const orderPlan: fc.Arbitrary<OrderPlan> = fc.record({
	...behaviour,
	listings: fc.array(listing, { minLength: 1, maxLength: 3 }),
	idType: fc.constantFrom('listing', 'customer'),
	before: fc.array(listing, { maxLength: 1 }),
	waitForResult: fc.boolean(),
});

async function activate(resource: string, each: OrderPlan): Promise<NodeRun> {
	const { listings, idType: type, waitForResult, maxTries } = each;
	const items = listings.map((ordered) => ({
		id: type === 'listing' ? listingId(ordered) : customerId(ordered),
	}));
	return await run(
		{
			resource,
			operation: 'activate',
			listingIdType: type,
			listingId: '={{ $json.id }}',
			waitForResult,
			options: { maxTries, maxWait: 60, waitTimeout: 30 },
		},
		items,
	);
}

/** What the sandbox has taken, by its own books. */
const credits = () => bench.creditsByListing;

/** An item that went well is of its listing, and there is an activation of it. */
function expectHonest(product: Product, { listings }: OrderPlan, result: NodeRun): void {
	const records = bench.sandbox.products.list(product);
	for (const { json, pairedItem } of result.items) {
		if (isFailed(json)) continue;
		const item = isObject(pairedItem) ? Number(pairedItem.item) : NaN;
		const ordered = listings[item] ?? NaN;
		const own = records.filter(({ shown }) => shown.listingId === listingId(ordered));
		expect([listingId(ordered), customerId(ordered)]).toContain(
			json.listingId ?? json.customerListingId,
		);
		expect(own.length).toBeGreaterThan(0);
		if (json.id !== undefined) expect(own.map(({ shown }) => shown.id)).toContain(json.id);
		expect(OUTCOMES[textOf(json.outcome)]).toBeDefined();
		const results = own.map(({ shown }) => shown.status.result);
		const possible = OUTCOMES[textOf(json.outcome)] ?? [];
		expect(results.some((each) => possible.includes(each))).toBe(true);
	}
}

/** What the activation may be by now when a step says so of it. */
const OUTCOMES: Record<string, string[]> = {
	activated: ['ACTIVATED'],
	scheduled: ['SCHEDULED', 'ACTIVATED'],
	alreadyScheduled: ['SCHEDULED', 'ACTIVATED'],
	alreadyActive: ['ACTIVATED', 'SCHEDULED'],
	pending: ['PENDING', 'ACTIVATED', 'SCHEDULED', 'ERROR'],
	alreadyPending: ['PENDING', 'ACTIVATED', 'SCHEDULED', 'ERROR'],
};

describe.each(RESOURCES)('Activate a %s', (resource, product) => {
	itHolds('spends one credit for each listing, and says truly what came of it', () => ({
		name: `Agent Products, activate a ${resource}`,
		bench,
		plan: orderPlan,
		play: async (each) => {
			furnish(each, product, each.before);
			const result = await activate(resource, each);
			const failed = expectNamed(result);
			expectHonest(product, each, result);
			const ordered = each.listings.filter((one) => !each.before.includes(one));
			const isPaid = (each: number) => [String(listingId(each)), 1];
			expect(credits()).toEqual(Object.fromEntries(ordered.map(isPaid)));
			if (each.result !== 'ERROR') expect(failed).toEqual([]);
		},
	}));
});

interface ReadPlan extends Plan {
	before: number[];
	limit?: number;
	isFiltered: boolean;
}

const readPlan: fc.Arbitrary<ReadPlan> = fc.record(
	{
		...behaviour,
		before: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
		limit: fc.constantFrom(1, 2, 50),
		isFiltered: fc.boolean(),
	},
	{
		requiredKeys: ['result', 'duplicates', 'isQuick', 'maxTries', 'steps', 'before', 'isFiltered'],
	},
);

describe.each(RESOURCES)('Get %s', (resource, product) => {
	itHolds('gives the activation that the service has', () => ({
		name: `Agent Products, get a ${resource}`,
		bench,
		plan: readPlan,
		play: async (each) => {
			const ids = furnish(each, product, each.before);
			const asked = [...ids.slice(0, 1), '00000000-0000-4000-8000-000000000001'];
			const items = asked.map((id) => ({ id }));
			const options = { maxTries: each.maxTries, maxWait: 60 };
			const result = await run(
				{ resource, operation: 'get', activationId: '={{ $json.id }}', options },
				items,
			);
			expectNamed(result);
			expect(result.items.length).toBe(asked.length);
			result.items.forEach(({ json }, item) => {
				const exists = item < asked.length - 1;
				const told = toldTo(bench).find(({ path }) => path.endsWith(asked[item] ?? '-'));
				if (exists) expect(json).toEqual(told?.value);
				else expect(isFailed(json)).toBe(true);
			});
		},
	}));
});

const createdAt = (json: IDataObject) => Date.parse(textOf(json.createdAt));

describe.each(RESOURCES)('Get Many of %s', (resource, product) => {
	itHolds('gives the activations that the service has', () => ({
		name: `Agent Products, get many of ${resource}`,
		bench,
		plan: readPlan,
		play: async (each) => {
			furnish(each, product, each.before);
			const { limit, maxTries, isFiltered, before } = each;
			const [first = 1] = before;
			const result = await run(
				{
					resource,
					operation: 'getAll',
					filters: isFiltered ? { listingId: listingId(first) } : {},
					returnAll: limit === undefined,
					limit: limit ?? 1,
					options: { maxTries, maxWait: 60 },
				},
				[{}],
			);
			expect(expectNamed(result)).toEqual([]);
			const json = result.items.map((item) => item.json);
			const told = listIn(toldTo(bench).at(-1)?.value);
			const whole = isFiltered ? before.filter((one) => one === first).length : before.length;
			expect(told.length).toBe(whole);
			expect(json.length).toBe(Math.min(whole, limit ?? Infinity));
			for (const activation of json) expect(told).toContainEqual(activation);
			expect(new Set(json.map(({ id }) => id)).size).toBe(json.length);
			const times = json.map(createdAt);
			expect(times.every((time, index) => !(time > (times[index - 1] ?? Infinity) + 60_000))).toBe(
				true,
			);
		},
	}));
});

interface UpdatePlan extends Plan {
	updateResult: 'done' | 'failed';
}

const updatePlan: fc.Arbitrary<UpdatePlan> = fc.record({
	...behaviour,
	updateResult: fc.constantFrom('done' as const, 'done' as const, 'failed' as const),
});

describe('Update Highlights', () => {
	itHolds('changes what it says it changed', () => ({
		name: 'Agent Products, update highlights',
		bench,
		plan: updatePlan,
		play: async (each) => {
			const [id = ''] = furnish(each, 'premium-listings', [2]);
			bench.sandbox.products.configure({ updateResult: each.updateResult, settleAfterMs: null });
			const wanted = [{ id: 7, description: 'garden' }, { id: 9 }];
			const highlight = wanted.map((one) => ({ description: '', ...one }));
			const result = await run(
				{
					resource: 'premiumListing',
					operation: 'updateHighlights',
					activationId: id,
					highlights: { highlight },
					options: { maxTries: each.maxTries, maxWait: 60 },
				},
				[{}],
			);
			expect(expectNamed(result)).toEqual([]);
			const record = bench.sandbox.products.find('premium-listings', id);
			expect(result.items.map(({ json }) => json.id)).toEqual([id]);
			if (each.updateResult === 'done') {
				expect(record?.update ?? withoutKeys(record?.shown.highlights)).toEqual(wanted);
			}
		},
	}));
});

function withoutKeys(highlights: unknown): unknown {
	return listIn(highlights).map((highlight) => omit(highlight, 'key'));
}
