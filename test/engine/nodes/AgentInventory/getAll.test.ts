import { describe, expect, it } from '@jest/globals';

import { InventoryBench, propertyIdsOf } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

describe('search', () => {
	it.each(['address', 'text'])(
		'by %s brings whole records, by a postcode without its space',
		async (searchBy) => {
			const [house] = bench.fill(3);
			Object.assign(house?.address ?? {}, { postcode: 'ZZ1 2CD' });

			const { items } = await bench.run({ operation: 'search', searchBy, query: ' zz12cd\u200b' });

			expect(items.map(({ json }) => json)).toEqual([house]);
			expect(bench.dataRequests).toHaveLength(2);
			expect(Object.values(bench.queries[0] ?? {})).toContainEqual(['zz1 2cd']);
		},
	);

	it('without whole records has the columns that its rows can fill, and no others', async () => {
		bench.fill(3);
		const search = { operation: 'search', query: 'a', simplify: true };

		const { items } = await bench.run({ ...search, options: { wholeRecords: false } });

		expect(Object.keys(items[0]?.json ?? {})).toEqual(['address', 'postcode', 'id']);
	});

	it('says what it found nothing for', async () => {
		const { hints } = await bench.run({ operation: 'search', query: 'No such place' });

		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^No property matches “No such place”/),
		]);
	});
});

describe('get many', () => {
	it('with whole records of 1,200 properties takes 5 requests for the list and 24 for the records', async () => {
		const properties = bench.fill(1_200);
		const options = { wholeRecords: true };

		const { items } = await bench.run({ operation: 'getAll', returnAll: true, options });

		expect(items.map(({ json }) => json)).toEqual(properties);
		expect(bench.dataRequests).toHaveLength(5 + 24);
	});

	it('takes a switch as text, and options that an expression leaves empty', async () => {
		bench.fill(600);

		const run = await bench.run({
			operation: 'getAll',
			returnAll: '={{ "true" }}',
			filters: { archived: '={{ "False" }}' },
			options: '={{ null }}',
		});

		expect(run.items.length).toBeGreaterThan(500);
		expect(bench.queries[0]).toEqual({ archived: ['false'], 'max-results': ['250'] });
	});

	it.each([
		['left empty', { createdFrom: '' }, '“Created From” is empty'],
		['made of blanks', { recordType: ' \u200b\u00a0' }, '“Record Type” is empty'],
		['that an expression leaves empty', { ownerId: '={{ null }}' }, '“Owner ID” is empty'],
	])('refuses a filter %s, instead of returning all properties', async (_, filters, message) => {
		const run = await bench.run({ operation: 'getAll', filters });

		expect(run.error?.message).toBe(message);
		expect(run.error?.description).toContain('remove this filter');
		expect(bench.queries).toEqual([]);
	});

	it.each([
		['a list', ['LetAgreed', 'Available'], ['LetAgreed', 'Available']],
		['commas', 'LetAgreed, Available', ['LetAgreed', 'Available']],
		[
			'one choice for several',
			['onTheMarket', 'Available'],
			['Available', 'LetMarketing', 'UnderOfferAvailable', 'UnderOfferMarketing'],
		],
	])('with statuses as %s asks for each, and keeps their order', async (_, status, asked) => {
		const properties = bench.fill(300);
		const filters = { status };

		const run = await bench.run({ operation: 'getAll', returnAll: true, filters });

		expect(bench.queries.map((query) => query['inventory-status']?.[0]).sort()).toEqual(
			[...asked].sort(),
		);
		expect(propertyIdsOf(run)).toEqual(
			asked.flatMap((each) =>
				properties.filter(({ inventoryStatus }) => inventoryStatus === each).map(({ id }) => id),
			),
		);
	});
});
