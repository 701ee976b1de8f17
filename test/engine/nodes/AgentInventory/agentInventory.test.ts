import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { shortenBackoff } from '../../../lab/engine/bench';
import type { NodeRun } from '../../../lab/engine/engine';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { visibleText } from '../../../lab/engine/leads';

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

/** What an expression may deliver in the place of a value. */
const WRONG_TYPES: Array<[INodeParameters, string]> = [
	[{ operation: 'getAll', filters: { status: '={{ {} }}' } }, '“Status” is not text'],
	[{ operation: 'getAll', filters: { status: '={{ ["Let"] }}' } }, '“Status” is not text'],
	[{ operation: 'getAll', filters: { recordType: '={{ NaN }}' } }, '“Record Type” is not text'],
	[{ operation: 'getAll', filters: { category: '={{ true }}' } }, '“Category” is not text'],
	[
		{ operation: 'getAll', filters: { managementType: '={{ {} }}' } },
		'“Management Type” is not text',
	],
	[{ operation: 'getAll', filters: { branchIds: '={{ NaN }}' } }, '“Branch IDs” holds an empty ID'],
	[{ operation: 'getAll', filters: { branchIds: '={{ {} }}' } }, '“Branch IDs” holds an empty ID'],
	[{ operation: 'getAll', filters: { branchIds: '={{ [] }}' } }, '“Branch IDs” holds an empty ID'],
	[
		{ operation: 'getAll', filters: { archived: '={{ 1 }}' } },
		'“Archived” is neither true nor false',
	],
	...['owner-42', '4.5', '0', '={{ {} }}', '={{ NaN }}', '2147483648'].map(
		(ownerId): [INodeParameters, string] => [
			{ operation: 'getAll', filters: { ownerId } },
			'“Owner ID” must be a whole number of at least 1 and at most 2147483647',
		],
	),
	[
		{ operation: 'getAll', filters: { instructedTo: '={{ [] }}' } },
		'“Instructed To” is not a date and time',
	],
	[
		{ operation: 'getAll', filters: { createdFrom: '={{ 1772000000000000 }}' } },
		'“Created From” is not a date and time',
	],
	[{ operation: 'getAll', returnAll: '={{ "all" }}' }, '“Return All” is neither true nor false'],
	[{ operation: 'getAll', limit: '={{ null }}' }, '“Limit” must be a whole number of at least 1'],
	[{ operation: 'search', query: '={{ {} }}' }, '“Query” is not text'],
	[{ operation: 'search', query: '={{ null }}' }, '“Query” is empty'],
	[{ operation: 'search', query: 'x', searchBy: '={{ null }}' }, '“Search By” is unknown'],
];

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
		expect(queries()).toEqual([
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
		expect(queries()).toMatchObject([
			{ 'instruction-date-from': [from], 'instruction-date-to': [to] },
		]);
	});

	it('finds what was instructed on the last day', async () => {
		const instructed = fill(300).filter(({ instructionDate }) => instructionDate !== null);
		const [last] = instructed
			.map(({ instructionDate }) => instructionDate ?? '')
			.sort()
			.reverse();
		const filters = { instructedTo: last?.slice(0, 10) ?? '' };
		const run = await bench.run({ operation: 'getAll', returnAll: true, filters });
		expect(run.items).toHaveLength(instructed.length);
	});

	it('takes a switch as text, and leaves out what an expression leaves empty', async () => {
		fill(600);
		const run = await bench.run({
			operation: 'getAll',
			returnAll: '={{ "true" }}',
			filters: { archived: '={{ "False" }}', status: '={{ null }}', recordType: ' ', ownerId: '' },
			options: '={{ null }}',
		});
		expect(run.items.length).toBeGreaterThan(500);
		expect(queries()[0]).toEqual({ archived: ['false'], 'max-results': ['250'] });
	});

	it('sends a word that is not in its lists, so that the service can say no', async () => {
		const run = await bench.run({ operation: 'getAll', filters: { maintenanceType: 'Landlord' } });
		expect(queries()).toMatchObject([{ 'maintenance-type': ['Landlord'] }]);
		expect(run.error?.description).toContain('maintenance-type is unknown');
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

	it.each([
		[{}, {}, 50],
		[{ limit: 10 }, {}, 10],
		[{ filters: { recordType: 'Rent' } }, { recordType: ['Rent'] }, 50],
		[{ limit: 60 }, { maxResults: ['60'] }, 60],
		[{ limit: 300 }, { maxResults: ['150'] }, 300],
	])('by address with %j asks for no more than that takes', async (parameters, more, count) => {
		fill(1_200);
		const run = await bench.run({ operation: 'search', query: 'a', ...parameters });
		expect(run.items).toHaveLength(count);
		expect(queries()[0]).toEqual({ address: ['a'], ...more });
	});

	it('by text takes filters for branches and dates, and leaves out the category', async () => {
		const surname = fill(300)[0]?.owners[0]?.name.surname ?? '';
		const run = await bench.run({
			operation: 'search',
			searchBy: 'text',
			query: surname,
			filters: { category: 'Residential', recordType: 'Sale', branchIds: '11,12' },
		});
		expect(run.items.length).toBeGreaterThan(0);
		expect(queries()).toEqual([
			{
				query: [surname],
				recordType: ['Sale'],
				branchIds: ['11', '12'],
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
		expect(run.error?.message).toMatch(/^“Property” is /);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('keeps an ID with odd characters inside its own path', async () => {
		const run = await bench.run({ operation: 'get', propertyId: 'a..b?x=1#y%2F' });
		expect(run.error?.message).toBe('The service found no such property (404)');
		expect(bench.dataRequests.map(({ path }) => path)).toEqual([
			'/inventory-api/inventory/a..b%3Fx%3D1%23y%252F',
		]);
	});

	it('gives items that want the same property a copy each', async () => {
		const [one] = fill(2);
		const input = inputOf([{ id: one?.id }, { id: one?.id }]);
		const { items } = await bench.run(get, { input });
		expect(items.map(({ json }) => json)).toEqual([one, one]);
		expect(items[0]?.json).not.toBe(items[1]?.json);
		expect(items[0]?.json.owners).not.toBe(items[1]?.json.owners);
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
		...WRONG_TYPES,
	])('%j is refused before any request', async (parameters, message) => {
		const run = await bench.run(parameters);
		expect(run.error?.message).toBe(message);
		expect(bench.sandbox.requests).toEqual([]);
	});
});
