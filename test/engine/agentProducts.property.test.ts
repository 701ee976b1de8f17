import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import * as retry from '../../service/retry';
import { shortenBackoff } from './harness/bench';
import type { NodeRun } from './harness/engine';
import { visibleText } from './harness/leads';
import type { Schedule } from '../productSchedules';
import { creditsByListing, furnish, schedule } from '../productSchedules';
import { ProductsBench } from './harness/products';

const SCHEDULES = 200;

/** Of requests that are not answered at all, in milliseconds. */
const TIMEOUT_MS = 400;

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

const credits = () => creditsByListing(bench.sandbox);

describe('under random faults', () => {
	it(`spends one credit per listing, in each of ${SCHEDULES} schedules`, async () => {
		await fc.assert(
			fc.asyncProperty(schedule, async (plan) => {
				bench.sandbox.resetCounts();
				furnish(bench.sandbox, bench.clientId, plan);
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
