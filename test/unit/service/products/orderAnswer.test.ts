import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { Origin } from '../../../../service/http/answer';
import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';
import { mayBeOrdered, readOrderAnswer } from '../../../../service/products/orderAnswer';
import type { Listing } from '../../../../service/products/products';

const ID = '4f7a2c1e-0000-4000-8000-000000000001';
const LISTING: Listing = { listingId: 123 };

const origin: Origin = {
	requestKind: 'data',
	words: PRODUCTS_INTEGRATION.words,
	secrets: ['hidden-token'],
};

const read = (statusCode: number, body?: unknown, headers: IDataObject = {}) =>
	readOrderAnswer(origin, { statusCode, headers, body }, LISTING);

const failureOf = (statusCode: number, body?: unknown): ServiceError => {
	try {
		read(statusCode, body);
	} catch (error) {
		if (error instanceof ServiceError) return error;
	}
	throw new Error('It was taken for an answer');
};

describe('an order that is taken (202)', () => {
	const made = { id: 'a', listingId: 123 };
	const location = `https://products.example.com/premium-listings/${ID}`;

	it.each<[string, unknown, IDataObject, unknown]>([
		['its activation', made, {}, made],
		['its activation in a list', [made], {}, made],
		['its activation beside other things', [null, 'x', made], {}, made],
		['its ID before that of its Location', made, { location }, made],
		['no ID but in its Location', { listingId: 123 }, { location }, { id: ID, listingId: 123 }],
		['nothing but a Location', undefined, { location }, { id: ID, listingId: 123 }],
		['nothing', undefined, {}, LISTING],
		['text', 'Accepted', {}, LISTING],
		['JSON that stops', '{"id":"a', {}, LISTING],
		['several activations', [made, { id: 'b' }], {}, LISTING],
		['an empty list', [], {}, LISTING],
		['a Location of something else', undefined, { location: `${location}/edit` }, LISTING],
	])('shows %s', (_, body, headers, activation) => {
		expect(read(202, body, headers)).toEqual({ made: activation });
	});

	it('is in doubt if a web page says so', () => {
		expect(failureOf(202, '<html>Sign in</html>')).toMatchObject({ kind: 'foreign' });
	});

	it('is refused if errors alone come with it', () => {
		expect(failureOf(202, { errors: [{ code: 1_011_007 }] }).details).toMatchObject({
			status: 202,
			code: '1011007',
		});
	});
});

describe('another status of success', () => {
	it.each([200, 201])('%d shows an activation', (status) => {
		expect(read(status, { id: 'a' })).toEqual({ made: { id: 'a' } });
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['a list', [{ id: 'a' }]],
		['no word of an activation', { message: 'OK' }],
	])('leaves the order in doubt if it shows %s', (_, body) => {
		expect(failureOf(200, body)).toMatchObject({ kind: 'foreign' });
	});

	it('leaves the order in doubt if its JSON stops', () => {
		expect(failureOf(200, '{"id":"a')).toMatchObject({ kind: 'unavailable' });
	});
});

describe('a redirect to what is there (303)', () => {
	it('makes nothing', () => {
		expect(read(303, { id: 'a', listingId: 123 })).toEqual({});
	});

	it('says by its errors what that is', () => {
		const errors = [{ reason: 'One is on its way', code: 2_011_004 }];

		expect(read(303, { errors })).toEqual({ already: 'alreadyPending' });
	});
});

describe('a refusal', () => {
	const errorsOf = (...codes: unknown[]) => ({ errors: codes.map((code) => ({ code })) });

	it.each([
		[1_011_004, 'alreadyActive'],
		['2011004', 'alreadyPending'],
	])('by %s says that there is one', (code, already) => {
		expect(read(400, errorsOf(code))).toEqual({ already });
	});

	it.each([200, 202, 408, 500, 503])('by %i leaves open whether the order is taken', (status) => {
		expect(mayBeOrdered(failureOf(status, errorsOf('2011004')))).toBe(true);
	});

	it('by a code with two meanings keeps its words', () => {
		expect(read(400, errorsOf(1_011_003))).toMatchObject({
			already: 'alreadyPending',
			refusal: { kind: 'rejected', details: { code: '1011003' } },
		});
	});

	it('tells the error that says most, of several', () => {
		const errors = [
			{ reason: 'Invalid', code: 1_011_900 },
			{ reason: 'Too short', code: 1_011_007 },
		];

		expect(failureOf(400, { errors }).details).toMatchObject({
			code: '1011007',
			reason: 'Too short; Invalid',
		});
	});

	it('keeps the words that it has without a list of errors', () => {
		const { details } = failureOf(400, { title: 'Bad request' });

		expect(details).toMatchObject({ reason: 'Bad request' });
	});
});
