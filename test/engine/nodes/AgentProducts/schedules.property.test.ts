import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { textOf } from '../../../../service/basics/values';
import * as transport from '../../../../service/http/request';
import * as retry from '../../../../service/http/retry';
import type { NodeRun } from '../../../lab/engine/engine';
import { visibleText } from '../../../lab/engine/leads';
import { ProductsBench } from '../../../lab/engine/products';
import type { Change } from '../../../lab/engine/relay';
import { LOST } from '../../../lab/engine/relay';
import { useBench, useRelay } from '../../../lab/engine/useBench';
import { passProcessTime } from '../../../lab/processTime';
import type { Sandbox } from '../../../lab/sandbox';
import { listingOf } from '../../../lab/sandbox/products';
import { seedOf } from '../../../lab/seeds';
import { MINUTE } from '../../../lab/times';
import { jsonIn } from '../../../lab/values';

type Fault = Parameters<Sandbox['faults']['add']>[0];

/** A run of Agent Products and what goes wrong in it. */
interface Schedule {
	resource: 'premiumListing' | 'weeklyFeaturedProperty';
	/** Listings by item, some of them twice. */
	listings: number[];
	/** Whose ID of the listings the items have. */
	idType: 'listing' | 'customer';
	/** Of these, the ones that have an activation before the run, and what has become of it. */
	activeBefore: number[];
	before: 'ACTIVATED' | 'SCHEDULED';
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	/** What becomes of an order for a listing that has one; `accept`: it is paid for twice. */
	duplicates: 'redirect' | 'refuse' | 'accept';
	/** How much later than made an activation is listed, in milliseconds. */
	listedAfterMs: number;
	/** The first order gets no answer, and is taken so many milliseconds later. */
	takenAfterMs?: number;
	location: 'full' | 'published';
	/** Whether the service is done with an order at once, or when it is looked at. */
	isQuick: boolean;
	waitForResult: boolean;
	maxTries: number;
	/** n8n's “Retry On Fail”, instead of going on with the other items. */
	tries: number;
	faults: Fault[];
	/** How far the service's clock is ahead, in milliseconds. */
	clockOffsetMs: number;
	/** Whether the service shows the activations of all listings, whichever is asked for. */
	showsOthers: boolean;
}

/** Listings that no schedule orders, and that have activations if others are shown. */
const OTHER_LISTINGS = [99_999_998, 99_999_999];

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

/**
 * A 4xx is the service’s word that it took nothing, 408 aside; every other fault comes before or
 * after it did the work.
 */
const schedule: fc.Arbitrary<Schedule> = fc.record({
	resource: fc.constantFrom('premiumListing', 'weeklyFeaturedProperty'),
	listings: fc.array(listing, { minLength: 1, maxLength: 5 }),
	idType: fc.constantFrom('listing', 'customer'),
	activeBefore: fc.array(listing, { maxLength: 1 }),
	before: fc.constantFrom('ACTIVATED', 'SCHEDULED'),
	result: fc.constantFrom('ACTIVATED', 'SCHEDULED', 'ERROR'),
	duplicates: fc.constantFrom('redirect', 'refuse', 'accept', 'accept'),
	listedAfterMs: fc.constantFrom(0, 2_000, 5_000, 8_000),
	takenAfterMs: fc.constantFrom(undefined, undefined, undefined, 4_000, 20_000, 200_000),
	location: fc.constantFrom('full', 'published'),
	isQuick: fc.boolean(),
	waitForResult: fc.boolean(),
	maxTries: fc.integer({ min: 1, max: 5 }),
	tries: fc.constantFrom(1, 1, 3),
	faults: fc.array(fault, { maxLength: 5 }),
	clockOffsetMs: fc.integer({ min: -10 * MINUTE, max: 10 * MINUTE }),
	showsOthers: fc.constantFrom(false, false, true),
});

/** The product as the service's paths name it. */
function productOf({ resource }: Schedule): 'premium-listings' | 'weekly-featured-properties' {
	return resource === 'premiumListing' ? 'premium-listings' : 'weekly-featured-properties';
}

/** Puts the sandbox into the state in which the run of a schedule begins. */
function furnish(sandbox: Sandbox, clientId: string, plan: Schedule): void {
	const { activeBefore, before, isQuick, result, duplicates, location, clockOffsetMs } = plan;
	sandbox.products.clear();
	sandbox.faults.clear();
	const now = Date.now() + clockOffsetMs;
	// Else it would count as made by the run itself, as times may come in whole minutes.
	sandbox.advance(now - 2 * MINUTE - sandbox.now());
	const product = productOf(plan);
	const others = plan.showsOthers ? OTHER_LISTINGS : [];
	for (const listingId of [...activeBefore, ...others]) {
		const { id } = sandbox.products.activate(product, { listingId }, clientId);
		sandbox.products.settle(id, { result: before });
	}
	sandbox.advance(now - sandbox.now());
	const settleAfterMs = isQuick ? 0 : null;
	sandbox.products.configure({ settleAfterGets: 0, settleAfterMs, result, duplicates, location });
	for (const fault of plan.faults) sandbox.faults.add(fault);
}

const SCHEDULES = Number(process.env.PRODUCT_RUNS ?? 200);

/** For how long an answer is waited for, in milliseconds: not long while there are faults, some of which are no answer at all. */
const [SHORT_MS, LONG_MS] = [400, 60_000];

let timeoutMs = SHORT_MS;

const bench = useBench(ProductsBench);
const relay = useRelay(bench);

/** What becomes of the orders of a schedule that the service takes when nobody waits for the answer any more. */
let late: Array<{ dueAt: number; take: () => void }> = [];

/** The answers to the orders of one execution, by listing. */
let answers = new Map<string, number[]>();

/** The service's time passes while the node waits, and not while another order of the process is kept in mind. */
const passTime = (ms: number) => {
	const end = bench.sandbox.now() + ms;
	const due = late.filter(({ dueAt }) => dueAt <= end);
	late = late.filter((each) => !due.includes(each));
	for (const { dueAt, take } of due) {
		bench.sandbox.advance(dueAt - bench.sandbox.now());
		take();
	}
	bench.sandbox.advance(end - bench.sandbox.now());
};

beforeEach(() => {
	jest.spyOn(retry, 'pause').mockImplementation(async (ms, signal) => {
		if (signal) passTime(ms);
		await Promise.resolve();
	});
	jest.replaceProperty(transport.TIMEOUTS_MS, 'data', timeoutMs);
});

/** The agency's own ID of a listing of a schedule, and what the service makes of it. */
const customerId = (listing: number) => `OUR-${listing}`;

const listingId = (listing: number) => listingOf(customerId(listing));

async function run(
	{ resource, listings, idType, waitForResult, maxTries }: Schedule,
	tries: number,
): Promise<NodeRun> {
	answers = new Map();
	const idOf = idType === 'customer' ? customerId : listingId;
	return await bench.run(
		{
			resource,
			listingIdType: idType,
			listingId: '={{ $json.id }}',
			waitForResult,
			options: { maxTries, maxWait: 0.5, waitTimeout: 1 },
		},
		{
			input: listings.map((listing) => ({ json: { id: idOf(listing) } })),
			...(tries > 1 ? { retryOnFail: { maxTries: tries } } : { onError: 'continueRegularOutput' }),
		},
	);
}

/** An activation as the wire has it. */
type Shown = Record<string, unknown>;

/** Lists of all that there is, whatever was asked for. */
function listsOf(all: () => Shown[]): Change {
	return async ({ isList }, pass) => {
		const answer = await pass();
		if (!isList || answer.end || !Array.isArray(jsonIn(answer.body))) return answer;
		return { ...answer, body: JSON.stringify(all()) };
	};
}

function furnishBoth(plan: Schedule): void {
	const activeBefore = plan.activeBefore.map(listingId);
	furnish(bench.sandbox, bench.clientId, { ...plan, activeBefore });
	late = [];
	relay.clear();
	relay.answer(takenLate(plan));
	if (plan.showsOthers) {
		relay.answer(
			listsOf(() => bench.sandbox.products.list(productOf(plan)).map(({ shown }) => shown)),
		);
	}
	relay.answer(listedLate(plan));
	relay.answer(async ({ method, body }, pass) => {
		if (method !== 'POST') return await pass();
		const key = String(orderedIn(body));
		const earlier = answers.get(key) ?? [];
		// Until it is answered, if it ever is.
		answers.set(key, [...earlier, 0]);
		const answer = await pass();
		answers.set(key, [...earlier, answer.end ? 0 : answer.status]);
		return answer;
	});
}

function orderedIn(body: string): number {
	const order = JSON.parse(body) as { listingId?: number; customerListingId?: string };
	return order.listingId ?? listingOf(order.customerListingId ?? '');
}

/** The first order is lost on its way, and reaches the service later. */
function takenLate(plan: Schedule): Change {
	return async ({ method, earlier, body }, pass) => {
		const isFirst = method === 'POST' && earlier === 0 && timeoutMs === SHORT_MS;
		if (!isFirst || plan.takenAfterMs === undefined) return await pass();
		const { products } = bench.sandbox;
		const order = { listingId: orderedIn(body) };
		const take = () => {
			const isRefused = plan.duplicates !== 'accept';
			if (isRefused && products.current(productOf(plan), order.listingId)) return;
			products.activate(productOf(plan), order, bench.clientId);
		};
		late.push({ dueAt: bench.sandbox.now() + plan.takenAfterMs, take });
		return LOST;
	};
}

/** Lists follow what is made. */
function listedLate(plan: Schedule): Change {
	return async ({ isList }, pass) => {
		const answer = await pass();
		if (!isList || answer.end || answer.status !== 200) return answer;
		const since = bench.sandbox.now() - plan.listedAfterMs;
		const isHidden = (id: unknown) =>
			bench.sandbox.products
				.list(productOf(plan))
				.some(({ shown, madeAt }) => shown.id === id && madeAt > since);
		try {
			const rows = JSON.parse(answer.body) as Shown[];
			return { ...answer, body: JSON.stringify(rows.filter(({ id }) => !isHidden(id))) };
		} catch {
			return answer;
		}
	};
}

const credits = () => bench.creditsByListing;

describe('under random faults', () => {
	it(
		`spends one credit per listing, in each of ${SCHEDULES} schedules`,
		async () => {
			const seed = seedOf('PRODUCT');
			process.stdout.write(`schedules of credits: PRODUCT_SEED=${seed}, ${SCHEDULES} runs\n`);
			await fc.assert(
				fc.asyncProperty(schedule, async (plan) => {
					bench.sandbox.resetCounts();
					timeoutMs = SHORT_MS;
					// No order of an earlier schedule is remembered, nor a 429.
					passProcessTime(10 * MINUTE);
					furnishBoth(plan);
					const first = await run(plan, plan.tries);
					expectHonest(plan, first);
					expectSentOnce();
					for (const count of Object.values(credits())) expect(count).toBe(1);

					bench.sandbox.faults.clear();
					// What has failed at the service may be ordered again by another run.
					if (plan.result === 'ERROR') return;
					passTime(5 * MINUTE);
					passProcessTime(5 * MINUTE);
					timeoutMs = LONG_MS;
					const second = await run(plan, 1);
					expect(second.items).toHaveLength(plan.listings.length);
					expectHonest(plan, second);
					const spent = [...plan.listings, ...plan.activeBefore].map(listingId);
					const before = [...OTHER_LISTINGS, ...plan.activeBefore.map(listingId)];
					expect(second.items.every(({ json }) => 'outcome' in json)).toBe(!plan.showsOthers);
					expect(credits()).toEqual(
						Object.fromEntries(
							(plan.showsOthers ? before : spent).map((listing) => [String(listing), 1]),
						),
					);
				}),
				{ numRuns: SCHEDULES, seed },
			);
		},
		300_000 + SCHEDULES * 1_000,
	);
});

/** Another POST for a listing is sent only if the service certainly did not take the one before. */
function expectSentOnce(): void {
	for (const statuses of answers.values()) {
		for (const status of statuses.slice(0, -1))
			expect([400, 401, 403, 404, 409, 429]).toContain(status);
	}
}

const OF_THIS_RUN = ['activated', 'pending', 'scheduled'];

const NOT_SPENT = /Nothing was ordered|no credit was spent|did not accept the order/;

/**
 * An item that went well is paid for and of its listing. One that says that this run spent nothing on it is right, and so
 * is one that says that this run did. A failed one tells nothing secret.
 */
function expectHonest({ listings, activeBefore }: Schedule, result: NodeRun): void {
	const spent = credits();
	const { error } = result;
	const failed = error && {
		item: Number(error.context.itemIndex),
		json: { error: error.message, message: error.description },
	};
	const items = result.items.map(({ json, pairedItem }) => ({
		item: (pairedItem as { item: number }).item,
		json,
	}));
	for (const { item, json } of [...items, ...(failed ? [failed] : [])]) {
		const listing = listings[item] ?? 0;
		const credit = spent[String(listingId(listing))] ?? 0;
		if (!('outcome' in json)) {
			if (!NOT_SPENT.test(`${textOf(json.error)} ${textOf(json.message)}`)) continue;
			expect(answers.get(String(listingId(listing)))?.at(-1) ?? 400).toBeGreaterThanOrEqual(400);
			if (credit > 0) expect(activeBefore).toContain(listing);
			continue;
		}
		const told = textOf(json.listingId ?? json.customerListingId);
		expect([String(listingId(listing)), customerId(listing)]).toContain(told);
		expect(credit).toBe(1);
		if (OF_THIS_RUN.includes(textOf(json.outcome))) {
			expect(answers.has(String(listingId(listing)))).toBe(true);
		}
	}
	const shown = visibleText(result);
	const { clientSecret } = bench.sandbox.productsClient;
	for (const secret of [clientSecret, ...bench.sandbox.tokens.byValue.keys()]) {
		expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
	}
}
