import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import {
	duplicateIn,
	isAmbiguous,
	isUnmatched,
	registerEntry,
	statusEntry,
	specificity,
	unlistedEntry,
} from '../../../../service/products/codes';
import { root } from '../../../lab/paths';

interface PublishedCode {
	kind: string;
	meaning: string;
}

interface Contract {
	'x-codes': { codes: Record<string, PublishedCode>; outside: Record<string, string> };
}

const contract = JSON.parse(
	readFileSync(join(root, 'test/lab/contract/products.json'), 'utf8'),
) as Contract;
const { codes, outside } = contract['x-codes'];

/** What the advice for each kind of code comes down to. */
const ADVICE: Record<string, RegExp> = {
	request: /Check|Shorten/,
	service: /tell the operator|ask the operator/i,
	listing: /listing|portal|operator/i,
	state: /Run the workflow again|wait until/,
	access: /ask the operator/i,
	contract: /Ask the operator/,
};

describe('the register of codes', () => {
	it('is the published one', () => {
		expect(Object.keys(codes)).toHaveLength(55);
	});

	it.each(Object.entries(codes))('%s: %j', (code, { kind }) => {
		if (kind === 'already') {
			expect(duplicateIn([code])).toBeDefined();
			expect(specificity(code)).toBe(2);
			return;
		}
		expect(duplicateIn([code])).toBeUndefined();
		expect(registerEntry(code)?.problem).toMatch(/./);
		expect(registerEntry(code)?.remedy).toMatch(ADVICE[kind] ?? /^never$/);
	});

	it.each(Object.keys(outside))('%s, which is in no current register', (code) => {
		expect(registerEntry(code)).toBeDefined();
	});

	it.each([
		['1011003', 'alreadyPending'],
		['2011004', 'alreadyPending'],
		['1011004', 'alreadyActive'],
		['1021001', 'alreadyActive'],
		['2011005', 'alreadyActive'],
	])('%s stands for %s', (code, already) => {
		expect(duplicateIn([code])).toBe(already);
	});

	it.each([
		['a few images', '1011008', /three/],
		['no image', '2011007', /one/],
		['too short a description', '1011007', /200 characters/],
		['too large details', '1011009', /640 kB/],
		['no such listing', '1011051', /30 minutes/],
		['no owner', '1011052', /operator/],
		['another listing, by mistake', '1011055', /in a few minutes/],
		['no match', '1011061', /Listing ID Type/],
		['no source of listings', '1011064', /operator/],
		['highlights not attached', '1021007', /operator/],
	])('says what to do about %s', (_, code, remedy) => {
		expect(registerEntry(code)?.remedy).toMatch(remedy);
	});

	it.each([
		'1011999',
		'9999999',
		'constructor',
		'',
		undefined,
		// A shared case with more before it, after it, or of an API without it.
		'91011051',
		'10110519',
		'1021051',
	])('%s is unknown', (code) => {
		expect(registerEntry(code)).toBeUndefined();
		expect(specificity(code)).toBe(0);
	});

	it('puts a cause before whose fault it is', () => {
		const told = ['1011900', '1011007', '5'].map(specificity);

		expect(told).toEqual([1, 2, 0]);
	});
});

describe('several codes', () => {
	it.each([
		[['1011900', '1011003'], 'alreadyPending'],
		[['1011900', '1011004'], 'alreadyActive'],
		[['1011004', '1011003'], 'alreadyPending'],
		[['1011900', '1011007'], undefined],
		[[], undefined],
	])('%j stand for %s', (several, already) => {
		expect(duplicateIn(several)).toBe(already);
	});

	it.each([
		[['1011900', '1011003'], true],
		[['1011004', '2011004'], false],
		[[], false],
	])('%j may say something else as well: %s', (several, expected) => {
		expect(isAmbiguous(several)).toBe(expected);
	});
});

describe('a status', () => {
	it.each([
		[404, 'the service does not know the listing, or the Products URL is wrong'],
		[413, 'the custom details are too large'],
		[400, undefined],
		[undefined, undefined],
	])('%s of an order without a code', (status, problem) => {
		expect(statusEntry(status)?.problem).toBe(problem);
	});

	it.each<[string | undefined, number | undefined, boolean]>([
		[undefined, 400, true],
		[undefined, 404, true],
		[undefined, 403, false],
		[undefined, undefined, false],
		['9999999', 400, true],
		['1011061', 400, true],
		['2011061', 422, true],
		['1011064', 400, false],
		['1011900', 404, false],
	])('of a list of an own ID, with the code %s and %s, means no such listing: %s', (...told) => {
		const [code, status, expected] = told;

		expect(isUnmatched(code, status)).toBe(expected);
		expect(unlistedEntry(code, status)?.problem).toEqual(
			expected
				? 'the service finds no listing with this ID from your software'
				: registerEntry(code)?.problem,
		);
	});
});
