import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { leadAddress } from '../../../../../service/inventory/match/leadAddress';
import {
	dwellingOf,
	isSameAddress,
	localityOf,
	mayBeAt,
	postcodeOf,
	streetOf,
} from '../../../../../service/inventory/match/sameAddress';

/** A property by its flat, its number or name and its street. */
function property(
	subDwelling: string | null,
	nameNo: string | null,
	street: string | null,
	more: IDataObject = {},
): IDataObject {
	const place = { locality: 'Old Quarter', town: 'Littleford', county: 'Northmereshire' };
	return { address: { subDwelling, nameNo, street, ...place, postcode: 'CD2 5GH', ...more } };
}

const HOUSE = property(null, '14', 'Mill Lane');
const FLAT = property('Flat 2', '14', 'Mill Lane');
const NAMED = property(null, 'Rose Cottage', 'Mill Lane');
const LETTER = property(null, '14A', 'Mill Lane');
const RANGE = property(null, '1-3', 'Mill Lane');

function isSame(line: string, of: IDataObject): boolean {
	return isSameAddress(leadAddress(line), of);
}

describe('a property is at the address of a lead', () => {
	it.each<[string, IDataObject]>([
		['14 Mill Lane, Old Quarter, Littleford, CD2 5GH', HOUSE],
		['14, Mill Lane, Littleford, CD2 5GH', HOUSE],
		['14 MILL LANE LITTLEFORD CD25GH', HOUSE],
		['14 Mill Ln., Littleford, cd2  5gh', HOUSE],
		['14 Mill Lane, Somewhere Else, CD2 5GH', HOUSE],
		['14 Mill Lane, Littleford, CD2 5GH, United Kingdom', HOUSE],
		['14, CD2 5GH', HOUSE],
		['14, Old Quarter, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Littleford', HOUSE],
		['14 Mill Lane, Old Quarter, Littleford, England', HOUSE],
		[
			'14 Mill Lane, Flat Holm, CD2 5GH',
			property(null, '14', 'Mill Lane', { locality: 'Flat Holm' }),
		],
		['14 Mill Lane, Wing, Littleford, CD2 5GH', HOUSE],
		['East Wing, 14 Mill Lane, CD2 5GH', property('East Wing', '14', 'Mill Lane')],
		['Bed-sit, 14 Mill Lane, CD2 5GH', property('Bed Sit', '14', 'Mill Lane')],
		['14 Mill Lane Littleford', HOUSE],
		['14 MILL LANE LITTLEFORD NORTHMERESHIRE CD2 5GH', HOUSE],
		['Flat 2, 14 Mill Lane, Littleford, CD2 5GH', FLAT],
		['Flat 2\n14 Mill Lane\nLittleford\nCD2 5GH', FLAT],
		['FLAT 2 14 Mill Lane, CD2 5GH', property(null, 'Flat 2, 14', 'Mill Lane')],
		['Flat 2, Rose House, 14 Mill Lane, CD2 5GH', property('Flat 2', 'Rose House', '14 Mill Lane')],
		['Apt. 2, 14 Mill Lane, CD2 5GH', property('Apartment 2', '14', 'Mill Lane')],
		['Rose Cottage, Mill Lane, Littleford, CD2 5GH', NAMED],
		['rose-cottage Mill Lane, CD2 5GH', NAMED],
		['Rose Cottage, Littleford, CD2 5GH', property(null, 'Rose Cottage', null)],
		['Rose Cottage Littleford, CD2 5GH', property(null, 'Rose Cottage', null)],
		['14 a Mill Lane, CD2 5GH', LETTER],
		['14-A Mill Lane, CD2 5GH', LETTER],
		['14a, Mill Lane, CD2 5GH', property(null, '14 A', 'Mill Lane')],
		['1 – 3 Mill Lane, CD2 5GH', RANGE],
		['3 St Mary’s Rd, CD2 5GH', property(null, '3', "Saint Marys' Road")],
		['3 Heol y Dŵr, CD2 5GH', property(null, '3', 'Heol y Dwr')],
		['14/2 Mill Lane, CD2 5GH', property(null, '14/2', 'Mill Lane')],
	])('%j', (line, of) => {
		expect(isSame(line, of)).toBe(true);
	});
});

describe('a property is not at the address of a lead', () => {
	it.each<[string, IDataObject]>([
		['14 Mill Lane, Littleford, CD2 5GJ', HOUSE],
		['14 Mill Lane, Littleford, CD2 5GH', property(null, '14', 'Mill Lane', { postcode: null })],
		['14 Mill Lane, Littleford, CD2 5GH', FLAT],
		['Flat 2, 14 Mill Lane, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Bedsit, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Duplex, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Cellar, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, East Wing, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Bed-sit, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, The Cellars, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Triplex, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Maisonnette, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Mezzanine, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Upstairs, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Lower Ground, Littleford, CD2 5GH', HOUSE],
		['Flat 2, 14 Mill Lane, CD2 5GH', property('Flat 2', null, 'Mill Lane')],
		['Flat 2, CD2 5GH', FLAT],
		['Flat 2, CD2 5GH', property('Flat 2', null, 'Mill Lane')],
		['Flat 3, 14 Mill Lane, CD2 5GH', FLAT],
		['2, 14 Mill Lane, CD2 5GH', FLAT],
		['1 Mill Lane, CD2 5GH', HOUSE],
		['114 Mill Lane, CD2 5GH', HOUSE],
		['14a Mill Lane, CD2 5GH', HOUSE],
		['14 a Mill Lane, CD2 5GH', HOUSE],
		['14½ Mill Lane, CD2 5GH', HOUSE],
		['14.5 Mill Lane, CD2 5GH', HOUSE],
		['14/2 Mill Lane, CD2 5GH', HOUSE],
		['14 & 16 Mill Lane, CD2 5GH', HOUSE],
		['14 to 16 Mill Lane, CD2 5GH', HOUSE],
		['14-16 Mill Lane, CD2 5GH', HOUSE],
		['1 Mill Lane, CD2 5GH', RANGE],
		['1-3 Mill Lane, CD2 5GH', property(null, '1', 'Mill Lane')],
		['3 Mill Lane, CD2 5GH', RANGE],
		['Rose, Mill Lane, CD2 5GH', NAMED],
		['Rose Cottage, Mill Lane, CD2 5GH', property(null, 'Rose', 'Mill Lane')],
		['Rose Cottage, Mill Lane, CD2 5GH', property(null, 'Rose Cottage', null)],
		['Rose Cottage, Littleford', property(null, 'Rose Cottage', null)],
		['14 Mill Road, CD2 5GH', HOUSE],
		['14 Mill Lane Cottages, CD2 5GH', HOUSE],
		['14 Church Lane, CD2 5GH', HOUSE],
		['Mill Lane, CD2 5GH', HOUSE],
		['Mill Lane, CD2 5GH', property(null, null, 'Mill Lane')],
		['1st Avenue, CD2 5GH', property(null, null, '1st Avenue')],
		['CD2 5GH', HOUSE],
		['', HOUSE],
		['14 Mill Lane', HOUSE],
		['14 Mill Lane, Bath', HOUSE],
		['14 Mill Lane, Flat 2, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Annexe, CD2 5GH', HOUSE],
		['14 Mill Lane Littleford Flat 2, CD2 5GH', HOUSE],
		['14 Mill Lane, B, Littleford, CD2 5GH', HOUSE],
		['14 Mill Lane, Littleford, First Floor', HOUSE],
		['14 Mill Lane, Netherby, Littleford', HOUSE],
		[
			'14 Church Park, CD2 5GH',
			property(null, '14', 'Mill Lane', { locality: 'Church Green', town: 'Park End' }),
		],
		[
			'14 Mill Green, Littleford, CD2 5GH',
			property(null, '14', 'Mill Lane', { locality: 'Mill Green' }),
		],
		['14 Mill Lane, Littleford Park, Bath', HOUSE],
		['14, Littleford', HOUSE],
		['14 Mill Lane, Littleford', property(null, '14', 'Mill Lane', { town: null })],
		['14 Mill Lane, CD2 5GH', {}],
		['14 Mill Lane, CD2 5GH', { address: null }],
		['14 Mill Lane, CD2 5GH', { address: { nameNo: {}, postcode: ['CD2 5GH'] } }],
	])('%j', (line, of) => {
		expect(isSame(line, of)).toBe(false);
	});
});

describe('a property may be at the address of a lead', () => {
	it.each<[string, IDataObject]>([
		['14 Mill Lane, Littleford, CD2 5GH', HOUSE],
		['Mill Lane, Littleford, CD2 5GH', HOUSE],
		['Mill Lane, Old Quarter, Littleford', HOUSE],
		['Littleford', HOUSE],
		['CD2 5GH', HOUSE],
		['', HOUSE],
		['Mill Lane, Littleford, CD2 5GH', FLAT],
		['Great Mill Lane, Littleford, CD2 5GH', HOUSE],
		['Rose Cottage, Littleford, CD2 5GH', property(null, 'Rose Cottage', null)],
		['Mill Lane, Littleford, CD2 5GH', property(null, '14', 'Mill Lane', { postcode: null })],
		['Mill Lane, Somewhere, CD2 5GH', HOUSE],
		['Mill Lane, Wing, CD2 5GH', HOUSE],
		['Mill Lane', property(null, '14', 'Mill Lane', { town: null })],
	])('%j', (line, of) => {
		expect(mayBeAt(leadAddress(line), of)).toBe(true);
	});

	it.each<[string, IDataObject]>([
		['Mill Lane, Littleford, CD2 5GJ', HOUSE],
		['15 Mill Lane, Littleford, CD2 5GH', HOUSE],
		['Flat 3, Mill Lane, Littleford, CD2 5GH', FLAT],
		['Mill Lane, East Wing, Littleford, CD2 5GH', HOUSE],
		['Church Lane, Littleford, CD2 5GH', HOUSE],
		['Mill Lane, Bath', HOUSE],
		['Mill Lane', HOUSE],
		['Mill Lane, Bath, CD2 5GH', property(null, '14', 'Mill Lane', { postcode: null })],
	])('and not at %j', (line, of) => {
		expect(mayBeAt(leadAddress(line), of)).toBe(false);
	});
});

describe('the parts of an address that are compared', () => {
	it('are in one spelling', () => {
		const of = property('Apartment 2', '14 A', 'Mill Lane', { postcode: ' cd2  5gh' });

		expect(dwellingOf(of)).toBe('apt 2 14a');
		expect(streetOf(of)).toBe('mill ln');
		expect(postcodeOf(of)).toBe('CD25GH');
	});

	it('have a locality only if no postcode says where it is', () => {
		expect(localityOf(HOUSE)).toBe('');
		expect(localityOf(property(null, '14', 'Mill Lane', { postcode: '' }))).toBe('old quarter');
	});
});
