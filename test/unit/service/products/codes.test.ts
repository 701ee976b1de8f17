import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { duplicateIn, entryOf, isAmbiguous, isSpecific } from '../../../../service/products/codes';
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
	listing: /listing|portal|operator|in the node/i,
	state: /run the workflow again/i,
	access: /ask the operator/i,
	contract: /ask the operator/,
};

/** The service's own words say as much of these: the node has nothing to add. */
const BLUNT = ['request', 'service'];

describe('the register of codes', () => {
	it.each(Object.entries(codes).filter(([, { kind }]) => !BLUNT.includes(kind)))(
		'knows what to do about %s: %j',
		(code, { kind }) => {
			expect(isSpecific(code)).toBe(true);
			expect(duplicateIn([code]) !== undefined).toBe(kind === 'already');
			if (kind !== 'already') expect(entryOf(code)?.remedy).toMatch(ADVICE[kind] ?? /^never$/);
		},
	);

	it.each(Object.keys(outside))('knows %s, which is in no current register', (code) => {
		expect(entryOf(code)).toBeDefined();
	});

	it.each(['1011900', '9999999', 'constructor', '', undefined])('has nothing on %s', (code) => {
		expect(entryOf(code)).toBeUndefined();
		expect(isSpecific(code ?? '')).toBe(false);
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

describe('an answer', () => {
	it.each([
		[
			[undefined, 'order 404'],
			'the service does not know the listing, or the “Products URL” is wrong',
		],
		[['9999999', 'order 413'], 'the custom details are larger than 640 kB'],
		[['1011007', 'order 404'], 'the listing’s full description has less than 200 characters'],
		[
			[undefined, 'list of own 400'],
			'the service finds no listing with this ID from your software',
		],
		[[undefined, 'order 400'], undefined],
		[[], undefined],
	])('with the codes %j is explained by the first that is known', (several, problem) => {
		expect(entryOf(...several)?.problem).toBe(problem);
	});
});
