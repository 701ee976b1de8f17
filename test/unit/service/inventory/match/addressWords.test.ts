import { describe, expect, it } from '@jest/globals';

import { addressLines, partsOf } from '../../../../../service/inventory/match/addressWords';

describe('the words of an address', () => {
	it.each([
		['14 Mill Lane', ['14', 'mill', 'ln']],
		['14 A Mill Lane', ['14a', 'mill', 'ln']],
		['1 A Mill Lane', ['1a', 'mill', 'ln']],
		['Flat 14 A', ['flat', '14a']],
		['1 – 3 Mill Lane', ['1-3', 'mill', 'ln']],
		['1-3 Mill Lane', ['1-3', 'mill', 'ln']],
		['1 -3 Mill Lane', ['1-3', 'mill', 'ln']],
		['1- 3 Mill Lane', ['1-3', 'mill', 'ln']],
		['14a - 16 Mill Lane', ['14a-16', 'mill', 'ln']],
		['14 / 2 Mill Lane', ['14/2', 'mill', 'ln']],
		['14/2 Mill Lane', ['14/2', 'mill', 'ln']],
		['14 /2 Mill Lane', ['14/2', 'mill', 'ln']],
		['14/ 2 Mill Lane', ['14/2', 'mill', 'ln']],
		['Flat/2', ['flat', '2']],
		['Mill - Lane', ['mill', 'ln']],
		['Rose & Crown', ['rose', 'and', 'crown']],
		['Rose&Crown', ['rose', 'and', 'crown']],
		['St Mary’s', ['st', 'marys']],
		['Saint Marys', ['st', 'marys']],
		['Heol y Dŵr', ['heol', 'y', 'dwr']],
	])('%j are %j', (line, words) => {
		expect(addressLines(line)).toEqual([words]);
	});

	it('are those of each line, without empty ones', () => {
		expect(addressLines('14, Mill Lane,, ; Littleford\r\n\n - , AB1 2CD')).toEqual([
			['14'],
			['mill', 'ln'],
			['littleford'],
			['ab1', '2cd'],
		]);
	});
});

describe('the lines of an address', () => {
	it('are as they are written, without blanks at their ends', () => {
		expect(partsOf(' 14 Mill Lane ,Old  Quarter;; ')).toEqual(['14 Mill Lane', 'Old  Quarter']);
	});

	it.each([null, undefined, '', ' , ; ', '-'])('of %j are none', (text) => {
		expect(partsOf(text)).toEqual([]);
	});

	it('are read up to a length that nobody’s address has', () => {
		expect(partsOf(`14 ${'a'.repeat(2_000)}`)).toEqual([`14 ${'a'.repeat(997)}`]);
	});
});
