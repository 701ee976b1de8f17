import { describe, expect, it } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { Activation } from '../../../../service/products/activation';
import type { Listing, OrderRequest, Product } from '../../../../service/products/products';
import { activationFailure, unknownActivation } from '../../../../service/products/products';
import type { Scripted } from '../../../lab/scriptedProducts';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';
import { HOUR, SECOND } from '../../../lab/times';

const scripted = (changes: Partial<ScriptedProducts> = {}, product?: Product) =>
	Object.assign(new ScriptedProducts(product), { maxTries: 1, ...changes });

describe('what orders are one by', () => {
	const ADDRESS = 'https://products.example.com/';
	const keyOf = (
		listing: Listing,
		product: Product = 'premium-listings',
		address = ADDRESS,
		client = 'client',
	) => new ScriptedProducts(product, address, client).products.orderKey(listing);
	const key = keyOf({ listingId: 1 });

	it('is not the client', () => {
		expect(keyOf({ listingId: 1 }, undefined, undefined, 'other')).toBe(key);
	});

	it.each([
		['the product', keyOf({ listingId: 1 }, 'weekly-featured-properties')],
		['the listing', keyOf({ listingId: 2 })],
		['which of its IDs', keyOf({ customerListingId: '1' })],
		['the address', keyOf({ listingId: 1 }, undefined, 'https://b.example.com/')],
	])('is %s', (_, other) => {
		expect(other).not.toBe(key);
	});

	it('is the client too, for an ID of the agency’s own', () => {
		const own: Listing = { customerListingId: '1' };

		expect(keyOf(own)).toBe(keyOf(own));
		expect(keyOf(own, undefined, undefined, 'other')).not.toBe(keyOf(own));
	});
});

describe('one activation', () => {
	it.each([
		['refused', answered(403), 'forbidden'],
		['answered with something else', answered(200, {}), 'foreign'],
	])('that is %s is a failure', async (_, answer, kind) => {
		const { products } = scripted({ looks: [answer] });

		await expect(products.activation('a')).rejects.toMatchObject({ kind });
	});
});

describe('an order', () => {
	it.each<[OrderRequest, string]>([
		[{ listing: { listingId: 5 } }, 'Premium listing for listing 5'],
		[
			{
				listing: { customerListingId: 'A' },
				highlights: [{ id: 1 }],
				customDetails: { note: 'b' },
			},
			'Premium listing for your listing A',
		],
	])('sends %j, and is the %s', async (request, name) => {
		const { listing, ...details } = request;
		const { products, writes } = scripted({ answers: [answered(200)] });

		await products.order(request);

		const body = { ...listing, ...details };
		expect(writes).toStrictEqual([{ method: 'POST', path: '/products/premium-listings', body }]);
		expect(products.nameOf(listing)).toBe(name);
	});
});

describe('the activations', () => {
	const FROM = Date.UTC(2026, 2, 2, 9, 15, 30);
	const made = (id: string, time?: number): Activation => ({
		id,
		...(time !== undefined && { createdAt: new Date(time).toISOString() }),
	});

	it.each<[string, Product, object, object]>([
		[
			'of a period',
			'premium-listings',
			{ from: FROM, to: FROM + HOUR },
			{ date_from: '2026-03-02T09:15:30Z', date_to: '2026-03-02T10:15:30Z' },
		],
		['since 1970', 'premium-listings', { from: 0 }, { date_from: '1970-01-01T00:00:00Z' }],
		['up to 1970', 'premium-listings', { to: 0 }, { date_to: '1970-01-01T00:00:00Z' }],
		['of all weeks', 'weekly-featured-properties', { to: FROM }, {}],
		[
			'of weeks from a day on, wherever that begins last',
			'weekly-featured-properties',
			{ from: FROM, to: FROM + HOUR },
			{ date_from: '2026-03-01' },
		],
		['of weeks since 1970', 'weekly-featured-properties', { from: 0 }, { date_from: '1969-12-31' }],
	])('%s are asked for so: %s, %j', async (_, product, wanted, query) => {
		const script = scripted({}, product);

		await script.products.activations(wanted);

		expect(script.reads).toEqual([{ path: `/products/${product}`, query }]);
	});

	it('are sorted, newest first, with those that do not tell their time at the end', async () => {
		const shown = [made('b', FROM), made('d'), made('a', FROM + HOUR), made('c', FROM - HOUR)];
		const { products } = scripted({ lists: [answered(200, shown)] });

		const ids = (await products.activations({})).map(({ id }) => id);

		expect(ids).toEqual(['a', 'b', 'c', 'd']);
	});

	it('are those of the period, even if the service shows others', async () => {
		const shown = [made('late', FROM + HOUR), made('in', FROM), made('early', FROM - HOUR)];
		const { products } = scripted({ lists: [answered(200, [...shown, made('unknown')])] });

		const found = await products.activations({ from: FROM - SECOND, to: FROM + SECOND });

		expect(found.map(({ id }) => id)).toEqual(['in', 'unknown']);
	});
});

describe('the failure of an activation', () => {
	const failed = (result: string, errors?: unknown, id: string | undefined = 'a'): Activation => ({
		id,
		status: { result, errors },
	});

	it.each<[string, Activation, object]>([
		[
			'without a code',
			failed('ERROR'),
			{
				message: 'the service could not fulfil the order',
				helpCode: 'orderFailed',
				remedy: expect.stringMatching(
					/ correct what the service’s message names, if anything\. To order again, run/,
				),
			},
		],
		[
			'that was deactivated',
			failed('DEACTIVATED'),
			{
				message: 'it was deactivated',
				helpCode: 'orderFailed',
				remedy: expect.stringMatching(/ To order again, run the workflow again\.$/),
			},
		],
		[
			'with several codes',
			failed('ERROR', [{ code: 1_011_900 }, { code: 1_021_004, reason: 'No hidden-token' }]),
			{
				message: 'the listing has fewer than three images',
				helpCode: 'listingNotReady',
				remedy: expect.stringContaining('wait until the portal shows it'),
				code: '1021004',
				reason: undefined,
			},
		],
	])('%s', (_, activation, expected) => {
		const error = activationFailure(scripted().products, activation);

		expect({ ...error.details, message: error.message }).toMatchObject(expected);
		expect(error.kind).toBe('failed');
	});

	it.each([
		['a', 'First ask the operator of the service, and name the activation a. After that, correct'],
		['', 'First ask the operator of the service. After that, correct'],
	])('with the ID “%s” says what it may have cost, and whom to ask first', (id, words) => {
		const { cost, remedy } = activationFailure(
			scripted().products,
			failed('ERROR', [], id),
		).details;

		expect(cost).toBe(
			'It is not known whether a credit was spent: the service accepted the order.',
		);
		expect(remedy?.slice(0, words.length)).toBe(words);
	});
});

describe('a refusal of a list', () => {
	const listed = async (listing: Listing | undefined, answer: Scripted) => {
		const { products } = scripted({ lists: [answer] });
		const error: unknown = await products
			.activations({ listing })
			.catch((thrown: unknown) => thrown);
		if (error instanceof ServiceError) return error;
		throw new Error('It did not fail');
	};
	const own = { customerListingId: 'A' };
	const withCode = (code: number) => ({ errors: [{ code }] });

	it.each<[string, Listing | undefined, Scripted, string]>([
		[
			'an own ID, by 404',
			own,
			answered(404),
			'The service finds no listing with this ID from your software',
		],
		[
			'a portal ID, by its code',
			{ listingId: 1 },
			answered(403, withCode(1_011_901)),
			'The listing is not one of your agency’s, or your access does not cover it',
		],
		[
			'an own ID, for now',
			own,
			answered(500, withCode(1_011_061)),
			'The service cannot answer just now (500)',
		],
		[
			'a portal ID, by 400',
			{ listingId: 1 },
			answered(400),
			'The service refused the request (400)',
		],
		['no listing', undefined, answered(400), 'The service refused the request (400)'],
	])('of %s says why', async (_, listing, answer, message) => {
		expect((await listed(listing, answer)).message).toBe(message);
	});

	it('says what to do', async () => {
		expect((await listed(own, answered(400))).details).toMatchObject({
			helpCode: 'listingUnknown',
			remedy: expect.stringMatching(/^Check the listing’s ID and its type, .* 30 minutes/),
		});
	});
});

describe('a refusal of an activation', () => {
	it('by 404 is that there is none with this ID', () => {
		const error = new ServiceError('rejected', 'Nothing there', {
			status: 404,
			helpCode: 'wrongAddress',
		});

		const told = unknownActivation(error, 'a');

		expect(told).toMatchObject({
			kind: 'missing',
			message: 'The service found no such activation (404)',
			helpCode: 'notFound',
			details: {
				status: 404,
				remedy: 'You asked for the ID a. Check it, and that it belongs to this product.',
			},
		});
	});

	it('by something else is told as it is', () => {
		const error = new ServiceError('rejected', 'No', { status: 400 });

		expect(unknownActivation(error, 'a')).toBe(error);
	});
});
