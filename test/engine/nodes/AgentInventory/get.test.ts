import { describe, expect, it } from '@jest/globals';

import { inputOf, InventoryBench, propertyIdsOf } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const get = { operation: 'get', propertyId: '={{ $json.id }}' };

const MISSING = 'The service found no such property (404)';

describe('get', () => {
	it('reads one item by its own request, as a plain ID or a choice', async () => {
		const [one] = bench.fill(3);
		const plain = await bench.run({ operation: 'get', propertyId: one?.id ?? '' });
		const locator = { __rl: true, mode: 'list', value: one?.id ?? '' };

		const chosen = await bench.run({ operation: 'get', propertyId: locator });

		expect(plain.items[0]?.json).toMatchObject({ id: one?.id, bedrooms: one?.bedrooms });
		expect(chosen.items).toEqual(plain.items);
		expect(bench.dataRequests.map(({ path }) => path)).toEqual(
			Array(2).fill(`/inventory-api/inventory/${one?.id}`),
		);
	});

	it('reads 100 items in at most 3 requests, each back to its own item', async () => {
		const properties = bench.fill(300);
		const wanted = properties.slice(50, 150).reverse();

		const run = await bench.run(get, { input: inputOf(wanted.map(({ id }) => ({ id }))) });

		expect(propertyIdsOf(run)).toEqual(wanted.map(({ id }) => id));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			wanted.map((_, item) => ({ item })),
		);
		expect(bench.dataRequests.length).toBeLessThanOrEqual(3);
	});

	it('an unknown ID is the error of its item alone', async () => {
		const [one, two] = bench.fill(2);
		const input = inputOf([{ id: one?.id }, { id: 'unknown' }, { id: two?.id }, { id: one?.id }]);

		const run = await bench.run(get, { input, onError: 'continueErrorOutput' });

		expect(run.items.map(({ json }) => json.id)).toEqual([one?.id, two?.id, one?.id]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
			{ item: 3 },
		]);
		expect(run.outputs[1]?.[0]?.json).toMatchObject({ error: MISSING });

		const failed = await bench.run(get, { input });

		expect(failed.error?.message).toBe(MISSING);
	});

	it.each([
		'',
		'  ',
		'.',
		'..',
		'items',
		'Search',
		'5001/photos',
		'..\\5001',
		'50\n01',
		'\ud800',
		null,
		Number.NaN,
		{},
		['5001'],
	])('with “%s” for an ID asks for nothing', async (id) => {
		const run = await bench.run(get, { input: inputOf([{ id }]) });

		expect(run.error?.message).toMatch(/^“Property” (is|has) /);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('gives items that want the same property a copy each', async () => {
		const [one] = bench.fill(2);
		const input = inputOf([{ id: one?.id }, { id: one?.id }]);

		const { items } = await bench.run(get, { input });

		expect(items.map(({ json }) => json)).toEqual([one, one]);
		expect(items[0]?.json).not.toBe(items[1]?.json);
		expect(items[0]?.json.owners).not.toBe(items[1]?.json.owners);
	});
});
