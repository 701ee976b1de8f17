import fc from 'fast-check';

import type { Sandbox } from './sandbox';

type Fault = Parameters<Sandbox['faults']['add']>[0];

/** A run of Agent Products and what goes wrong in it. */
export interface Schedule {
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

/**
 * A 4xx is the service’s word that it took nothing, 408 aside; every other fault comes before or
 * after it did the work.
 */
export const schedule: fc.Arbitrary<Schedule> = fc.record({
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

/** Puts the sandbox into the state in which the run of a schedule begins. */
export function furnish(
	sandbox: Sandbox,
	clientId: string,
	{ resource, activeBefore, isQuick, result, duplicates, location, faults }: Schedule,
): void {
	sandbox.products.clear();
	sandbox.faults.clear();
	const product = resource === 'premiumListing' ? 'premium-listings' : 'weekly-featured-properties';
	for (const listingId of activeBefore) {
		const { id } = sandbox.products.activate(product, { listingId }, clientId);
		sandbox.products.settle(id);
	}
	// Else it would count as made by the run itself, whose clock has whole seconds.
	sandbox.advance(60_000);
	const settleAfterMs = isQuick ? 0 : null;
	sandbox.products.configure({ settleAfterGets: 0, settleAfterMs, result, duplicates, location });
	for (const fault of faults) sandbox.faults.add(fault);
}

/** Credits by listing, over both products. */
export function creditsByListing({ counts }: Sandbox): Record<string, number> {
	const { creditsBy } = counts;
	return { ...creditsBy['premium-listings'], ...creditsBy['weekly-featured-properties'] };
}
