import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { listingOf } from '../../../lab/sandbox/products';
import type { Product } from '../../../lab/sandbox/products';
import type { WildStep } from '../../../lab/sandbox/wild';
import { creditsByListing } from '../../../lab/productSchedules';
import type { NodeRun } from '../../../lab/engine/engine';
import { visibleText } from '../../../lab/engine/leads';
import { ProductsBench } from '../../../lab/engine/products';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
	expectNamedItem,
	expectNoSecret,
	hasReasonToFail,
	holds,
	isFields,
	lastAnswers,
	listIn,
	PATIENCE_MS,
	renewClient,
	textOf,
	toldTo,
	wildSteps,
} from '../../../lab/engine/wild';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

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

async function run(
	parameters: INodeParameters,
	items: IDataObject[],
	more: Partial<Parameters<ProductsBench['run']>[1]> = { onError: 'continueRegularOutput' },
): Promise<NodeRun> {
	const input = items.map((json): INodeExecutionData => ({ json }));
	return await bench.run(parameters, { input, ...more });
}

const isFailed = ({ error, message }: IDataObject) => error !== undefined && message !== undefined;

function expectAllNamed(result: NodeRun): IDataObject[] {
	expectNoSecret(bench, [visibleText(result)]);
	if (result.error) expectNamed(result);
	const failed = result.items.map(({ json }) => json).filter(isFailed);
	for (const json of failed) expectNamedItem(json);
	return failed;
}

interface OrderPlan extends Plan {
	listings: number[];
	idType: 'listing' | 'customer';
	before: number[];
	waitForResult: boolean;
	/** n8n's “Retry On Fail”, instead of going on with the other items. */
	tries: number;
}

const listing = fc.integer({ min: 1, max: 4 });

const orderPlan: fc.Arbitrary<OrderPlan> = fc.record({
	...behaviour,
	listings: fc.array(listing, { minLength: 1, maxLength: 3 }),
	idType: fc.constantFrom('listing', 'customer'),
	before: fc.array(listing, { maxLength: 1 }),
	waitForResult: fc.boolean(),
	tries: fc.constantFrom(1, 1, 2),
});

async function activate(resource: string, each: OrderPlan, tries: number): Promise<NodeRun> {
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
		tries > 1 ? { retryOnFail: { maxTries: tries } } : { onError: 'continueRegularOutput' },
	);
}

/** What the sandbox has taken, by its own books. */
const credits = () => creditsByListing(bench.sandbox);

/** An item that went well is of its listing, and there is an activation of it. */
function expectHonest(product: Product, { listings }: OrderPlan, result: NodeRun): void {
	const records = bench.sandbox.products.list(product);
	for (const { json, pairedItem } of result.items) {
		if (isFailed(json)) continue;
		const item = isFields(pairedItem) ? Number(pairedItem.item) : NaN;
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
	it(
		'spends one credit for each listing, and says truly what came of it',
		async () => {
			await holds(`Agent Products, activate a ${resource}`, bench, orderPlan, async (each) => {
				furnish(each, product, each.before);
				const first = await activate(resource, each, each.tries);
				const failed = expectAllNamed(first);
				expectHonest(product, each, first);
				for (const [ordered, count] of Object.entries(credits())) {
					expect(`${ordered}: ${count}`).toBe(`${ordered}: 1`);
				}
				const ended = first.error !== undefined || failed.length > 0;
				if (ended && each.result !== 'ERROR') expect(hasAnyReasonToFail()).toBe(true);
				// What has failed at the service may be ordered again by another run.
				if (each.result === 'ERROR') return;
				bench.sandbox.wild.plan([]);
				for (let second = 0; second < 60; second++) await sleep(SECOND);
				bench.sandbox.advance(60 * MINUTE);
				jest.setSystemTime(bench.sandbox.now());
				const second = await activate(resource, each, 1);
				expect(second.items.map(({ json }) => json).filter(isFailed)).toEqual([]);
				expectHonest(product, each, second);
				const ordered = each.listings.filter((one) => !each.before.includes(one));
				expect(credits()).toEqual(
					Object.fromEntries(ordered.map((one) => [String(listingId(one)), 1])),
				);
			});
		},
		PATIENCE_MS,
	);
});

/** Orders are sent once: any answer that could not be read is reason enough. */
function hasAnyReasonToFail(): boolean {
	return toldTo(bench).some(({ isReadable }) => !isReadable);
}

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
	it(
		'gives the activation that the service has, or says why not',
		async () => {
			await holds(`Agent Products, get a ${resource}`, bench, readPlan, async (each) => {
				const ids = furnish(each, product, each.before);
				const asked = [...ids.slice(0, 1), '00000000-0000-4000-8000-000000000001'];
				const items = asked.map((id) => ({ id }));
				const options = { maxTries: each.maxTries, maxWait: 60 };
				const result = await run(
					{ resource, operation: 'get', activationId: '={{ $json.id }}', options },
					items,
				);
				expectAllNamed(result);
				expect(result.items.length).toBe(asked.length);
				result.items.forEach(({ json }, item) => {
					const exists = item < ids.length;
					const last = lastAnswers(bench).find(({ path }) => path.endsWith(asked[item] ?? '-'));
					if (!isFailed(json)) expect(json).toEqual(last?.value);
					else if (exists) expect(hasReasonToFail(bench)).toBe(true);
					if (!exists) expect(isFailed(json)).toBe(true);
				});
			});
		},
		PATIENCE_MS,
	);
});

const createdAt = (json: IDataObject) => Date.parse(textOf(json.createdAt));

describe.each(RESOURCES)('Get Many of %s', (resource, product) => {
	it(
		'gives the activations that the service has, or says why not',
		async () => {
			await holds(`Agent Products, get many of ${resource}`, bench, readPlan, async (each) => {
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
				const failed = expectAllNamed(result);
				if (failed.length > 0) {
					expect(hasReasonToFail(bench)).toBe(true);
					return;
				}
				const json = result.items.map((item) => item.json);
				const last = lastAnswers(bench).at(-1);
				expect(last?.isReadable).toBe(true);
				const told = listIn(last?.value);
				const whole = isFiltered ? before.filter((one) => one === first).length : before.length;
				expect(told.length).toBe(whole);
				expect(json.length).toBe(Math.min(whole, limit ?? Infinity));
				for (const activation of json) expect(told).toContainEqual(activation);
				expect(new Set(json.map(({ id }) => id)).size).toBe(json.length);
				const times = json.map(createdAt);
				expect(
					times.every((time, index) => !(time > (times[index - 1] ?? Infinity) + 60_000)),
				).toBe(true);
			});
		},
		PATIENCE_MS,
	);
});

interface UpdatePlan extends Plan {
	updateResult: 'done' | 'failed';
}

const updatePlan: fc.Arbitrary<UpdatePlan> = fc.record({
	...behaviour,
	updateResult: fc.constantFrom('done' as const, 'done' as const, 'failed' as const),
});

describe('Update Highlights', () => {
	it(
		'changes what it says it changed, or says what is not known',
		async () => {
			await holds('Agent Products, update highlights', bench, updatePlan, async (each) => {
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
				const failed = expectAllNamed(result);
				const record = bench.sandbox.products.find('premium-listings', id);
				const isTaken = toldTo(bench).some(({ method, isDone }) => method === 'PATCH' && isDone);
				if (failed.length > 0) {
					const hasReason = toldTo(bench).some(({ isReadable }) => !isReadable);
					expect(hasReason).toBe(true);
				} else {
					expect(isTaken).toBe(true);
					expect(result.items.length).toBe(1);
					if (each.updateResult === 'done') {
						expect(record?.update ?? withoutKeys(record?.shown.highlights)).toEqual(wanted);
					}
					expect(result.items[0]?.json.id).toBe(id);
				}
			});
		},
		PATIENCE_MS,
	);
});

function withoutKeys(highlights: unknown): unknown {
	return listIn(highlights).map((highlight) => omit(highlight, 'key'));
}
