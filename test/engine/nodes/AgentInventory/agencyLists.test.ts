import { describe, expect, it } from '@jest/globals';

import { AGENCY, inputOf, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const getMany = { operation: 'getAll' };

describe('get many branches', () => {
	it('gives the branches of the agency, and those that are active alone on request', async () => {
		const all = await bench.run({ ...getMany, resource: 'branch' });

		const filters = { activeOnly: true };
		const active = await bench.run({ ...getMany, resource: 'branch', filters });

		expect(all.items.map(({ json }) => json.name)).toEqual(['North', 'South', 'East', 'West']);
		expect(active.items.map(({ json }) => json.name)).toEqual(['North', 'South', 'East']);
		expect(bench.queries).toEqual([
			{ 'max-results': ['50'] },
			{ activeOnly: ['true'], 'max-results': ['50'] },
		]);
	});
});

describe('get many negotiators', () => {
	it('gives the staff of the agency of each item, with the ID that properties have', async () => {
		const input = inputOf([{ agency: AGENCY }, { agency: OTHER_AGENCY }]);
		const options = { agencyRef: '={{ $json.agency }}' };

		const { items } = await bench.run({ ...getMany, resource: 'negotiator', options }, { input });

		expect(items.slice(0, 3).map(({ json }) => json.id)).toEqual(['41', '42', '43']);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 0, 1, 1, 1].map((item) => ({ item })),
		);
		expect(bench.dataRequests.map(({ agencyRef }) => agencyRef)).toContain(OTHER_AGENCY);
	});

	it('gives as many as the limit says', async () => {
		const run = await bench.run({ ...getMany, resource: 'negotiator', limit: 2 });

		expect(run.items).toHaveLength(2);
		expect(bench.queries).toEqual([{ 'max-results': ['2'] }]);
	});
});

it('an unknown resource is refused before anything is asked', async () => {
	const { error } = await bench.run({ ...getMany, resource: 'office' });

	expect(error?.message).toBe('“Resource” is unknown');
	expect(bench.sandbox.requests).toEqual([]);
});
