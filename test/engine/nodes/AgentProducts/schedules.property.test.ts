import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { textOf } from '../../../../service/basics/values';
import * as ending from '../../../../service/http/ending';
import * as retry from '../../../../service/http/retry';
import type { NodeRun } from '../../../lab/engine/engine';
import { visibleText } from '../../../lab/engine/leads';
import type { Schedule } from '../../../lab/productSchedules';
import {
	creditsByListing,
	furnish,
	ORDER_FORMS,
	OTHER_LISTING,
	productOf,
	schedule,
} from '../../../lab/productSchedules';
import {
	creationTimes,
	listingForms,
	listsOf,
	ordersAs,
	withoutDate,
} from '../../../lab/engine/relay';
import { ProductsBench } from '../../../lab/engine/products';
import { listingOf } from '../../../lab/sandbox/products';
import { useBench, useRelay } from '../../../lab/engine/useBench';
import { seedOf } from '../../../lab/seeds';

const SCHEDULES = Number(process.env.PRODUCT_RUNS ?? 200);

/** Of requests that are not answered at all, in milliseconds. */
const TIMEOUT_MS = 400;

const bench = useBench(ProductsBench);
const relay = useRelay(bench);

beforeEach(() => {
	jest.spyOn(retry, 'pause').mockResolvedValue();
	jest.spyOn(ending, 'timerMs').mockImplementation((usual) => Math.min(TIMEOUT_MS, usual));
});

/** The agency's own ID of a listing of a schedule, and what the service makes of it. */
const customerId = (listing: number) => `OUR-${listing}`;

const listingId = (listing: number) => listingOf(customerId(listing));

async function run(
	{ resource, listings, idTypes, waitForResult, maxTries }: Schedule,
	tries: number,
): Promise<NodeRun> {
	const input = listings.map((listing, item) => {
		const type = idTypes[item] ?? 'listing';
		const id = type === 'customer' ? customerId(listing) : listingId(listing);
		return { json: { type, id } };
	});
	return await bench.run(
		{
			resource,
			listingIdType: '={{ $json.type }}',
			listingId: '={{ $json.id }}',
			waitForResult,
			options: { maxTries, maxWait: 0.5, waitTimeout: 1 },
		},
		{
			input,
			...(tries > 1 ? { retryOnFail: { maxTries: tries } } : { onError: 'continueRegularOutput' }),
		},
	);
}

function furnishBoth(plan: Schedule): void {
	const activeBefore = plan.activeBefore.map(listingId);
	furnish(bench.sandbox, bench.clientId, { ...plan, activeBefore });
	relay.clear();
	if (plan.showsOthers) {
		relay.answer(
			listsOf(() => bench.sandbox.products.list(productOf(plan)).map(({ shown }) => shown)),
		);
	}
	relay.answer(ordersAs(ORDER_FORMS[plan.orderForm]));
	relay.answer(listingForms(plan.listingForm));
	relay.answer(creationTimes(plan.creationTime));
	if (!plan.tellsTime) relay.answer(withoutDate);
}

const credits = () => creditsByListing(bench.sandbox);

describe('under random faults', () => {
	it(
		`spends one credit per listing, in each of ${SCHEDULES} schedules`,
		async () => {
			const seed = seedOf('PRODUCT');
			process.stdout.write(`schedules of credits: PRODUCT_SEED=${seed}, ${SCHEDULES} runs\n`);
			await fc.assert(
				fc.asyncProperty(schedule, async (plan) => {
					bench.sandbox.resetCounts();
					furnishBoth(plan);
					const first = await run(plan, plan.tries);
					expectHonest(plan, first);
					for (const count of Object.values(credits())) expect(count).toBe(1);

					bench.sandbox.faults.clear();
					// What has failed at the service may be ordered again by another run.
					if (plan.result === 'ERROR') return;
					const second = await run(plan, 1);
					expect(second.items).toHaveLength(plan.listings.length);
					expectHonest(plan, second);
					for (const count of Object.values(credits())) expect(count).toBe(1);
					if (mayBeUnclear(plan)) return;
					const spent = [...plan.listings, ...plan.activeBefore].map(listingId);
					if (plan.showsOthers) spent.push(OTHER_LISTING);
					expect(second.items.every(({ json }) => 'outcome' in json)).toBe(true);
					expect(credits()).toEqual(
						Object.fromEntries([...new Set(spent)].map((listing) => [String(listing), 1])),
					);
				}),
				{ numRuns: SCHEDULES, seed },
			);
		},
		300_000 + SCHEDULES * 1_000,
	);
});

/** Whether nobody could tell which listing an activation is of; then the node has to say so. */
function mayBeUnclear({ showsOthers, listingForm, idTypes, listings }: Schedule): boolean {
	const isByOwnId = listings.some((_, item) => idTypes[item] === 'customer');
	return showsOthers && (isByOwnId || listingForm === 'missing');
}

/** An item that went well is paid for and of its listing; a failed one tells nothing secret. */
function expectHonest({ listings, listingForm }: Schedule, result: NodeRun): void {
	const spent = credits();
	for (const { json, pairedItem } of result.items) {
		const { item } = pairedItem as { item: number };
		const listing = listings[item] ?? 0;
		if (!('outcome' in json)) continue;
		const told = textOf(json.listingId ?? json.customerListingId ?? listingForm);
		expect([String(listingId(listing)), customerId(listing), 'missing']).toContain(told);
		expect(spent[String(listingId(listing))]).toBe(1);
	}
	const shown = visibleText(result);
	const { clientSecret } = bench.sandbox.productsClient;
	for (const secret of [clientSecret, ...bench.sandbox.tokens.byValue.keys()]) {
		expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
	}
}
