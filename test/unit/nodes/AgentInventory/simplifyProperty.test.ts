import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import set from 'lodash/set';
import type { IDataObject } from 'n8n-workflow';

import { propertyJson } from '../../../../nodes/common/inventory/simplifyProperty';
import contract from '../../../lab/contract/inventory.json';
import { agencyProperties } from '../../../lab/sandbox/propertyData';
import { seedOf } from '../../../lab/seeds';

const { Hits, Rows, Item } = contract.components.examples;
const [hit] = Hits.value.items;
const [row] = Rows.value.items;
const record: IDataObject = Item.value;
const properties: object[] = agencyProperties(1, 'any', 20);

const simplified = (property: object) => propertyJson({ ...property }, true);

describe('a simplified property', () => {
	it('of a whole record says what an agency acts on, the address first and the ID last', () => {
		expect(Object.entries(simplified(record))).toEqual(
			Object.entries({
				address: '12 Sample Row, Exampleton, AB1 2CD',
				price: 1150,
				rentalFrequency: 'Monthly',
				bedrooms: 2,
				status: 'Available',
				propertyType: 'Terraced house',
				recordType: 'Rent',
				negotiator: 'Kim Harlow',
				branchId: '11',
				owner: 'Mx Alex Fenwick',
				ownerPhone: '07700 900789',
				ownerEmail: 'alex.fenwick@example.com',
				priceQualifier: null,
				bathrooms: 1,
				tenure: 'Freehold',
				archived: false,
				rentalDateAvailable: '2026-04-01T00:00:00Z',
				instructionDate: '2026-02-20T14:05:00Z',
				createdAt: '2026-02-18T08:12:44Z',
				modifiedAt: '2026-03-02T09:30:00Z',
				postcode: 'AB1 2CD',
				uprn: '990000000001',
				ownerId: '321',
				negotiatorId: '42',
				id: '5001',
			}),
		);
	});

	it('has at most 25 columns', () => {
		expect(Object.keys(simplified(record)).length).toBeLessThanOrEqual(25);
	});

	it('has the same columns whichever way it was found, under the same names', () => {
		const whole = simplified(record);

		for (const found of [row, hit, {}]) {
			expect(Object.keys(simplified(found ?? {}))).toEqual(Object.keys(whole));
		}
		expect(simplified(hit ?? {})).toMatchObject({ address: whole.address, id: '5001' });
		expect(simplified(row ?? {})).toMatchObject({
			...{ address: whole.address, id: '5001', branchId: '11', price: null, owner: null },
			...{ recordType: 'Rent', status: 'Available', createdAt: whole.createdAt },
		});
	});

	it.each([
		['UnderOfferMarketing', 'Under Offer, Marketing'],
		['LetAgreed', 'Let Agreed'],
		['SoldByTender', 'Sold by Tender'],
		[undefined, null],
	])('has the status “%s” in plain words', (inventoryStatus, status) => {
		expect(simplified({ inventoryStatus }).status).toBe(status);
	});

	it('names all owners, and reaches them as the agency prefers', () => {
		const owner = (forename: string, phones: object[]) => ({
			name: { forename, surname: 'Fenwick' },
			phoneNumbers: phones,
		});
		const owners = [
			owner('Alex', []),
			owner('Sam', [
				{ preferenceOrder: 2, number: '07700 900002' },
				{ preferenceOrder: 1, number: '07700 900001' },
			]),
		];

		expect(simplified({ owners })).toMatchObject({
			owner: 'Alex Fenwick, Sam Fenwick',
			ownerPhone: '07700 900001',
			ownerEmail: null,
		});
	});

	it('takes the address that is shown to the public if it has no other', () => {
		const displayAddress = 'Sample Row, Exampleton';

		expect(simplified({ address: { street: ' ' }, displayAddress }).address).toBe(displayAddress);
	});

	it('is flat, with the same columns, whatever the service sends', () => {
		const columns = Object.keys(simplified(record));
		const paths = [
			...Object.keys(record),
			...['inventoryId', 'createdAt', 'modifiedAt', 'categoryType'],
			...['address.street', 'owners[0].name', 'owners[0].phoneNumbers', 'owners[0].ownerId'],
			...['owners[0].emailAddresses[0]', 'negotiator.name', 'negotiator.id'],
		];
		const changes = fc.array(fc.tuple(fc.constantFrom(...paths), fc.jsonValue()));

		fc.assert(
			fc.property(fc.nat(20), changes, (which, each) => {
				const property = structuredClone(properties[which] ?? record);
				for (const [path, value] of each) set(property, path, value);

				const result = simplified(property);

				expect(Object.keys(result)).toEqual(columns);
				for (const value of Object.values(result)) {
					expect(value === null || typeof value !== 'object').toBe(true);
				}
			}),
			{ seed: seedOf('PROPERTY'), numRuns: 300 },
		);
	});
});
