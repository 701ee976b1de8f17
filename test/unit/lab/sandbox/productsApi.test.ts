import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DAY, body, request } from './helpers';
import type { Activation } from './productsCaller';
import { ProductsCaller } from './productsCaller';

let products: ProductsCaller;
beforeEach(async () => {
	products = await ProductsCaller.start();
});
afterEach(async () => await products.sandbox.stop());

describe('an activation', () => {
	it('is taken as pending, and spends one credit', async () => {
		const highlights = [{ id: 1, description: 'Near the river' }, { id: 2 }];

		const made = await products.activate({ listingId: 7, highlights, customDetails: { a: 1 } });

		expect(made).toMatchObject({
			listingId: 7,
			highlights: [
				{ id: 1, description: 'Near the river', key: 'highlight-1' },
				{ id: 2, key: 'highlight-2' },
			],
			customDetails: { a: 1 },
			createdBy: 'products-client',
			status: { result: 'PENDING' },
		});
		expect(products.sandbox.counts.credits).toBe(1);
		expect(products.sandbox.counts.creditsBy).toEqual({ 'premium-listings': { 7: 1 } });
	});

	it('of the weekly product has its own fields', async () => {
		const made = await products.activate({ listingId: 7 }, 'weekly-featured-properties');

		expect(made).toMatchObject({ isRenewable: true });
		expect(made).not.toHaveProperty('highlights');
	});

	it.each(['premium-listings', 'weekly-featured-properties'] as const)(
		'of %s that waits has no start, no end and no details but those that were sent',
		async (product) => {
			const made = await products.activate({ listingId: 7 }, product);

			for (const unset of ['startAt', 'expiryAt', 'customDetails']) {
				expect(made).not.toHaveProperty(unset);
			}
		},
	);

	it.each([
		['seconds', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
		['nanoseconds', /\.\d{9}Z$/],
		['offset', /\d\d\+01:30$/],
	] as const)('has its times in %s', async (times, form) => {
		products.sandbox.products.configure({ times });

		const made = await products.activate({ listingId: 7 });

		expect(made.createdAt).toMatch(form);
		expect(Math.abs(Date.parse(made.createdAt) - products.sandbox.now())).toBeLessThan(60_000);

		products.sandbox.products.settle();

		const done = body<Activation>(await products.call('GET', `premium-listings/${made.id}`));

		expect(done.expiryAt).toMatch(form);
	});

	it('by a customer’s id that matches nothing is refused, and so is its list', async () => {
		products.sandbox.products.configure({ unknownListings: ['OUR-9'] });
		const order = { customerListingId: 'OUR-9' };

		expect(await products.refusal('POST', 'premium-listings', order)).toEqual([400, '1011061']);

		const list = 'premium-listings?customerListingId=OUR-9';
		expect(await products.refusal('GET', list)).toEqual([400, '1011061']);
		expect(products.sandbox.counts.credits).toBe(0);
	});

	it('by the customer’s id is of one listing', async () => {
		const { listingId } = await products.activate({ customerListingId: 'OUR-1' });

		expect((await products.call('POST', 'premium-listings', { listingId })).status).toBe(303);
	});

	it.each([
		['both ids', { listingId: 1, customerListingId: 'a' }],
		['no id', {}],
		['an id as text', { listingId: '1' }],
		['an id that is no number', { listingId: null }],
		['a fraction', { listingId: 1.5 }],
		['a number for the customer’s id', { customerListingId: 1 }],
		['an empty customer’s id', { customerListingId: ' ' }],
		['details that are no object', { listingId: 1, customDetails: [] }],
		['an unknown field', { listingId: 1, other: 1 }],
		['highlights that are no array', { listingId: 1, highlights: { id: 1 } }],
		['a highlight without a number', { listingId: 1, highlights: [{ id: '1' }] }],
		['a highlight with a wrong text', { listingId: 1, highlights: [{ id: 1, description: 2 }] }],
		['a body that is no object', []],
	])('is refused with %s, and costs nothing', async (_name, value) => {
		expect((await products.refusal('POST', 'premium-listings', value))[0]).toBe(400);
		expect(products.sandbox.counts.credits).toBe(0);
	});

	it('has highlights for premium only', async () => {
		const value = { listingId: 1, highlights: [{ id: 1 }] };

		expect((await products.refusal('POST', 'weekly-featured-properties', value))[0]).toBe(400);
	});

	it('is refused as anything but JSON', async () => {
		const reply = await request(`${products.sandbox.productsUrl}/products/premium-listings`, {
			method: 'POST',
			headers: products.headers,
			body: new URLSearchParams({ listingId: '1' }),
		});

		expect(reply.status).toBe(400);
	});

	it('takes details of 640 kB and not more', async () => {
		const details = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

		await products.activate({ listingId: 1, customDetails: details(640_000) });

		for (const bytes of [640_001, 2_000_000]) {
			const value = { listingId: 2, customDetails: details(bytes) };
			expect((await products.refusal('POST', 'premium-listings', value))[0]).toBe(413);
		}
		expect(products.sandbox.counts.credits).toBe(1);
	});
});

describe('a repeat', () => {
	it('is answered 303 with the activation that is there, and costs nothing', async () => {
		const made = await products.activate({ listingId: 7 });

		const reply = await products.call('POST', 'premium-listings', { listingId: 7 });

		expect(reply.status).toBe(303);
		expect(body(reply)).toEqual(made);

		products.sandbox.products.configure({ location: 'full' });
		const again = await products.call('POST', 'premium-listings', { listingId: 7 });
		const location = again.headers.get('location') ?? '';

		const followed = await request(new URL(location, products.sandbox.url).href, {
			headers: products.headers,
		});

		expect(body<Activation>(followed).id).toBe(made.id);
		expect(products.sandbox.counts.credits).toBe(1);
	});

	it('points to nowhere, like the first answer', async () => {
		const order = { listingId: 7 };

		for (const status of [202, 303]) {
			const reply = await products.call('POST', 'premium-listings', order);
			expect(reply.status).toBe(status);
			const location = reply.headers.get('location') ?? '';
			expect(location).toMatch(/products-api\/premium-listings\/[0-9a-f-]{36}$/);
			const followed = await request(location, { headers: products.headers });
			expect(followed.status).toBe(404);
		}
	});

	it('of the weekly product is answered 303 with errors', async () => {
		const { id } = await products.activate({ listingId: 7 }, 'weekly-featured-properties');

		const reply = await products.call('POST', 'weekly-featured-properties', { listingId: 7 });

		expect(reply.status).toBe(303);
		expect(body(reply)).toEqual({ errors: [{ reason: expect.any(String), code: 2_011_004 }] });
		expect(reply.headers.get('location')).toMatch(new RegExp(`/${id}$`));
	});

	it('is taken, and paid for, while the first one is planned', async () => {
		products.sandbox.products.configure({ result: 'SCHEDULED' });
		await products.activate({ listingId: 7 }, 'weekly-featured-properties');
		products.sandbox.products.settle();

		await products.activate({ listingId: 7 }, 'weekly-featured-properties');

		expect(products.sandbox.counts.creditsBy).toEqual({ 'weekly-featured-properties': { 7: 2 } });
	});

	it.each([
		['premium-listings', '1011003', '1011004'],
		['weekly-featured-properties', '2011004', '2011005'],
	] as const)('of %s may be refused with a code', async (product, pending, active) => {
		products.sandbox.products.configure({ duplicates: 'refuse' });
		await products.activate({ listingId: 7 }, product);

		expect(await products.refusal('POST', product, { listingId: 7 })).toEqual([400, pending]);

		products.sandbox.products.settle();
		expect(await products.refusal('POST', product, { listingId: 7 })).toEqual([400, active]);
		expect(products.sandbox.counts.credits).toBe(1);
	});

	it('is a new activation for the other product, another listing, or after the end of the first', async () => {
		await products.activate({ listingId: 7 });
		await products.activate({ listingId: 8 });
		await products.activate({ listingId: 7 }, 'weekly-featured-properties');
		products.sandbox.products.settle();
		products.sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		await products.actAs(products.sandbox.productsClient);
		products.sandbox.advance(28 * DAY + 1000);

		await products.activate({ listingId: 7 });

		expect(products.sandbox.counts.creditsBy['premium-listings']).toEqual({ 7: 2, 8: 1 });
	});

	it('is possible after an error', async () => {
		products.sandbox.products.configure({ result: 'ERROR' });
		await products.activate({ listingId: 7 });
		products.sandbox.products.settle();

		await products.activate({ listingId: 7 });

		expect(products.sandbox.counts.credits).toBe(2);
	});
});

describe('reading', () => {
	it('finds by uuid, in its own product', async () => {
		const { id } = await products.activate({ listingId: 7 });

		expect((await products.refusal('GET', 'premium-listings/unknown'))[0]).toBe(404);
		expect((await products.refusal('GET', `weekly-featured-properties/${id}`))[0]).toBe(404);
		expect((await products.call('GET', `premium-listings/${id}`)).status).toBe(200);
	});

	it('lists a bare array, by listing, customer’s listing and date', async () => {
		const one = await products.activate({ listingId: 7 });
		products.sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		await products.actAs(products.sandbox.productsClient);
		products.sandbox.advance(2 * DAY);
		const other = await products.activate({ customerListingId: 'OUR-1' });
		const list = async (query: string) => {
			const reply = await products.call('GET', `premium-listings${query}`);
			expect(reply.status).toBe(200);
			return body<Activation[]>(reply).map((each) => each.id);
		};

		expect(await list('')).toEqual([one.id, other.id]);
		expect(await list('?listingId=7')).toEqual([one.id]);
		expect(await list('?customerListingId=OUR-1')).toEqual([other.id]);
		expect(await list('?listingId=9')).toEqual([]);
		expect(await list(`?date_to=${one.createdAt}`)).toEqual([one.id]);
		expect(await list(`?date_from=${other.createdAt}`)).toEqual([other.id]);

		products.sandbox.products.settle(one.id);
		expect(await list('?isPremium=true')).toEqual([one.id]);
		for (const wrong of [
			'listingId=x',
			'date_from=soon',
			'date_from=2026-03-02',
			'isPremium=false',
			'limit=1',
			'listingId=',
			'listingId=7&listingId=8',
			'listingId=7&customerListingId=OUR-1',
		]) {
			expect((await products.refusal('GET', `premium-listings?${wrong}`))[0]).toBe(400);
		}
	});

	it('knows the first day only for the weekly product', async () => {
		const product = 'weekly-featured-properties';
		const { id, createdAt } = await products.activate({ listingId: 7 }, product);
		const day = createdAt.slice(0, 10);

		const reply = await products.call('GET', `${product}?date_from=${day}`);

		expect(body<Activation[]>(reply).map((each) => each.id)).toEqual([id]);

		const later = new Date(products.sandbox.now() + DAY).toISOString().slice(0, 10);
		expect(body(await products.call('GET', `${product}?date_from=${later}`))).toEqual([]);
		for (const wrong of [`date_from=${createdAt}`, `date_to=${day}`, `date_to=${createdAt}`]) {
			expect((await products.refusal('GET', `${product}?${wrong}`))[0]).toBe(400);
		}
	});

	it('shows in a list what is pending, without settling it', async () => {
		await products.activate({ listingId: 7 });

		for (let round = 0; round < 3; round++) {
			const [shown] = body<Activation[]>(
				await products.call('GET', 'premium-listings?listingId=7'),
			);
			expect(shown?.status.result).toBe('PENDING');
		}
	});
});
