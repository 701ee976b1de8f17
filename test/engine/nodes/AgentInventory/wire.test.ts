import { describe, expect, it } from '@jest/globals';

import { InventoryBench } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

/** What was asked for: the path within the API, and the query. */
const asked = () =>
	bench.dataRequests.map(({ path, query }) => [path.replace('/inventory-api', ''), query]);

describe('Agent Inventory asks in a search', () => {
	const options = { wholeRecords: false };
	const parameters = { operation: 'search', limit: 20, options };

	it('by address with its filters', async () => {
		await bench.run({
			...parameters,
			query: '12 Sample Row, AB1 2CD',
			filters: { recordType: 'Sale', category: 'Commercial', archived: false },
		});

		expect(asked()).toEqual([
			[
				'/inventory',
				{
					...{ address: ['12 Sample Row, AB1 2CD'], recordType: ['Sale'] },
					...{ category: ['Commercial'], archived: ['false'], maxResults: ['20'] },
				},
			],
		]);
	});

	it('by text with its filters, but no category, which that list does not take', async () => {
		await bench.run({
			...parameters,
			searchBy: 'text',
			query: 'Fenwick & Söhne',
			filters: {
				...{ recordType: 'Rent', archived: true, branchIds: '11,12', category: 'Commercial' },
				...{ createdFrom: '2026-01-05T00:00:00', createdTo: '2026-02-05T23:59:59' },
				...{ modifiedFrom: '2026-03-01T08:00:00Z', modifiedTo: '2026-03-29T09:00:00+01:00' },
			},
		});

		expect(asked()).toEqual([
			[
				'/inventory/search',
				{
					...{ query: ['Fenwick & Söhne'], recordType: ['Rent'], archived: ['true'] },
					...{ branchIds: ['11', '12'], 'max-results': ['20'] },
					...{ 'created-from': ['2026-01-05T00:00:00Z'], 'created-to': ['2026-02-05T23:59:59Z'] },
					...{ 'modified-from': ['2026-03-01T08:00:00Z'], 'modified-to': ['2026-03-29T08:00:00Z'] },
				},
			],
		]);
	});

	it.each([
		['address', 'nextToken'],
		['text', 'next-token'],
	])('by %s for the next pages with %s', async (searchBy, token) => {
		bench.fill(3);
		bench.sandbox.inventory.mostOnPage = 1;

		const query = 'shire';
		const { items } = await bench.run({ ...parameters, searchBy, query, returnAll: true });

		expect(items).toHaveLength(3);
		expect(bench.queries.map((each) => each[token]?.[0]?.split('.')[0])).toEqual([
			undefined,
			'1',
			'2',
		]);
	});
});

it.each([
	['a b+ü&c', 'a%20b%2B%C3%BC%26c'],
	['7%2F8', '7%252F8'],
])('Agent Inventory asks for the property %j by its encoded ID', async (propertyId, path) => {
	await bench.run({ operation: 'get', propertyId });

	expect(asked()).toEqual([[`/inventory/${path}`, {}]]);
});

it('Agent Inventory asks with every filter of Get Many', async () => {
	await bench.run(
		{
			...{ operation: 'getAll', limit: 7 },
			filters: {
				...{ recordType: 'Rent', category: 'Residential', archived: false },
				...{ status: 'LetAgreed', branchIds: ['11', '12'], ownerId: '321' },
				...{ managementType: 'FullyManaged', maintenanceType: 'MaintainedByLandlord' },
				...{ createdFrom: '2026-03-01T00:00:00', createdTo: '2026-03-31T00:00:00' },
				...{ modifiedFrom: '2026-03-02T00:00:00', modifiedTo: '2026-04-01T00:00:00' },
				...{ instructedFrom: '2026-03-28T10:00:00', instructedTo: '2026-03-29T10:00:00' },
			},
		},
		{ timezone: 'Europe/London' },
	);

	expect(asked()).toEqual([
		[
			'/inventory/filter',
			{
				...{ recordType: ['Rent'], categoryType: ['Residential'], archived: ['false'] },
				...{ 'inventory-status': ['LetAgreed'], branchIds: ['11', '12'], 'owner-id': ['321'] },
				managementType: ['FullyManaged'],
				'maintenance-type': ['MaintainedByLandlord'],
				...{ 'created-from': ['2026-03-01T00:00:00Z'], 'created-to': ['2026-03-30T23:00:00Z'] },
				...{ 'modified-from': ['2026-03-02T00:00:00Z'], 'modified-to': ['2026-03-31T23:00:00Z'] },
				// The days of an instruction, from their beginning to their end: the clocks go forward on the second one.
				'instruction-date-from': ['2026-03-28T00:00:00Z'],
				'instruction-date-to': ['2026-03-29T22:59:59Z'],
				'max-results': ['7'],
			},
		],
	]);
});

it.each([
	['branch', '/branches'],
	['negotiator', '/negotiators'],
])('Agent Inventory asks for each %s with the size of the page', async (resource, path) => {
	await bench.run({ operation: 'getAll', limit: 7, resource });

	expect(asked()).toEqual([[path, { 'max-results': ['7'] }]]);
});

it('Agent Inventory asks for one page of a list to choose from', async () => {
	await bench.choices('12 Sample Row');
	await bench.choices();
	await bench.branches();

	expect(asked()).toEqual([
		['/inventory/search', { query: ['12 Sample Row'], 'max-results': ['50'] }],
		['/inventory/filter', { 'max-results': ['50'] }],
		['/branches', { 'max-results': ['250'] }],
	]);
});
