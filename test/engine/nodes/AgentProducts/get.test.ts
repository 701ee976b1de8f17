import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('get many', () => {
	const made = async (listingId = 123) => {
		const { items } = await bench.run({ listingId });
		const id = items[0]?.json.id;
		return typeof id === 'string' ? id : '';
	};

	it('gets the activations that pass the filters, newest first, up to the limit', async () => {
		const ids: string[] = [];
		for (const listing of [1, 2, 3]) {
			ids.unshift(await made(listing));
			bench.sandbox.advance(60_000);
		}
		const getAll = async (parameters = {}) => {
			const run = await bench.run({ operation: 'getAll', ...parameters });
			return run.items.map(({ json }) => json.id);
		};

		expect(await getAll()).toEqual(ids);
		expect(await getAll({ limit: 2 })).toEqual(ids.slice(0, 2));
		expect(await getAll({ filters: { listingId: '2' } })).toEqual([ids[1]]);

		bench.sandbox.advance(30 * 24 * 3_600_000);
		const last = await made(4);
		expect(await getAll({ returnAll: true, filters: { activeOnly: true } })).toEqual([last]);
		expect(await getAll({ filters: { activeOnly: false } })).toHaveLength(4);
		expect(
			await getAll({
				filters: { createdFrom: new Date(bench.sandbox.now() - 3_600_000).toISOString() },
			}),
		).toEqual([last]);
	});

	describe.each([
		['premiumListing', 'premium-listings', ['2026-03-02T08:30:00Z', '2026-03-02T20:00:00Z']],
		['weeklyFeaturedProperty', 'weekly-featured-properties', ['2026-03-01', undefined]],
	] as const)('%s by date', (resource, product, [from, to]) => {
		const START = Date.UTC(2026, 2, 2, 8, 30);
		const filters = { createdFrom: '2026-03-02T08:30:00', createdTo: '2026-03-02T20:00:00' };

		/** The listings of what is got. */
		const got = async (chosen: Partial<typeof filters> = filters) => {
			const parameters = { resource, operation: 'getAll', filters: chosen };
			return (await bench.run(parameters)).items.map(({ json }) => json.listingId);
		};

		beforeEach(() => {
			bench.setClock(START - 1_000);
			for (const [listingId, ms] of [1_000, 1_000, 11.5 * 3_600_000 - 1_000, 1_000].entries()) {
				bench.sandbox.products.activate(product, { listingId }, bench.clientId);
				bench.sandbox.advance(ms);
			}
			bench.sandbox.products.activate(product, { listingId: 4 }, bench.clientId);
		});

		afterEach(() => {
			jest.useRealTimers();
		});

		it('has both ends, to the second, and sends them as this product knows them', async () => {
			expect(await got()).toEqual([3, 2, 1]);

			const { date_from, date_to } = bench.productRequests.at(-1)?.query ?? {};

			expect([date_from, date_to]).toEqual([[from], to && [to]]);
		});

		it('has either end alone', async () => {
			expect(await got({ createdFrom: filters.createdFrom })).toEqual([4, 3, 2, 1]);
			expect(await got({ createdTo: filters.createdTo })).toEqual([3, 2, 1, 0]);
			expect(bench.productRequests.at(-1)?.query.date_from).toBeUndefined();
		});
	});
});

it('get gets an activation by its ID', async () => {
	const id = bench.somebodys(123, 'ACTIVATED');

	const run = await bench.run({ operation: 'get', activationId: ` ${id} ` });

	expect(run.items).toMatchObject([
		{ json: { id, status: { result: 'ACTIVATED' } }, pairedItem: { item: 0 } },
	]);
});
