import { describe, expect, it } from '@jest/globals';

import { InventoryBench, propertyIdsOf } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

describe('get many', () => {
	it('gets 1,200 properties over pages of 250, each once', async () => {
		const properties = bench.fill(1_200);

		const run = await bench.run({ operation: 'getAll', returnAll: true });

		expect(propertyIdsOf(run)).toEqual(properties.map(({ id }) => id));
		expect(bench.queries.map((query) => query['max-results'])).toEqual(Array(5).fill(['250']));
		expect(bench.tokens).toBe(1);
	});

	it.each([
		[10, ['10']],
		[250, ['250']],
		[300, ['150', '150']],
	])('with a limit of %d asks for %j', async (limit, sizes) => {
		bench.fill(1_200);

		const run = await bench.run({ operation: 'getAll', limit });

		expect(run.items).toHaveLength(limit);
		expect(bench.queries.map((query) => query['max-results']?.[0])).toEqual(sizes);
	});

	it('sends every filter in the service’s own words', async () => {
		await bench.run(
			{
				operation: 'getAll',
				filters: {
					recordType: 'Rent',
					category: 'Residential',
					archived: false,
					status: 'LetAgreed',
					branchIds: '11, 12',
					ownerId: '321',
					managementType: 'FullyManaged',
					maintenanceType: 'MaintainedByLandlord',
					createdFrom: '2024-06-01T09:00:00',
					createdTo: '2024-06-30T18:00:00',
					modifiedFrom: '2024-12-01T09:00:00',
					modifiedTo: '2024-12-31T18:00:00',
					instructedFrom: '2024-02-01T15:30:00',
					instructedTo: '2024-06-30T00:00:00',
				},
			},
			{ timezone: 'Europe/London' },
		);

		expect(bench.queries).toEqual([
			{
				recordType: ['Rent'],
				categoryType: ['Residential'],
				archived: ['false'],
				'inventory-status': ['LetAgreed'],
				branchIds: ['11', '12'],
				'owner-id': ['321'],
				managementType: ['FullyManaged'],
				'maintenance-type': ['MaintainedByLandlord'],
				'created-from': ['2024-06-01T08:00:00Z'],
				'created-to': ['2024-06-30T17:00:00Z'],
				'modified-from': ['2024-12-01T09:00:00Z'],
				'modified-to': ['2024-12-31T18:00:00Z'],
				'instruction-date-from': ['2024-02-01T00:00:00Z'],
				'instruction-date-to': ['2024-06-30T22:59:59Z'],
				'max-results': ['50'],
			},
		]);
	});

	it.each([
		['Europe/London', '2024-03-31T00:30:00', '2024-03-31T00:00:00Z', '2024-03-31T22:59:59Z'],
		['America/New_York', '2024-03-31', '2024-03-31T04:00:00Z', '2024-04-01T03:59:59Z'],
		['America/Santiago', '2024-09-08', '2024-09-08T04:00:00Z', '2024-09-09T02:59:59Z'],
		['America/Havana', '2024-11-02T15:00', '2024-11-02T04:00:00Z', '2024-11-03T03:59:59Z'],
		['America/Havana', '2024-11-03T15:00', '2024-11-03T04:00:00Z', '2024-11-04T04:59:59Z'],
		['Asia/Tokyo', '2024-03-30T20:00:00Z', '2024-03-30T15:00:00Z', '2024-03-31T14:59:59Z'],
	])('asks in %s for the whole day of an instruction on %s', async (timezone, day, from, to) => {
		const filters = { instructedFrom: day, instructedTo: day };

		await bench.run({ operation: 'getAll', filters }, { timezone });

		expect(bench.queries).toMatchObject([
			{ 'instruction-date-from': [from], 'instruction-date-to': [to] },
		]);
	});

	it('finds what was instructed on the last day', async () => {
		const instructed = bench.fill(300).filter(({ instructionDate }) => instructionDate !== null);
		const [last] = instructed
			.map(({ instructionDate }) => instructionDate ?? '')
			.sort()
			.reverse();
		const filters = { instructedTo: last?.slice(0, 10) ?? '' };

		const run = await bench.run({ operation: 'getAll', returnAll: true, filters });

		expect(run.items).toHaveLength(instructed.length);
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
		['made of blanks', { recordType: ' ' }, '“Record Type” is empty'],
		['that an expression leaves empty', { ownerId: '={{ null }}' }, '“Owner ID” is empty'],
	])('refuses a filter %s, instead of returning all properties', async (_, filters, message) => {
		const run = await bench.run({ operation: 'getAll', filters });

		expect(run.error?.message).toBe(message);
		expect(run.error?.description).toContain('remove this filter');
		expect(bench.queries).toEqual([]);
	});

	it('sends a word that is not in its lists, so that the service can say no', async () => {
		const run = await bench.run({ operation: 'getAll', filters: { maintenanceType: 'Landlord' } });

		expect(bench.queries).toMatchObject([{ 'maintenance-type': ['Landlord'] }]);
		expect(run.error?.description).toContain('maintenance-type is unknown');
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

	it('waits through a 429 in the middle of paging', async () => {
		bench.fill(600);
		bench.sandbox.faults.add({ kind: 'status', status: 429, path: '/inventory/filter', after: 1 });

		const run = await bench.run({ operation: 'getAll', returnAll: true });

		expect(new Set(propertyIdsOf(run)).size).toBe(600);
		expect(bench.dataRequests.map(({ status }) => status)).toEqual([200, 429, 200, 200]);
	});

	it('goes on with a new token when the old one ends between two pages', async () => {
		bench.fill(600);
		const token = bench.sandbox.waitForRequest(({ path, status }) => {
			if (!path.endsWith('/filter') || status !== 200) return false;
			bench.sandbox.revokeTokens(bench.clientId);
			return true;
		});
		const run = await bench.run({ operation: 'getAll', returnAll: true });

		await token;

		expect(new Set(propertyIdsOf(run)).size).toBe(600);
		expect(bench.dataRequests.map(({ status }) => status)).toEqual([200, 401, 200, 200]);
		expect(bench.tokens).toBe(2);
	});
});
