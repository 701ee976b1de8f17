import { describe, expect, it } from '@jest/globals';
import { visibleText } from '../../../../lab/engine/leads';
import { firstIdOf, outcomesOf } from '../../../../lab/engine/products';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';

const bench = useQuickProducts();

describe('activate', () => {
	it('orders once, waits for the result and tells the outcome', async () => {
		const run = await bench.run();

		expect(run.items).toMatchObject([
			{
				json: {
					id: expect.any(String),
					listingId: 123,
					outcome: 'activated',
					status: { result: 'ACTIVATED' },
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
		expect(bench.credits).toBe(1);
		expect(bench.tokens).toBe(1);
	});

	it('sends the listing, the highlights and the custom details as the service wants them', async () => {
		const run = await bench.run({
			listingId: ' 0123 ',
			highlights: { highlight: [{ id: '7', description: ' Near the river ' }, { id: 8 }] },
			customDetails: '{ "order": "2041" }',
			waitForResult: false,
		});

		expect(run.items[0]?.json).toMatchObject({
			listingId: 123,
			highlights: [
				{ id: 7, description: 'Near the river', key: 'highlight-7' },
				{ id: 8, key: 'highlight-8' },
			],
			customDetails: { order: '2041' },
			outcome: 'pending',
		});
		expect(bench.exchanges).toEqual(['GET 200', 'POST 202']);
	});

	it.each(['', '{}', ' { } '])('sends no custom details for %j', async (customDetails) => {
		await bench.run({ customDetails, waitForResult: false });

		const [sent] = bench.sandbox.products.list('premium-listings');

		expect(sent?.shown).not.toHaveProperty('customDetails');
	});

	it('takes the ID of the agency’s own software', async () => {
		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR-1' });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('knows weekly featured properties, which have no highlights', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });

		const run = await bench.run({
			resource: 'weeklyFeaturedProperty',
			highlights: { highlight: [{ id: 1 }] },
		});

		expect(run.items[0]?.json).toMatchObject({ outcome: 'scheduled', isRenewable: true });
		expect(bench.sandbox.counts.creditsBy).toEqual({ 'weekly-featured-properties': { 123: 1 } });
	});
});

describe('a listing that has one already', () => {
	const existing = async (
		result: 'PENDING' | 'ACTIVATED' | 'SCHEDULED' | 'ERROR' | 'DEACTIVATED',
		resource = 'premiumListing',
	) => {
		const { products } = bench.sandbox;
		products.configure({ settleAfterGets: null });
		const run = await bench.run({ resource, waitForResult: false });
		products.configure({ settleAfterGets: 0 });
		const id = firstIdOf(run);
		if (result === 'DEACTIVATED') {
			products.settle(id, { result: 'ACTIVATED' });
			bench.sandbox.advance(40 * 24 * 3_600_000);
		} else if (result !== 'PENDING') products.settle(id, { result });
		return id;
	};

	it.each([
		['PENDING', 'alreadyPending'],
		['ACTIVATED', 'alreadyActive'],
		['SCHEDULED', 'alreadyScheduled'],
	] as const)('as %s is not ordered again', async (result, outcome) => {
		for (const resource of ['premiumListing', 'weeklyFeaturedProperty']) {
			const id = await existing(result, resource);
			const before = bench.credits;
			bench.sandbox.advance(60_000);
			const run = await bench.run({ resource });
			expect(run.items[0]?.json).toMatchObject({ id, outcome });
			expect(bench.exchanges.slice(-1)).toEqual(['GET 200']);
			expect(bench.credits).toBe(before);
			expect(run.hints).toEqual([]);
		}
		expect(bench.credits).toBe(2);
	});

	it.each(['ERROR', 'DEACTIVATED'] as const)('as %s is ordered', async (result) => {
		await existing(result);

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});

	it('twice among the items is ordered once, and both have the result', async () => {
		const run = await bench.activate([1, '2', 2, ' 2 ']);

		expect(outcomesOf(run)).toEqual(Array(4).fill('activated'));
		expect(new Set(run.items.map(({ json }) => json.id)).size).toBe(2);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(run.hints[0]?.message).toMatch(/listing 2: 3 items asked for it/);
		expect(bench.credits).toBe(2);
	});
});

describe('an activation that fails', () => {
	it.each([
		[1_021_004, 'array', 'the listing has too few images', /add images/],
		[1_021_005, 'object', 'the listing’s full description is too short', /200 characters/],
		[1_021_006, 'array', 'the agency’s contract does not include this product', /contract/],
		[1_011_901, 'array', 'this client ID has no access to the listing', /one of this agency/],
		[1_011_051, 'array', 'the service does not know the listing', /on the portal/],
		[1_021_999, 'array', 'the service could not fulfil the order', /correct what the service/],
	] as const)(
		'names the reason of code %d, given as an %s',
		async (code, errorsAs, problem, remedy) => {
			const errors = [{ reason: 'As the register has it', code }];
			bench.sandbox.products.configure({ result: 'ERROR', errors, errorsAs });

			const { error } = await bench.run();

			expect(error?.message).toBe(
				`Premium listing for listing 123 was ordered, but not activated: ${problem}`,
			);
			expect(error?.description).toMatch(remedy);
			expect(error?.description).toContain(`“As the register has it” (code ${code})`);
		},
	);

	it('is one failed item among good ones if the node continues', async () => {
		bench.failPost({ kind: 'status', status: 403, after: 1, times: 2 });

		const run = await bench.activate([1, 2, 3], {}, { onError: 'continueErrorOutput' });

		expect(outcomesOf(run)).toEqual(['activated', 'activated']);
		expect(run.outputs[1]?.[0]?.json.error).toMatch(
			/^Premium listing for listing 2 was not activated: The service refused access/,
		);
	});

	it('ends the step before another order goes out, if the node stops', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });

		const { error } = await bench.activate([1, 2, 3]);

		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(error?.description).toMatch(
			/Ordered in this run so far: Premium listing for listing 1 \([-0-9a-f]{36}\)\./,
		);
		expect(bench.credits).toBe(1);
	});

	it('names five of those that were ordered, and counts the rest', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 7 });

		const { error } = await bench.activate([1, 2, 3, 4, 5, 6, 7, 8]);

		expect(error?.description).toMatch(
			/; Premium listing for listing 5 \([-0-9a-f]{36}\) and 2 more\./,
		);
	});

	it('names what is in doubt beside it', async () => {
		bench.failPost({ kind: 'reset' });
		bench.failPost({ kind: 'status', status: 400, after: 1 });

		const run = await bench.activate([1, 2], {}, { onError: 'continueRegularOutput' });

		expect(run.items[1]?.json.message).toContain(
			'Ordered in this run so far: Premium listing for listing 1 (in doubt).',
		);
	});

	it('shows no secret and no token', async () => {
		const { clientSecret } = bench.sandbox.productsClient;
		const errors = [{ reason: `bad ${clientSecret}`, code: 1_021_999 }];
		bench.sandbox.products.configure({ result: 'ERROR', errors });

		const run = await bench.run();

		expect(visibleText(run)).not.toContain(JSON.stringify(clientSecret).slice(1, -1));
		for (const token of bench.sandbox.tokens.byValue.keys()) {
			expect(visibleText(run)).not.toContain(token);
		}
	});
});

describe('several items', () => {
	it('of a listing that fails all have the error', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });
		const run = await bench.activate([5, 5], {}, { onError: 'continueRegularOutput' });

		const error = expect.stringMatching(
			/^Premium listing for listing 5 was ordered, but not activated: /,
		);

		expect(run.items).toMatchObject([
			{ json: { error }, pairedItem: { item: 0 } },
			{ json: { error }, pairedItem: { item: 1 } },
		]);
		expect(bench.credits).toBe(1);
	});

	it('of a listing that is refused all have the error', async () => {
		bench.failPost({ kind: 'status', status: 400, times: Infinity });

		const run = await bench.activate([5, 5], {}, { onError: 'continueRegularOutput' });

		expect(run.items.map(({ json }) => json.error)).toEqual(
			Array(2).fill(
				'Premium listing for listing 5 was not activated: The service refused the request (400)',
			),
		);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 400']);
	});

	it('that are paid for are named by the error that ends the step', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 2 });
		const { error } = await bench.activate([1, 2, 3]);

		const ids = bench.sandbox.products.list('premium-listings').map(({ shown }) => shown.id);

		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(error?.description).toContain(
			`Ordered in this run so far: Premium listing for listing 1 (${ids[0]}); Premium listing for listing 2 (${ids[1]}).`,
		);
	});

	it('of one listing are one order, whichever account they are for', async () => {
		const input = bench.useTwoClients();

		const run = await bench.run({}, { input });

		expect(outcomesOf(run)).toEqual(['activated', 'activated']);

		const lists = bench.productRequests.filter(({ query }) => 'listingId' in query);

		expect(lists.map(({ clientId }) => clientId)).toEqual(['products-client']);
		expect(bench.credits).toBe(1);
	});

	describe('with listing IDs of both types', () => {
		const input = [
			{ json: { type: 'customer', listing: 'OUR-1' } },
			{ json: { type: 'listing', listing: listingOf('OUR-1') } },
		];
		const given = { listingIdType: '={{ $json.type }}', listingId: '={{ $json.listing }}' };
		const message = '“Listing ID Type” must be the same for all items';

		it('order nothing', async () => {
			const { error } = await bench.run(given, { input });

			expect(error?.message).toBe(message);
			expect(error?.context).toMatchObject({ itemIndex: 1, code: 'field' });
			expect(error?.description).toContain('Nothing was ordered.');
			expect(bench.exchanges).toEqual([]);
		});

		it('order those of the first type if the node continues', async () => {
			const run = await bench.run(given, { input, onError: 'continueRegularOutput' });

			expect(outcomesOf(run)).toEqual(['activated', undefined]);
			expect(run.items[1]?.json.error).toBe(message);
			expect(bench.credits).toBe(1);
		});
	});
});
