import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import {
	duplicateIn,
	isAmbiguous,
	isSpecific,
	refusalEntry,
	registerEntry,
	unlistedEntry,
} from '../../../../service/products/codes';
import { root } from '../../../lab/paths';

interface Contract {
	'x-codes': { codes: Record<string, { kind: string; meaning: string }>; outside: object };
}

const contract = JSON.parse(
	readFileSync(join(root, 'test/lab/contract/products.json'), 'utf8'),
) as Contract;
const { codes, outside } = contract['x-codes'];

/** What the advice for each kind of code comes down to. */
const ADVICE: Record<string, RegExp> = {
	listing: /listing|portal|operator/i,
	state: /Run the workflow again|wait until/,
	access: /ask the operator/i,
	contract: /Ask the operator/,
};

/** The service's own words say as much of these: the node has nothing to add. */
const BLUNT = ['request', 'service'];

describe('the register of codes', () => {
	it.each(Object.entries(codes).filter(([, { kind }]) => !BLUNT.includes(kind)))(
		'knows what to do about %s: %j',
		(code, { kind }) => {
			expect(isSpecific(code)).toBe(true);
			expect(duplicateIn([code]) !== undefined).toBe(kind === 'already');
			if (kind !== 'already')
				expect(registerEntry(code)?.remedy).toMatch(ADVICE[kind] ?? /^never$/);
		},
	);

	it.each(Object.keys(outside))('knows %s, which is in no current register', (code) => {
		expect(registerEntry(code)).toBeDefined();
	});

	it.each(['1011900', '9999999', 'constructor', '', undefined])('has nothing on %s', (code) => {
		expect(registerEntry(code)).toBeUndefined();
		expect(isSpecific(code ?? '')).toBe(false);
	});

	it.each([
		['too large details', '1011009', /640 kB/],
		['no such listing', '1011051', /30 minutes/],
		['no match', '1011061', /“Portal Listing ID”/],
		['highlights not attached', '1021007', /operator/],
	])('says what to do about %s', (_, code, remedy) => {
		expect(registerEntry(code)?.remedy).toMatch(remedy);
	});
});

describe('codes of what stands in the way', () => {
	it.each([
		[['1011900', '1011003'], 'alreadyPending', true],
		[['2011004'], 'alreadyPending', false],
		[['1011900', '1011004'], 'alreadyActive', false],
		[['1011004', '1011003'], 'alreadyPending', true],
		[['1021001'], 'alreadyActive', false],
		[['2011005'], 'alreadyActive', false],
		[['1011900', '1011007'], undefined, false],
		[[], undefined, false],
	])('%j stand for %s, and for something else too: %s', (several, already, ambiguous) => {
		expect(duplicateIn(several)).toBe(already);
		expect(isAmbiguous(several)).toBe(ambiguous);
	});
});

describe('a refusal', () => {
	it.each([
		[undefined, 404, 'the service does not know the listing, or the “Products URL” is wrong'],
		['9999999', 413, 'the custom details are too large'],
		['1011007', 404, 'the listing’s full description is too short'],
		[undefined, 400, undefined],
		[undefined, undefined, undefined],
	])('of an order with the code %s and %s', (code, status, problem) => {
		expect(refusalEntry(code, status)?.problem).toBe(problem);
	});

	const UNMATCHED = 'the service finds no listing with this ID from your software';

	it.each<[boolean, string | undefined, number | undefined, string | undefined]>([
		[true, undefined, 400, UNMATCHED],
		[true, undefined, 403, undefined],
		[true, '9999999', 400, UNMATCHED],
		[true, '1011901', 400, 'this client ID has no access to the listing'],
		[false, '1011061', 422, UNMATCHED],
		[false, undefined, 400, undefined],
	])('of a list, by an own ID: %s, with the code %s and %s', (isOwnId, code, status, problem) => {
		expect(unlistedEntry(isOwnId, code, status)?.problem).toBe(problem);
	});
});
