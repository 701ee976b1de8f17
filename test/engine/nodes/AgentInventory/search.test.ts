import { describe, expect, it } from '@jest/globals';

import { InventoryBench, propertyIdsOf } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

describe('search', () => {
	it('by address follows the other spelling of the page parameters', async () => {
		const properties = bench.fill(4_000);
		const town = properties[0]?.address.town ?? '';
		const run = await bench.run({ operation: 'search', query: town, returnAll: true });

		const expected = properties.filter(({ address }) =>
			Object.values(address).join(' ').toLowerCase().includes(town.toLowerCase()),
		);

		expect(propertyIdsOf(run)).toEqual(expected.map(({ id }) => id));
		expect(bench.queries[0]).toEqual({ address: [town], maxResults: ['250'] });
		expect(Object.keys(bench.queries[1] ?? {})).toContain('nextToken');
	});

	it('by text takes filters for branches and dates, and leaves out the category', async () => {
		const surname = bench.fill(300)[0]?.owners[0]?.name.surname ?? '';

		const run = await bench.run({
			operation: 'search',
			searchBy: 'text',
			query: surname,
			filters: { category: 'Residential', recordType: 'Sale', branchIds: '11,12' },
		});

		expect(run.items.length).toBeGreaterThan(0);
		expect(bench.queries).toEqual([
			{
				query: [surname],
				recordType: ['Sale'],
				branchIds: ['11', '12'],
				'max-results': ['50'],
			},
		]);
	});
});
