import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../../service/basics/values';
import { leadAddress } from '../../../../service/inventory/addressMatch';
import type { Match } from '../../../../service/inventory/findForLead';
import { matchProperty, uprnText } from '../../../../service/inventory/findForLead';
import fc from '../../../lab/properties';

interface Lead {
	uprn?: unknown;
	reference?: string;
	line?: string;
}

function match({ uprn, reference = '', line = '' }: Lead, records: IDataObject[]): Match {
	const wanted = { uprn: uprnText(uprn), reference, address: leadAddress(line) };
	return matchProperty(wanted, records);
}

function record(id: string, more: IDataObject = {}, address: IDataObject = {}): IDataObject {
	const place = { street: 'Mill Lane', town: 'Littleford', postcode: 'CD2 5GH' };
	return {
		id,
		uprn: null,
		address: { subDwelling: null, nameNo: '14', ...place, ...address },
		...more,
	};
}

const LINE = '14 Mill Lane, Littleford, CD2 5GH';

describe('a UPRN', () => {
	it.each([
		['990000000001', '990000000001'],
		[990000000001, '990000000001'],
		[' 0990000000001 ', '990000000001'],
		...[0, '', '0', 'none', 1.5, -1, null, undefined, {}].map((none): [unknown, string] => [
			none,
			'',
		]),
	])('%j is compared as %j', (value, text) => {
		expect(uprnText(value)).toBe(text);
	});
});

describe('a property is matched', () => {
	const own = record('1', { uprn: '0990000000001' });
	const nextDoor = record('2', { uprn: '990000000002' }, { nameNo: '16' });
	const bare = record('3');

	it.each<[string, Lead, IDataObject[], Match['matchedBy'], IDataObject[]]>([
		[
			'by its UPRN first',
			{ uprn: 990000000001, reference: '3', line: LINE },
			[bare, own],
			'uprn',
			[own],
		],
		[
			'by its UPRN, whatever the address',
			{ uprn: '990000000002', line: LINE },
			[own, nextDoor],
			'uprn',
			[nextDoor],
		],
		[
			'by its reference next',
			{ reference: '2', line: 'Mill Lane, Littleford, CD2 5GH' },
			[own, nextDoor],
			'reference',
			[nextDoor],
		],
		['by its reference alone', { reference: '2' }, [nextDoor], 'reference', [nextDoor]],
		[
			'by its address last',
			{ uprn: 990000000009, line: LINE },
			[bare, nextDoor],
			'address',
			[bare],
		],
		[
			'not by the UPRN 0',
			{ uprn: 0, line: LINE },
			[record('4', { uprn: '0' }), nextDoor],
			'address',
			[record('4', { uprn: '0' })],
		],
		['not with another UPRN', { uprn: 990000000009, reference: '1', line: LINE }, [own], null, []],
		[
			'not by a reference with another postcode',
			{ reference: '1', line: '1 Low Row, CD2 5GJ' },
			[own],
			null,
			[],
		],
		['not by nothing', {}, [own, nextDoor, bare], null, []],
		['not by an ID that it lacks, as the lead lacks a reference', {}, [record('')], null, []],
	])('%s', (_, lead, records, matchedBy, found) => {
		expect(match(lead, records)).toEqual({ matchedBy, records: found });
	});

	it('with all its records, a sale and a letting', () => {
		const records = [own, record('4', { uprn: '990000000001' }), record('5'), nextDoor];

		expect(match({ uprn: '990000000001', line: LINE }, records)).toEqual({
			matchedBy: 'uprn',
			records: records.slice(0, 2),
		});
		expect(match({ line: LINE }, records)).toEqual({
			matchedBy: 'address',
			records: records.slice(0, 3),
		});
	});

	it('by its address among those of a block that have one UPRN', () => {
		const [one, two] = ['Flat 1', 'Flat 2'].map((subDwelling) =>
			record(subDwelling, { uprn: '990000000001' }, { subDwelling }),
		) as [IDataObject, IDataObject];
		const uprn = 990000000001;

		expect(match({ uprn, line: `Flat 2, ${LINE}` }, [one, two])).toEqual({
			matchedBy: 'uprn',
			records: [two],
		});
		expect(match({ uprn, line: LINE }, [one, two])).toEqual({
			matchedBy: null,
			records: [one, two],
		});
	});

	it.each<[string, Lead, IDataObject[]]>([
		[
			'localities',
			{ line: '14 Mill Lane, Littleford' },
			['Overby', 'Netherby'].map((locality) => record(locality, {}, { locality, postcode: null })),
		],
		['UPRNs', { line: LINE }, [own, record('6', { uprn: '990000000003' })]],
		['streets', { line: '14, CD2 5GH' }, [own, record('6', {}, { street: 'Mill Road' })]],
		[
			'postcodes',
			{ line: '14 Mill Lane, Littleford' },
			[own, record('6', {}, { postcode: 'CD2 5GJ' })],
		],
	])('not if it may be one of two with different %s', (_, lead, records) => {
		expect(match(lead, records)).toEqual({ matchedBy: null, records });
	});
});

interface Place {
	subDwelling: string | null;
	nameNo: string;
	street: string;
	town: string;
	postcode: string;
}

/** Few and easily confused, so that neighbours are what the matching has to tell apart. */
const fields = {
	subDwelling: fc.constantFrom(null, 'Flat 1', 'Flat 2', '1', 'Basement'),
	nameNo: fc.constantFrom(
		'1',
		'1A',
		'1-3',
		'2',
		'3',
		'12',
		'12A',
		'Rose',
		'Rose Cottage',
		'Rose House',
	),
	street: fc.constantFrom(
		'Mill Lane',
		'Mill Road',
		'Mill Lane Cottages',
		'St. Mary’s Close',
		'Broadway',
	),
	town: fc.constantFrom('Littleford', 'Mill Green'),
	postcode: fc.constantFrom('CD2 5GH', 'CD2 5GJ'),
};

const uprn = fc.constantFrom(null, '1', '2', '0003', '3', '');

/** An address, and an inventory of its neighbours: all of them differ from it in few fields, or in none. */
const street = fc.record(fields).chain((at: Place) =>
	fc.record({
		at: fc.constant(at),
		all: fc
			.array(
				fc.record({ other: fc.record(fields, { requiredKeys: [] }), keep: fc.boolean(), uprn }),
				{ maxLength: 6 },
			)
			.map((entries) =>
				entries.map(({ other, keep, uprn: own }, index) => ({
					id: `${index}`,
					uprn: own,
					address: keep ? at : { ...at, ...other },
				})),
			),
	}),
);

/** How a portal or a person may write an address: any case, signs and blanks, with or without its postcode's blank. */
const spelling = fc.record({
	isUpper: fc.boolean(),
	separator: fc.constantFrom(', ', ',', ' , ', '\n', '; '),
	numberFrom: fc.constantFrom(' ', ', ', '  '),
	letter: fc.constantFrom('', ' ', '-'),
	dash: fc.constantFrom('-', ' - ', '–'),
	isShort: fc.boolean(),
	postcode: fc.constantFrom('usual', 'without blank', 'wide', 'none'),
	more: fc.constantFrom('', 'England', 'Kent'),
});

type Spelling = typeof spelling extends fc.Arbitrary<infer T> ? T : never;

function spelled({ subDwelling, nameNo, street, town, postcode }: Place, how: Spelling): string {
	const number = nameNo.replace(/(?<=\d)A/, `${how.letter}A`).replace('-', how.dash);
	const road = how.isShort ? street.replace('Lane', 'Ln.').replace('Road', 'Rd') : street;
	const code = {
		usual: postcode,
		'without blank': postcode.replace(' ', ''),
		wide: postcode.replace(' ', '  '),
		none: '',
	}[how.postcode];
	const lines = [subDwelling, `${number}${how.numberFrom}${road}`, town, how.more, code];
	const line = lines.filter(Boolean).join(how.separator);
	return how.isUpper ? line.toUpperCase() : line;
}

const identityOf = ({ subDwelling, nameNo, street }: Place) =>
	[subDwelling, nameNo, street].join('|');

describe('in any inventory, and however it is spelled,', () => {
	it('a property with another UPRN is never the one', () => {
		fc.assert(
			fc.property(
				street,
				spelling,
				uprn,
				fc.constantFrom('', '0', '1', '2'),
				({ all, at }, how, own, reference) => {
					const { matchedBy, records: found } = match(
						{ uprn: own, reference, line: spelled(at, how) },
						all,
					);
					const others = found.map((each) => uprnText(each.uprn)).filter(Boolean);

					if (uprnText(own) !== '')
						expect(others.filter((other) => other !== uprnText(own))).toEqual([]);
					if (matchedBy === 'uprn') expect(others).toHaveLength(found.length);
					if (matchedBy === 'address') expect(new Set(others).size).toBeLessThan(2);
				},
			),
			{ numRuns: 500 },
		);
	});

	it('a dwelling is found at its own address, and no other one', () => {
		fc.assert(
			fc.property(street, spelling, ({ all, at }, how) => {
				const found = match({ line: spelled(at, how) }, all).records;
				const isThere = (each: Place) =>
					identityOf(each) === identityOf(at) &&
					each.town === at.town &&
					(how.postcode === 'none' || each.postcode === at.postcode);

				expect(found.map(({ id }) => textOf(id))).toEqual(
					all.filter(({ address }) => isThere(address)).map(({ id }) => id),
				);
			}),
			{ numRuns: 500 },
		);
	});

	it('any text at all is no reason to fail, nor a match of what it does not hold', () => {
		fc.assert(
			fc.property(street, fc.string({ unit: 'grapheme' }), fc.anything(), ({ all }, line, odd) => {
				expect(match({ line, uprn: odd }, all).records.filter(({ uprn }) => !uprn)).toEqual([]);
			}),
			{ numRuns: 500 },
		);
	});
});
