import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeExecutionData } from 'n8n-workflow';

import { shortenBackoff } from './harness/bench';
import type { NodeRun } from './harness/engine';
import { AGENCY, InventoryBench, OTHER_AGENCY } from './harness/inventory';
import { visibleText } from './harness/leads';

let bench: InventoryBench;

beforeEach(async () => {
	bench = await InventoryBench.start();
	shortenBackoff();
});

afterEach(async () => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	await bench.stop();
});

const idsOf = (run: NodeRun) => run.items.map(({ json }) => json.inventoryId ?? json.id);

const fill = (count: number, agencyRef = AGENCY) =>
	bench.sandbox.inventory.fill(agencyRef, count).map((property) => ({ ...property }));

const inputOf = (values: object[]): INodeExecutionData[] =>
	values.map((value) => ({ json: { ...value } }));

const queries = () => bench.dataRequests.map(({ query }) => query);

const agencies = () => bench.dataRequests.map(({ agencyRef }) => agencyRef);

const get = { operation: 'get', propertyId: '={{ $json.id }}' };

describe('get many', () => {
	it('gets 1,200 properties over pages of 250, each once', async () => {
		const properties = fill(1_200);
		const run = await bench.run({ operation: 'getAll', returnAll: true });
		expect(idsOf(run)).toEqual(properties.map(({ id }) => id));
		expect(queries().map((query) => query['max-results'])).toEqual(Array(5).fill(['250']));
		expect(bench.tokens).toBe(1);
	});

	it.each([
		[10, ['10']],
		[250, ['250']],
		[300, ['150', '150']],
	])('with a limit of %d asks for %j', async (limit, sizes) => {
		fill(1_200);
		const run = await bench.run({ operation: 'getAll', limit });
		expect(run.items).toHaveLength(limit);
		expect(queries().map((query) => query['max-results']?.[0])).toEqual(sizes);
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
					branchIds: 'B1, B2',
					ownerId: 'owner-42',
					managementType: 'Managed',
					maintenanceType: 'Landlord',
					createdFrom: '2024-06-01T09:00:00',
					createdTo: '2024-06-30T18:00:00',
					modifiedFrom: '2024-12-01T09:00:00',
					modifiedTo: '2024-12-31T18:00:00',
					instructedFrom: '2024-06-01T00:00:00',
					instructedTo: '2024-06-30T00:00:00',
				},
			},
			{ timezone: 'Europe/London' },
		);
		expect(queries()).toEqual([
			{
				recordType: ['Rent'],
				categoryType: ['Residential'],
				archived: ['false'],
				'inventory-status': ['LetAgreed'],
				branchIds: ['B1', 'B2'],
				'owner-id': ['owner-42'],
				managementType: ['Managed'],
				'maintenance-type': ['Landlord'],
				'created-from': ['2024-06-01T08:00:00Z'],
				'created-to': ['2024-06-30T17:00:00Z'],
				'modified-from': ['2024-12-01T09:00:00Z'],
				'modified-to': ['2024-12-31T18:00:00Z'],
				'instruction-date-from': ['2024-06-01'],
				'instruction-date-to': ['2024-06-30'],
				'max-results': ['50'],
			},
		]);
	});

	it('waits through a 429 in the middle of paging', async () => {
		fill(600);
		bench.sandbox.faults.add({ kind: 'status', status: 429, path: '/inventory/filter', after: 1 });
		const run = await bench.run({ operation: 'getAll', returnAll: true });
		expect(new Set(idsOf(run)).size).toBe(600);
		expect(bench.dataRequests.map(({ status }) => status)).toEqual([200, 429, 200, 200]);
	});

	it('goes on with a new token when the old one ends between two pages', async () => {
		fill(600);
		const token = bench.sandbox.waitForRequest(({ path, status }) => {
			if (!path.endsWith('/filter') || status !== 200) return false;
			bench.sandbox.revokeTokens(bench.clientId);
			return true;
		});
		const run = await bench.run({ operation: 'getAll', returnAll: true });
		await token;
		expect(new Set(idsOf(run)).size).toBe(600);
		expect(bench.dataRequests.map(({ status }) => status)).toEqual([200, 401, 200, 200]);
		expect(bench.tokens).toBe(2);
	});
});

describe('search', () => {
	it('by address follows the other spelling of the page parameters', async () => {
		const properties = fill(4_000);
		const town = properties[0]?.address.town ?? '';
		const run = await bench.run({ operation: 'search', query: town, returnAll: true });
		const expected = properties.filter(({ address }) =>
			Object.values(address).join(' ').toLowerCase().includes(town.toLowerCase()),
		);
		expect(idsOf(run)).toEqual(expected.map(({ id }) => id));
		expect(queries()[0]).toEqual({ address: [town], maxResults: ['250'] });
		expect(Object.keys(queries()[1] ?? {})).toContain('nextToken');
	});

	it('by text takes filters for branches and dates, and leaves out the category', async () => {
		const [first] = fill(300);
		await bench.run({
			operation: 'search',
			searchBy: 'text',
			query: first?.owner.lastName ?? '',
			filters: { category: 'Residential', recordType: 'Sale', branchIds: 'B1,B2' },
		});
		expect(queries()).toEqual([
			{
				query: [first?.owner.lastName],
				recordType: ['Sale'],
				branchIds: ['B1', 'B2'],
				'max-results': ['50'],
			},
		]);
	});
});

describe('get', () => {
	it('reads one item by its own request, as a plain ID or a choice', async () => {
		const [one] = fill(3);
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
		const properties = fill(300);
		const wanted = properties.slice(50, 150).reverse();
		const run = await bench.run(get, { input: inputOf(wanted.map(({ id }) => ({ id }))) });
		expect(idsOf(run)).toEqual(wanted.map(({ id }) => id));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			wanted.map((_, item) => ({ item })),
		);
		expect(bench.dataRequests.length).toBeLessThanOrEqual(3);
	});

	it('an unknown ID is the error of its item alone', async () => {
		const [one, two] = fill(2);
		const input = inputOf([{ id: one?.id }, { id: 'unknown' }, { id: two?.id }, { id: one?.id }]);
		const run = await bench.run(get, { input, onError: 'continueErrorOutput' });
		expect(run.items.map(({ json }) => json.id)).toEqual([one?.id, two?.id, one?.id]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 2 },
			{ item: 3 },
		]);
		expect(run.outputs[1]?.[0]?.json).toMatchObject({
			error: 'The service found no such property (404)',
		});
		const failed = await bench.run(get, { input });
		expect(failed.error?.message).toBe('The service found no such property (404)');
	});

	it('an ID that makes the service refuse a batch does not take the others with it', async () => {
		const properties = fill(20);
		const ids = properties.map(({ id }) => ({ id }));
		bench.sandbox.faults.add({ kind: 'status', status: 400, path: '/inventory/items' });
		const run = await bench.run(get, { input: inputOf(ids) });
		expect(idsOf(run)).toEqual(properties.map(({ id }) => id));
		expect(bench.dataRequests.map(({ status }) => status)).toEqual([400, 200, 200]);
	});

	it.each(['', '  ', '..', 'items', null])('with “%s” for an ID asks for nothing', async (id) => {
		const run = await bench.run(get, { input: inputOf([{ id }]) });
		expect(run.error?.message).toMatch(/^“Property” is /);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('keeps an ID with odd characters inside its own path', async () => {
		const run = await bench.run({ operation: 'get', propertyId: 'a/../b?x=1#y' });
		expect(run.error?.message).toBe('The service found no such property (404)');
		expect(bench.dataRequests.map(({ path }) => path)).toEqual([
			'/inventory-api/inventory/a%2F..%2Fb%3Fx%3D1%23y',
		]);
	});
});

describe('the AgencyRef', () => {
	it('is the credential’s, or each item’s own', async () => {
		const [ours] = fill(2);
		const [theirs] = fill(2, OTHER_AGENCY);
		const run = await bench.run(
			{ ...get, options: { agencyRef: '={{ $json.agency }}' } },
			{ input: inputOf([{ id: ours?.id }, { id: theirs?.id, agency: OTHER_AGENCY }]) },
		);
		expect(idsOf(run)).toEqual([ours?.id, theirs?.id]);
		expect([...agencies()].sort()).toEqual([AGENCY, OTHER_AGENCY]);
		expect(bench.tokens).toBe(1);
	});

	it.each(['AG\r\nX-Other: 1', 'AG\n', 'Ä1', 'AG\u0000'])(
		'cannot bring another header in: %j',
		async (agencyRef) => {
			const run = await bench.run({
				operation: 'getAll',
				options: { agencyRef: `={{ ${JSON.stringify(agencyRef)} + "x\\n y" }}` },
			});
			expect(run.error?.message).toBe('“AgencyRef” holds characters that it cannot have');
			expect(bench.sandbox.requests).toEqual([]);
		},
	);

	it('when wrong costs one more token in five minutes, however often it is tried', async () => {
		for (let tries = 0; tries < 5; tries++) {
			const run = await bench.run({ operation: 'getAll', options: { agencyRef: 'AG9999' } });
			expect(run.error?.message).toBe(
				'The service refused the AgencyRef, or this client may not read properties (403)',
			);
			expect(run.error?.description).toMatch(/Check the AgencyRef/);
		}
		expect(bench.tokens).toBeLessThanOrEqual(2);
		fill(3);
		expect((await bench.run({ operation: 'getAll' })).items).toHaveLength(3);
		expect(bench.tokens).toBeLessThanOrEqual(2);
	});
});

describe('failures', () => {
	it.each([
		[401, 'The service refused the token, a new one too (401)'],
		[404, 'The service found nothing at this address (404)'],
		[500, 'The service cannot answer just now (500)'],
	])('%d says what happened and shows no secret', async (status, message) => {
		bench.sandbox.faults.add({
			kind: 'status',
			status,
			path: '/inventory/filter',
			times: Infinity,
		});
		const run = await bench.run({ operation: 'getAll', options: { maxTries: 2 } });
		expect(run.error?.message).toBe(message);
		const text = visibleText(run);
		for (const secret of [bench.stored.clientSecret, bench.stored.accessToken]) {
			expect(text).not.toContain(secret);
		}
	});

	it.each([
		[{ operation: 'search', query: ' ' }, '“Query” is empty'],
		[{ operation: 'search', query: 'x', limit: 0 }, '“Limit” must be a whole number of at least 1'],
		[
			{ operation: 'getAll', filters: { createdFrom: 'soon' } },
			'“Created From” is not a date and time',
		],
		[{ operation: 'getAll', filters: { branchIds: '1,,2' } }, '“Branch IDs” holds an empty ID'],
	])('%j is refused before any request', async (parameters, message) => {
		const run = await bench.run(parameters);
		expect(run.error?.message).toBe(message);
		expect(bench.sandbox.requests).toEqual([]);
	});
});
