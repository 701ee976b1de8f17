import { describe, expect, it } from '@jest/globals';

import { leadAddress } from '../../../../../service/inventory/match/leadAddress';

describe('the address of a lead is searched for', () => {
	it.each<[string, string[]]>([
		['14 Mill Lane, Littleford, CD2 5GH', ['CD2 5GH', 'CD25GH']],
		['14 Mill Lane, Littleford, cd25gh', ['CD2 5GH', 'cd25gh']],
		['14 Mill Lane, Littleford, cd2  5gh', ['CD2 5GH', 'cd2  5gh']],
		['14 Mill Lane, AB1 2CD, EF10 3AB', ['EF10 3AB', 'EF103AB']],
		['14 Mill Lane, EF1A 3AB, England', ['EF1A 3AB', 'EF1A3AB']],
		['14 Mill Lane, Littleford', ['14 Mill Lane']],
		['Flat 2, 14 Mill Lane, Littleford', ['Flat 2 14 Mill Lane']],
		['14, Mill Lane', ['14 Mill Lane']],
		['Rose Cottage', ['Rose Cottage']],
		[' , .', []],
		['', []],
	])('%j', (line, queries) => {
		expect(leadAddress(line).queries).toEqual(queries);
	});

	it.each(['14 Mill Lane, CD2', '14 Mill Lane, CD2 5GHX', 'XCD25GH1', '12345 Bath'])(
		'%j, which has no postcode',
		(line) => {
			expect(leadAddress(line).postcode).toBe('');
		},
	);

	it('is looked at no further than an address may go', () => {
		const endless = `14 Mill Lane ${'\u0301\u0323'.repeat(5_000_000)}, CD2 5GH`;

		expect(leadAddress(endless).postcode).toBe('CD25GH');
	});
});
