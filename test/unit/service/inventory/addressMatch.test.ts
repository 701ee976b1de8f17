import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { isSameAddress, leadAddress, mayBeAt } from '../../../../service/inventory/addressMatch';

type Fields = [flat: string | null, number: string | null, street: string | null];

function property([subDwelling, nameNo, street]: Fields, more: IDataObject = {}): IDataObject {
	const place = { locality: 'Old Quarter', town: 'Littleford', county: 'Northmereshire' };
	return { address: { subDwelling, nameNo, street, ...place, postcode: 'CD2 5GH', ...more } };
}

/** An agency's properties: all in one postcode, but for the last ones. */
const PROPERTIES: Record<string, IDataObject> = {
	house: property([null, '14', 'Mill Lane']),
	flat: property(['Flat 2', '14', 'Mill Lane']),
	front: property(['Front', '14', 'Mill Lane']),
	letter: property([null, '14A', 'Mill Lane']),
	range: property([null, '14-16', 'Mill Lane']),
	one: property([null, '1', 'Mill Lane']),
	oneA: property([null, '1 a', 'Mill Lane']),
	named: property([null, 'Rose Cottage', 'Mill Lane']),
	shortName: property([null, 'Rose', 'Mill Lane']),
	streetless: property([null, 'The Old Forge', null]),
	unit: property(['Unit 3', 'Riverside House', 'Mill Lane']),
	shop: property(['Ground Floor Shop', '22-24', 'High Street']),
	apartment: property(['Apartment 5', 'Rose House, 30', 'St. Mary’s Road']),
	welsh: property([null, '3', 'Heol y Dŵr']),
	oneField: property([null, '9 Church Row', null]),
	nameless: property([null, null, 'Mill Lane']),
	numberless: property(['Flat 7', null, 'Mill Lane']),
	wing: property(['East Wing', 'Wing Hall', 'Wing Road'], { locality: 'Wing' }),
	elsewhere: property([null, '14', 'Mill Lane'], { postcode: 'CD2 5GJ', town: 'Netherby' }),
	bare: property([null, '40', 'Mill Lane'], { locality: null, town: null, county: null }),
	unlisted: property([null, '50', 'Mill Lane'], { postcode: null }),
	townless: property([null, '60', 'Mill Lane'], { town: '' }),
};

/** Which of the properties a lead's address names. */
function namedBy(line: string): string[] {
	const address = leadAddress(line);
	return Object.entries(PROPERTIES).flatMap(([name, of]) =>
		isSameAddress(address, of) ? [name] : [],
	);
}

describe('an address names the property', () => {
	it.each<[string, string]>([
		['14 Mill Lane, Old Quarter, Littleford, CD2 5GH', 'house'],
		['14, Mill Lane, Littleford, CD2 5GH', 'house'],
		['14 Mill Lane, Littleford, CD25GH', 'house'],
		['14 mill lane, littleford, cd2  5gh', 'house'],
		['14 MILL LANE LITTLEFORD CD25GH', 'house'],
		['14 MILL LANE LITTLEFORD NORTHMERESHIRE CD2 5GH', 'house'],
		['14 Mill Ln., Littleford, CD2 5GH', 'house'],
		['14 Mill Lane, Mill Lane, Littleford, CD2 5GH', 'house'],
		['14 Mill Lane, CD2 5GH', 'house'],
		['14, CD2 5GH', 'house'],
		['14, Old Quarter, Littleford, CD2 5GH', 'house'],
		['14 Mill Lane, Littleford, Kent, England, CD2 5GH', 'house'],
		['14 Mill Lane, Littleford, Isle of Wight, CD2 5GH', 'house'],
		['14 Mill Lane, Littleford, Exampleshire, CD2 5GH', 'house'],
		['14 Mill Lane, Littleford, CD2 5GH, United Kingdom', 'house'],
		['14 Mill Lane, Littleford', 'house'],
		['14 Mill Lane Littleford', 'house'],
		['14 Mill Lane, Old Quarter, Littleford, England', 'house'],
		['Flat 2, 14 Mill Lane, Littleford, CD2 5GH', 'flat'],
		['FLAT 2 14 Mill Lane, CD2 5GH', 'flat'],
		['Flat 2\n14 Mill Lane\nLittleford\nCD2 5GH', 'flat'],
		['14 Mill Lane, Flat 2, Littleford, CD2 5GH', 'flat'],
		['Flat 2, 14, CD2 5GH', 'flat'],
		['Front, 14 Mill Lane, CD2 5GH', 'front'],
		['14 Mill Lane, Front, Littleford, CD2 5GH', 'front'],
		['14a Mill Lane, CD2 5GH', 'letter'],
		['14 a Mill Lane, CD2 5GH', 'letter'],
		['１４ Mill\u00a0Lane, CD2\u200b 5GH', 'house'],
		['14-A Mill Lane, CD2 5GH', 'letter'],
		['14-16 Mill Lane, CD2 5GH', 'range'],
		['14 – 16 Mill Lane, CD2 5GH', 'range'],
		['1 Mill Lane, CD2 5GH', 'one'],
		['1A Mill Lane, CD2 5GH', 'oneA'],
		['Rose Cottage, Mill Lane, Littleford, CD2 5GH', 'named'],
		['rose-cottage Mill Lane, CD2 5GH', 'named'],
		['Rose Cottage, Littleford, CD2 5GH', 'named'],
		['Rose, Mill Lane, CD2 5GH', 'shortName'],
		['The Old Forge, Littleford, CD2 5GH', 'streetless'],
		['The Old Forge Littleford, CD2 5GH', 'streetless'],
		['Unit 3, Riverside House, Mill Lane, CD2 5GH', 'unit'],
		['Ground Floor Shop, 22-24 High St, CD2 5GH', 'shop'],
		['Apt. 5, Rose House, 30 Saint Marys Rd, Littleford, CD2 5GH', 'apartment'],
		['3 Heol y Dwr, CD2 5GH', 'welsh'],
		['9 Church Row, Littleford, CD2 5GH', 'oneField'],
		['Flat 7, Mill Lane, CD2 5GH', 'numberless'],
		['East Wing, Wing Hall, Wing Road, Wing, CD2 5GH', 'wing'],
		['14 Mill Lane, Netherby, CD2 5GJ', 'elsewhere'],
		['14 Mill Lane, Netherby', 'elsewhere'],
		['40 Mill Lane, CD2 5GH', 'bare'],
		['50 Mill Lane, Littleford', 'unlisted'],
		['60 Mill Lane, CD2 5GH', 'townless'],
	])('%j: %s', (line, name) => {
		expect(namedBy(line)).toEqual([name]);
	});
});

describe('an address that names a part of a house, or something else, names none', () => {
	it.each([
		...['GFF', 'BSMT', 'Rear', 'First Floor', 'The Annexe', 'Annexe', 'Flat 3', 'B', '2', '0/1'],
		...['Basement', 'Bed-sit', 'East Wing', 'The Cellars', 'Upstairs', 'Garden Flat', 'Studio'],
		...['Maisonnette', 'Coach House', 'PF1', 'Land adjoining', 'Somewhere Else', 'Kent House'],
	])('14 Mill Lane with %j', (part) => {
		for (const line of [
			`14 Mill Lane, ${part}, Littleford, CD2 5GH`,
			`${part}, 14 Mill Lane, Littleford, CD2 5GH`,
			`14 ${part}, Mill Lane, Littleford, CD2 5GH`,
			`14 Mill Lane ${part}, CD2 5GH`,
			`14 Mill Lane, Littleford, ${part}, CD2 5GH`,
			`14 Mill Lane, CD2 5GH, ${part}`,
			`14 Mill Lane, ${part}, Littleford`,
			`14 Mill Lane, Littleford, ${part}`,
		]) {
			expect([line, namedBy(line).filter((name) => name === 'house')]).toEqual([line, []]);
		}
	});

	it.each([
		'Flat 3, 14 Mill Lane, CD2 5GH',
		'2, 14 Mill Lane, CD2 5GH',
		'Flat 2, CD2 5GH',
		'Flat 7, CD2 5GH',
		'Flat 7, 9 Mill Lane, CD2 5GH',
		'114 Mill Lane, CD2 5GH',
		'14½ Mill Lane, CD2 5GH',
		'14.5 Mill Lane, CD2 5GH',
		'14/2 Mill Lane, CD2 5GH',
		'14 & 16 Mill Lane, CD2 5GH',
		'14 to 16 Mill Lane, CD2 5GH',
		'16 Mill Lane, CD2 5GH',
		'14 Mill Road, CD2 5GH',
		'14 Mill Lane Cottages, CD2 5GH',
		'14 Church Lane, CD2 5GH',
		'14 Old Quarter, CD2 5GH',
		'Rose House, Mill Lane, CD2 5GH',
		'The Old Forge, Mill Lane, CD2 5GH',
		'The Old Forge, Littleford',
		'Unit 3, Mill Lane, CD2 5GH',
		'Riverside House, Mill Lane, CD2 5GH',
		'22-24 High Street, CD2 5GH',
		'East Wing, CD2 5GH',
		'Mill Lane, CD2 5GH',
		'Mill Lane, Littleford',
		'40 Mill Lane, Littleford, CD2 5GH',
		'50 Mill Lane, Littleford, CD2 5GH',
		'60 Mill Lane, Littleford',
		'14 Mill Lane, Littleford, CD2 5GJ',
		'14 Mill Lane, Littleford Park, Bath',
		'14 Mill Lane',
		'14, Littleford',
		'CD2 5GH',
		'',
		' , ',
	])('%j', (line) => {
		expect(namedBy(line)).toEqual([]);
	});

	it('whatever the service sends in place of an address', () => {
		const odd = [{}, { address: null }, { address: { nameNo: {}, postcode: ['CD2 5GH'] } }];

		for (const of of odd)
			expect(isSameAddress(leadAddress('14 Mill Lane, CD2 5GH'), of)).toBe(false);
	});
});

describe('the property that a reference names', () => {
	it.each<[string, string]>([
		['14 Mill Lane, Littleford, CD2 5GH', 'house'],
		['Mill Lane, Littleford, CD2 5GH', 'house'],
		['Mill Lane, Old Quarter, Littleford', 'house'],
		['Littleford', 'house'],
		['CD2 5GH', 'house'],
		['', 'house'],
		['Mill Lane, Littleford, CD2 5GH', 'flat'],
		['Mill Lane, Flat 2, CD2 5GH', 'flat'],
		['The Old Forge, Littleford, CD2 5GH', 'streetless'],
		['Mill Lane, Littleford, CD2 5GH', 'unlisted'],
		['Mill Lane', 'bare'],
	])('may be at %j: %s', (line, name) => {
		expect(mayBeAt(leadAddress(line), PROPERTIES[name] ?? {})).toBe(true);
	});

	it.each<[string, string]>([
		['Mill Lane, Littleford, CD2 5GJ', 'house'],
		['15 Mill Lane, Littleford, CD2 5GH', 'house'],
		['14 Mill Lane, GFF, Littleford, CD2 5GH', 'house'],
		['Basement, 14 Mill Lane, CD2 5GH', 'house'],
		['Flat 2, Mill Lane, CD2 5GH', 'house'],
		['Flat 3, Mill Lane, CD2 5GH', 'flat'],
		['Church Lane, Littleford, CD2 5GH', 'house'],
		['Mill Lane, Bath', 'house'],
		['Mill Lane', 'house'],
		['Mill Lane, CD2 5GH', 'unlisted'],
	])('is not at %j: %s', (line, name) => {
		expect(mayBeAt(leadAddress(line), PROPERTIES[name] ?? {})).toBe(false);
	});
});

describe('an address is searched for', () => {
	it.each([
		['14 Mill Lane, Littleford, CD2 5GH', 'CD2 5GH'],
		['14 Mill Lane, Littleford, cd25gh', 'CD2 5GH'],
		['14 Mill Lane, AB1 2CD, EF10 3AB', 'EF10 3AB'],
		['14 Mill Lane, EF1A  3AB, England', 'EF1A 3AB'],
		['14 Mill Lane, Littleford', '14 Mill Lane'],
		['Flat 2, 14 Mill Lane, Littleford', 'Flat 2 14 Mill Lane'],
		[' - , 14, Mill Lane', '14 Mill Lane'],
		['Rose Cottage', 'Rose Cottage'],
		[' , .', ''],
		['', ''],
	])('%j: %j', (line, query) => {
		expect(leadAddress(line).query).toBe(query);
	});

	it.each(['14 Mill Lane, CD2', '14 Mill Lane, CD2 5GHX', 'XCD25GH1', '12345 Bath'])(
		'%j, which has no postcode',
		(line) => {
			expect(leadAddress(line).postcode).toBe('');
		},
	);

	it('and read no further than an address may go', () => {
		const accents = '\u0301\u0323'.repeat(5_000_000);

		expect(leadAddress(`14 Mill Lane, CD2 5GH ${accents}`).postcode).toBe('CD25GH');
		expect(leadAddress(`14 Mill Lane ${accents}, CD2 5GH`).postcode).toBe('');
	});
});
