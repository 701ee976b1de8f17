import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { AGENCY, inputOf, InventoryBench } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';
import type { Property } from '../../../lab/sandbox/propertyData';

const bench = useBench(InventoryBench);

/** Where the service has them, so that a test may change them. */
let properties: Property[];
let house: Property;
let flat: Property;

beforeEach(() => {
	bench.fill(40);
	properties = bench.sandbox.inventory.of(AGENCY);
	house = at(0);
	flat = at(1);
	Object.assign(house, { uprn: '0990000000001', recordType: 'Sale', archived: false });
	Object.assign(house.address, { nameNo: '14', street: 'Mill Lane', postcode: 'ZZ1 2CD' });
	Object.assign(flat, { uprn: '990000000002' });
	Object.assign(flat.address, { ...house.address, subDwelling: 'Flat 2' });
});

function at(index: number): Property {
	const property = properties[index];
	if (!property) throw new Error(`no property ${index}`);
	return property;
}

/** The columns of a simplified lead that the node reads. */
function lead(more: IDataObject): IDataObject {
	return {
		uprn: null,
		listingReference: null,
		propertyAddress: null,
		enquiryType: 'ENQUIRY_TYPE_SALES',
		...more,
	};
}

const atHouse = () => `14 Mill Lane, ${house.address.town}, ZZ1 2CD`;

async function find(leads: IDataObject[], parameters: INodeParameters = {}) {
	return await bench.run(
		{ operation: 'findForLead', simplify: true, ...parameters },
		{ input: inputOf(leads), onError: 'continueRegularOutput' },
	);
}

async function found(leads: IDataObject[], parameters?: INodeParameters): Promise<unknown[]> {
	const { items } = await find(leads, parameters);
	return items.map(({ json }) => [json.matchedBy, json.matchCount, json.id]);
}

describe('Find for Lead', () => {
	it('gives one item for each lead, with the same columns, linked to it', async () => {
		const leads = [
			lead({ uprn: 990000000001, propertyAddress: atHouse() }),
			lead({ listingReference: flat.id, propertyAddress: 'zz12cd' }),
			lead({ propertyAddress: '14 MILL LANE, zz1  2cd' }),
			lead({ uprn: 990000000003, propertyAddress: atHouse() }),
			lead({ listingReference: 'EX-1042', propertyAddress: '15 Mill Lane, ZZ1 2CD' }),
			lead({}),
		];

		const { items } = await find(leads);

		expect(items.map(({ json }) => [json.matchedBy, json.matchCount, json.id])).toEqual([
			['uprn', 1, house.id],
			['reference', 1, flat.id],
			['address', 1, house.id],
			[null, 0, null],
			[null, 0, null],
			[null, 0, null],
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(leads.map((_, item) => ({ item })));

		const [columns, ...others] = items.map(({ json }) => Object.keys(json));

		for (const other of others) expect(other).toEqual(columns);
		expect(columns?.slice(0, 3)).toEqual(['matchedBy', 'matchCount', 'address']);
		expect(items[0]?.json).toMatchObject({ price: house.price, bedrooms: house.bedrooms });
		expect(Object.values(items[5]?.json ?? {}).filter(Boolean)).toEqual([]);
	});

	it('asks once for what several leads need', async () => {
		const leads = Array.from({ length: 50 }, () =>
			lead({ uprn: 990000000001, propertyAddress: atHouse() }),
		);

		const { items } = await find(leads);

		expect(items.map(({ json }) => json.id)).toEqual(leads.map(() => house.id));
		expect(bench.queries).toEqual([
			{ query: ['ZZ1 2CD'], 'max-results': ['250'] },
			{ 'inventory-id': [house.id, flat.id] },
		]);
	});

	it('chooses among several records of a property by the enquiry, then what is on the market', async () => {
		const [old, letting, newer] = [at(2), at(3), at(4)];
		for (const each of [old, letting, newer]) {
			Object.assign(each, {
				address: { ...house.address },
				uprn: house.uprn,
				archived: false,
			});
		}
		Object.assign(old, { recordType: 'Sale', archived: true });
		Object.assign(letting, { recordType: 'Rent', archived: true, inventoryStatus: 'Archived' });
		Object.assign(newer, { recordType: 'Sale', inventoryStatus: 'Available' });
		house.inventoryStatus = 'Withdrawn';
		const asking = { uprn: 990000000001, propertyAddress: atHouse() };

		expect(
			await found([
				lead(asking),
				lead({ ...asking, enquiryType: 'ENQUIRY_TYPE_LETTINGS' }),
				lead({ ...asking, enquiryType: 'ENQUIRY_TYPE_UNSPECIFIED' }),
			]),
		).toEqual([
			['uprn', 4, newer.id],
			['uprn', 4, letting.id],
			['uprn', 4, newer.id],
		]);
	});

	it('gives the whole record with Simplify off, and of each item its own copy', async () => {
		const asking = lead({ uprn: 990000000001, propertyAddress: atHouse() });

		const { items } = await find([asking, asking, lead({})], { simplify: false });

		expect(items.map(({ json }) => json)).toEqual([
			{ ...house, matchedBy: 'uprn', matchCount: 1 },
			{ ...house, matchedBy: 'uprn', matchCount: 1 },
			{ matchedBy: null, matchCount: 0 },
		]);
		expect(items[0]?.json.owners).not.toBe(items[1]?.json.owners);
	});

	it.each([
		[
			{ listingDetails: { uprn: 990000000001 } },
			'“UPRN” is empty, and so are “Reference” and “Address”',
		],
		[
			lead({ uprn: '', listingReference: ' ', propertyAddress: '' }),
			'“UPRN” is empty, and so are “Reference” and “Address”',
		],
		[lead({ propertyAddress: { line1: '14 Mill Lane' } }), '“Address” is not text'],
		[lead({ uprn: ['990000000001'] }), '“UPRN” is not text'],
		[lead({ listingReference: true }), '“Reference” is not text'],
		[lead({ propertyAddress: 'ZZ1 2CD', enquiryType: {} }), '“Enquiry Type” is not text'],
	])('%j is refused before any request, and fails no other item', async (bad, message) => {
		const { items } = await find([bad, lead({})]);

		expect(items.map(({ json }) => json.error ?? json.matchedBy)).toEqual([message, null]);
		expect(bench.sandbox.requests).toEqual([]);
	});
});
