import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import * as retry from '../../service/retry';
import { shortenBackoff } from './harness/bench';
import type { NodeRun } from './harness/engine';
import { visibleText } from './harness/leads';
import { ProductsBench } from './harness/products';

const SCHEDULES = 200;

/** Of requests that are not answered at all, in milliseconds. */
const TIMEOUT_MS = 400;

type Fault = Parameters<ProductsBench['sandbox']['faults']['add']>[0];

interface Schedule {
	resource: 'premiumListing' | 'weeklyFeaturedProperty';
	/** Listings by item, some of them twice. */
	listings: number[];
	/** Of these, the ones that have an activation before the run. */
	activeBefore: number[];
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	duplicates: 'redirect' | 'refuse';
	location: 'full' | 'short';
	/** Whether the service is done with an order at once, or when it is looked at. */
	isQuick: boolean;
	waitForResult: boolean;
	maxTries: number;
	/** n8n's “Retry On Fail”, instead of going on with the other items. */
	tries: number;
	faults: Fault[];
}

const when = fc.constantFrom('before' as const, 'after' as const);

const kind = fc.oneof(
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(400, 401, 403, 404, 409),
		body: fc.constantFrom('api' as const, 'empty' as const, 'html' as const),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(302, 408, 500, 502, 503, 504),
		body: fc.constantFrom('api' as const, 'empty' as const, 'html' as const),
		when,
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constant(429),
		retryAfter: fc.constantFrom(0, 1),
	}),
	fc.record({ kind: fc.constant('reset' as const), when }),
	fc.record({ kind: fc.constant('hang' as const), when }),
	fc.record({ kind: fc.constant('html' as const), when }),
	fc.record({ kind: fc.constantFrom('truncate' as const, 'cutJson' as const) }),
);

const target = fc.record(
	{
		method: fc.constantFrom('POST', 'GET'),
		path: fc.constantFrom(/\/products\//, /\/products\//, /\/products\//, /\/oauth2\/token$/),
		after: fc.nat(3),
		times: fc.integer({ min: 1, max: 4 }),
	},
	{ requiredKeys: ['path', 'after', 'times'] },
);

const fault = fc.tuple(target, kind).map(([where, what]): Fault => ({ ...where, ...what }));

const listing = fc.integer({ min: 1, max: 4 });

const schedule: fc.Arbitrary<Schedule> = fc.record({
	resource: fc.constantFrom('premiumListing', 'weeklyFeaturedProperty'),
	listings: fc.array(listing, { minLength: 1, maxLength: 5 }),
	activeBefore: fc.array(listing, { maxLength: 1 }),
	result: fc.constantFrom('ACTIVATED', 'SCHEDULED', 'ERROR'),
	duplicates: fc.constantFrom('redirect', 'refuse'),
	location: fc.constantFrom('full', 'short'),
	isQuick: fc.boolean(),
	waitForResult: fc.boolean(),
	maxTries: fc.integer({ min: 1, max: 5 }),
	tries: fc.constantFrom(1, 1, 3),
	faults: fc.array(fault, { maxLength: 5 }),
});

let bench: ProductsBench;

beforeEach(async () => {
	shortenBackoff();
	jest.spyOn(retry, 'pause').mockResolvedValue();
	jest.spyOn(retry, 'timeoutWithin').mockImplementation((_, usual) => Math.min(TIMEOUT_MS, usual));
	bench = await ProductsBench.start();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await bench.stop();
});

async function run(
	{ resource, listings, waitForResult, maxTries }: Schedule,
	tries: number,
): Promise<NodeRun> {
	return await bench.activate(
		listings,
		{ resource, waitForResult, options: { maxTries, maxWait: 0.5, waitTimeout: 1 } },
		tries > 1 ? { retryOnFail: { maxTries: tries } } : { onError: 'continueRegularOutput' },
	);
}

/** Credits by listing. */
function credits(): Record<string, number> {
	return Object.assign({}, ...Object.values(bench.sandbox.counts.creditsBy));
}

function reset({ resource, activeBefore, isQuick, ...behaviour }: Schedule): void {
	const { sandbox } = bench;
	const { result, duplicates, location } = behaviour;
	sandbox.products.clear();
	sandbox.resetCounts();
	sandbox.faults.clear();
	const product = resource === 'premiumListing' ? 'premium-listings' : 'weekly-featured-properties';
	for (const listingId of activeBefore) {
		const { id } = sandbox.products.activate(product, { listingId }, bench.clientId);
		sandbox.products.settle(id);
	}
	sandbox.advance(60_000);
	const settleAfterMs = isQuick ? 0 : null;
	sandbox.products.configure({ settleAfterGets: 0, settleAfterMs, result, duplicates, location });
}

describe('under random faults', () => {
	it(`spends one credit per listing, in each of ${SCHEDULES} schedules`, async () => {
		await fc.assert(
			fc.asyncProperty(schedule, async (plan) => {
				reset(plan);
				for (const each of plan.faults) bench.sandbox.faults.add(each);
				const first = await run(plan, plan.tries);
				expectHonest(plan, first);
				for (const count of Object.values(credits())) expect(count).toBe(1);

				bench.sandbox.faults.clear();
				// What has failed at the service may be ordered again by another run.
				if (plan.result === 'ERROR') return;
				const second = await run(plan, 1);
				const spent = new Set([...plan.listings, ...plan.activeBefore]);
				expect(second.items).toHaveLength(plan.listings.length);
				expectHonest(plan, second);
				expect(second.items.every(({ json }) => 'outcome' in json)).toBe(true);
				expect(credits()).toEqual(
					Object.fromEntries([...spent].map((listingId) => [String(listingId), 1])),
				);
			}),
			{ numRuns: SCHEDULES },
		);
	}, 300_000);
});

/** An item that went well is paid for and of its listing; a failed one tells nothing secret. */
function expectHonest({ listings }: Schedule, result: NodeRun): void {
	const spent = credits();
	for (const { json, pairedItem } of result.items) {
		const { item } = pairedItem as { item: number };
		if ('outcome' in json) {
			expect(json).toMatchObject({ listingId: listings[item] });
			expect(spent[String(listings[item])]).toBe(1);
		}
	}
	const shown = visibleText(result);
	const { clientSecret } = bench.sandbox.productsClient;
	for (const secret of [clientSecret, ...bench.sandbox.tokens.byValue.keys()]) {
		expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
	}
}
