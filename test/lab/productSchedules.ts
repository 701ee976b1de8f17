import fc from 'fast-check';

import type { Sandbox } from './sandbox';
import { MINUTE } from './times';

type Fault = Parameters<Sandbox['faults']['add']>[0];

/** A run of Agent Products and what goes wrong in it. */
export interface Schedule {
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
export const OTHER_LISTINGS = [99_999_998, 99_999_999];

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
export const schedule: fc.Arbitrary<Schedule> = fc.record({
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
export function productOf({
	resource,
}: Schedule): 'premium-listings' | 'weekly-featured-properties' {
	return resource === 'premiumListing' ? 'premium-listings' : 'weekly-featured-properties';
}

/** Puts the sandbox into the state in which the run of a schedule begins. */
export function furnish(sandbox: Sandbox, clientId: string, plan: Schedule): void {
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

/** Credits by listing, over both products. */
export function creditsByListing({ counts }: Sandbox): Record<string, number> {
	const { creditsBy } = counts;
	return { ...creditsBy['premium-listings'], ...creditsBy['weekly-featured-properties'] };
}
