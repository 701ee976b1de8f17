import { describe, expect, it } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { inputOf, InventoryBench } from '../../../lab/engine/inventory';
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
