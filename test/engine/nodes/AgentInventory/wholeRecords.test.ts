import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AGENCY, inputOf, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
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

/** What the requests for data were answered with. */
const statuses = () => bench.dataRequests.map(({ status }) => status).sort();

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

	it.each([
		[0, []],
		[1, [1]],
		[50, [50]],
		[60, [50, 10]],
	])('of a list of %d are asked for so: %j', async (count, sizes) => {
		bench.fill(count);

		const { items } = await bench.run(wholeRecords());

		expect(items).toHaveLength(count);
		expect(batches()).toEqual(sizes);
	});

	it('are those of no more properties than the limit says', async () => {
		bench.fill(300);

		const { items } = await bench.run(wholeRecords({ returnAll: false, limit: 3 }));

		expect(items).toHaveLength(3);
		expect(batches()).toEqual([3]);
	});

	it('are given as the service has them, with Simplify off', async () => {
		const properties = bench.fill(3);

		const { items } = await bench.run(wholeRecords({ simplify: false }));

		expect(items.map(({ json }) => json)).toEqual(properties);
	});

	it('are asked of the agency of each item, and linked to the item', async () => {
		const [own, others] = [bench.fill(2), bench.fill(3, OTHER_AGENCY)];
		const options = { wholeRecords: true, agencyRef: '={{ $json.agency }}' };

		const { items } = await bench.run(wholeRecords({ options }), {
			input: inputOf([{ agency: AGENCY }, { agency: OTHER_AGENCY }]),
		});

		expect(items.map(({ json, pairedItem }) => [json.price, pairedItem])).toEqual([
			...own.map(({ price }) => [price, { item: 0 }]),
			...others.map(({ price }) => [price, { item: 1 }]),
		]);
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

	it('may be the only one', async () => {
		bench.fill(1);
		const gone = afterList(() => void bench.fill(0));

		const run = await bench.run(wholeRecords());
		await gone;

		expect(run.error).toBeUndefined();
		expect(run.items).toEqual([]);
	});
});

describe('a request for records', () => {
	it('that fails once is sent again', async () => {
		bench.fill(120);
		bench.sandbox.faults.add({ kind: 'status', status: 503, path: BATCH, after: 1 });

		const { items } = await bench.run(wholeRecords());

		expect(new Set(items.map(({ json }) => json.id)).size).toBe(120);
		expect(statuses()).toEqual([200, 200, 200, 200, 503]);
	});

	it('that is refused for a new token goes on with one', async () => {
		bench.fill(120);
		bench.sandbox.faults.add({ kind: 'status', status: 401, path: BATCH, after: 2 });

		const { items } = await bench.run(wholeRecords());

		expect(items).toHaveLength(120);
		expect(statuses()).toEqual([200, 200, 200, 200, 401]);
		expect(bench.tokens).toBe(2);
	});

	it('that fails stops the node, unless it shall continue', async () => {
		bench.fill(3);
		bench.sandbox.faults.add({ kind: 'status', status: 403, path: BATCH, times: Infinity });

		const { error } = await bench.run(wholeRecords());

		expect(error?.message).toContain('refused the AgencyRef');
	});

	it('that is refused as a whole is asked for one by one, and no property is lost', async () => {
		const ids = bench.fill(8).map(({ id }) => id);
		bench.sandbox.faults.add({ kind: 'status', status: 400, path: BATCH });

		const { items } = await bench.run(wholeRecords());

		expect(items.map(({ json }) => json.id)).toEqual(ids);
		expect(batches()).toEqual([8]);
	});
});
