import { describe, expect, it } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inputOf, InventoryBench, PROPERTY_COLUMNS } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const WHOLE = { options: { wholeRecords: true } };

/** The words that find a property by text and by its address. */
const search = { operation: 'search', query: '={{ $json.postcode }}', returnAll: true };
const getMany = { operation: 'getAll', returnAll: true };

const ROWS: Array<[string, INodeParameters]> = [
	['search by address', search],
	['search by text', { ...search, searchBy: 'text' }],
	['get many', getMany],
];

const RECORDS: Array<[string, INodeParameters]> = [
	...ROWS.map(([name, parameters]): [string, INodeParameters] => [
		`${name}, whole records`,
		{ ...parameters, ...WHOLE },
	]),
	['get', { operation: 'get', propertyId: '={{ $json.id }}' }],
];

/** A property in the middle of others, and all items that come of looking for it in this way. */
async function look(parameters: INodeParameters) {
	const properties = bench.fill(120);
	const property = properties[60];
	if (!property) throw new Error('no properties');
	const { id, address } = property;
	const input = inputOf([{ id, postcode: address.postcode }]);
	const { items } = await bench.run({ ...parameters, simplify: true }, { input });
	const found = items.map(({ json }) => json).filter((json) => json.id === id);
	return { property, items, found };
}

/** What only the whole record tells. */
const OF_RECORD = ['price', 'bedrooms', 'owner', 'ownerPhone', 'negotiator', 'uprn', 'ownerId'];

const picked = (json: IDataObject | undefined, names: string[]) =>
	names.map((name) => json?.[name]);

describe.each([...ROWS, ...RECORDS])('a simplified property, found by %s', (_, parameters) => {
	it('has the documented columns in their order, and the ID of its record', async () => {
		const { property, items, found } = await look(parameters);

		for (const { json } of items) expect(Object.keys(json)).toEqual(PROPERTY_COLUMNS);
		expect(found).toHaveLength(1);
		expect(found[0]).toMatchObject({ postcode: property.address.postcode });
	});
});

describe('the price of a simplified property', () => {
	it.each(ROWS)('is not known by %s alone', async (_, parameters) => {
		const { found } = await look(parameters);

		expect(picked(found[0], OF_RECORD)).toEqual(OF_RECORD.map(() => null));
	});

	it.each(RECORDS)('is known by %s, with all that the record tells', async (_, parameters) => {
		const { property, found } = await look(parameters);
		const { price, bedrooms, negotiatorName, uprn, owners } = property;
		const [owner] = owners;
		const name = Object.values(owner?.name ?? {}).join(' ');
		const phone = owner?.phoneNumbers[0]?.number;

		expect(picked(found[0], OF_RECORD)).toEqual([
			...[price, bedrooms, name, phone, negotiatorName, uprn, owner?.ownerId],
		]);
	});
});

describe('get for several items', () => {
	it('is simplified for those that want it, from one request', async () => {
		const ids = bench.fill(5).map(({ id }) => id);
		const input = inputOf(ids.map((id, index) => ({ id, simplify: index % 2 === 0 })));
		const parameters = { operation: 'get', propertyId: '={{ $json.id }}' };

		const { items } = await bench.run(
			{ ...parameters, simplify: '={{ $json.simplify }}' },
			{ input },
		);

		expect(items.map(({ json }) => json.id)).toEqual(ids);
		expect(items.map(({ json }) => 'owners' in json)).toEqual([false, true, false, true, false]);
		expect(bench.dataRequests).toHaveLength(1);
	});
});
