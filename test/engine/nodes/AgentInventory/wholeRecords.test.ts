import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const BATCH = '/inventory-api/inventory/items';

const wholeRecords = (more: INodeParameters = {}): INodeParameters => ({
	operation: 'getAll',
	returnAll: true,
	simplify: true,
	options: { wholeRecords: true },
	...more,
});

/** How many IDs each request for records had; several are under way at once. */
const batches = () =>
	bench.dataRequests
		.filter(({ path }) => path === BATCH)
		.map(({ query }) => query['inventory-id']?.length ?? 0)
		.sort((one, other) => other - one);

describe('whole records', () => {
	it('of 1,200 properties take 5 requests for the list and 24 for the records', async () => {
		const properties = bench.fill(1_200);

		const { items } = await bench.run(wholeRecords());

		expect(items.map(({ json }) => [json.id, json.price, json.bedrooms])).toEqual(
			properties.map(({ id, price, bedrooms }) => [id, price, bedrooms]),
		);
		expect(batches()).toEqual(Array(24).fill(50));
		expect(bench.dataRequests).toHaveLength(5 + 24);
	});

	it('are given as the service has them, with Simplify off', async () => {
		const properties = bench.fill(3);

		const { items } = await bench.run(wholeRecords({ simplify: false }));

		expect(items.map(({ json }) => json)).toEqual(properties);
	});
});

describe('a property that is gone by the time its record is read', () => {
	/** Takes properties away as soon as the list that has them is answered. */
	const afterList = async (change: () => void) =>
		await bench.sandbox.waitForRequest(({ path, status }) => {
			if (!path.endsWith('/filter') || status !== 200) return false;
			change();
			return true;
		});

	it('is left out, and the others come', async () => {
		const ids = bench.fill(60).map(({ id }) => id);
		const properties = bench.sandbox.inventory.of(AGENCY);
		const gone = afterList(() => void properties.splice(10, 2));

		const { items } = await bench.run(wholeRecords());
		await gone;

		expect(items.map(({ json }) => json.id)).toEqual(ids.filter((_, at) => at < 10 || at > 11));
		expect(batches()).toEqual([50, 10]);
	});
});
