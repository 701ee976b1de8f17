import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DAY, body } from './helpers';
import type { Activation } from './productsCaller';
import { ProductsCaller } from './productsCaller';

let products: ProductsCaller;
beforeEach(async () => {
	products = await ProductsCaller.start();
});
afterEach(async () => await products.sandbox.stop());

describe('settling', () => {
	it('takes a number of looks', async () => {
		products.sandbox.products.configure({ settleAfterGets: 2 });
		const { id } = await products.activate({ listingId: 7 });

		const seen = [await products.result(id), await products.result(id), await products.result(id)];

		expect(seen).toEqual(['PENDING', 'PENDING', 'ACTIVATED']);
	});

	it('takes time', async () => {
		products.sandbox.products.configure({ settleAfterGets: null, settleAfterMs: 60_000 });
		const { id } = await products.activate({ listingId: 7 });
		products.sandbox.advance(50_000);

		expect(await products.result(id)).toBe('PENDING');

		products.sandbox.advance(10_000);
		expect(await products.result(id)).toBe('ACTIVATED');
	});

	it('is done by hand, to another end as well', async () => {
		products.sandbox.products.configure({ settleAfterGets: null });
		const [one, other] = [
			await products.activate({ listingId: 7 }),
			await products.activate({ listingId: 8 }),
		];

		expect([await products.result(one.id), await products.result(one.id)]).toEqual([
			'PENDING',
			'PENDING',
		]);

		products.sandbox.products.settle(one.id, { result: 'ERROR' });
		expect(await products.result(one.id)).toBe('ERROR');
		expect(await products.result(other.id)).toBe('PENDING');
	});

	it('ends in an error, its list as an array or in an object', async () => {
		const errors = [{ reason: 'Not on the portal', code: 1_011_020 }];

		for (const [listingId, errorsAs, shape] of [
			[1, 'array', errors],
			[2, 'object', { errors }],
		] as const) {
			products.sandbox.products.configure({
				result: 'ERROR',
				errors,
				errorsAs,
				settleAfterGets: 0,
			});
			const { id } = await products.activate({ listingId });
			const { status } = body<Activation>(await products.call('GET', `premium-listings/${id}`));
			expect(status).toEqual({ result: 'ERROR', errors: shape });
		}
	});

	it('may be to a later date, then active, then over', async () => {
		const product = 'weekly-featured-properties';
		products.sandbox.products.configure({ result: 'SCHEDULED', settleAfterGets: 0 });
		products.sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		await products.actAs(products.sandbox.productsClient);
		const { id } = await products.activate({ listingId: 7 }, product);

		expect(await products.result(id, product)).toBe('SCHEDULED');

		products.sandbox.advance(7 * DAY + 1000);
		expect(await products.result(id, product)).toBe('ACTIVATED');

		products.sandbox.advance(7 * DAY);
		expect(await products.result(id, product)).toBe('DEACTIVATED');
	});
});

describe('an update', () => {
	const update = { highlights: [{ id: 3 }] };

	it('is taken, waits, and is done', async () => {
		const { id } = await products.activate({ listingId: 7 });
		products.sandbox.products.settle(id);

		const reply = await products.call('PATCH', `premium-listings/${id}`, update);

		expect(reply.status).toBe(202);
		expect(body<Activation>(reply).status).toEqual({
			result: 'ACTIVATED',
			currently: 'WAITING_FOR_UPDATE',
		});

		const again = await products.refusal('PATCH', `premium-listings/${id}`, update);

		expect(again).toEqual([409, '1011044']);

		products.sandbox.products.settle(id);

		const done = body<Activation>(await products.call('GET', `premium-listings/${id}`));

		expect(done.status).toEqual({ result: 'ACTIVATED' });
		expect(done.highlights).toEqual([{ id: 3, key: 'highlight-3' }]);
		expect(products.sandbox.counts.credits).toBe(1);
	});

	it('may be answered with an array of one', async () => {
		products.sandbox.products.configure({ updateAnswer: 'array' });
		const { id } = await products.activate({ listingId: 7 });
		products.sandbox.products.settle(id);

		const reply = await products.call('PATCH', `premium-listings/${id}`, update);

		expect(reply.status).toBe(202);
		expect(body<Activation[]>(reply).map((each) => each.id)).toEqual([id]);
	});

	it('may fail', async () => {
		products.sandbox.products.configure({ updateResult: 'failed' });
		const { id } = await products.activate({ listingId: 7 });
		products.sandbox.products.settle(id);
		await products.call('PATCH', `premium-listings/${id}`, update);
		products.sandbox.products.settle(id);

		const done = body<Activation>(await products.call('GET', `premium-listings/${id}`));

		expect(done.status.currently).toBe('LAST_UPDATE_FAILED');
		expect(done.highlights).toEqual([]);
	});

	it('is refused when it is wrong, unknown, another’s or too early', async () => {
		const { id } = await products.activate({ listingId: 7 });

		const tooEarly = await products.refusal('PATCH', `premium-listings/${id}`, update);

		expect(tooEarly).toEqual([409, '1011043']);
		expect((await products.refusal('PATCH', 'premium-listings/unknown', update))[0]).toBe(404);
		for (const wrong of [{}, { highlights: 1 }, { ...update, listingId: 7 }]) {
			expect((await products.refusal('PATCH', `premium-listings/${id}`, wrong))[0]).toBe(400);
		}

		const other = { integration: 'products', clientId: 'other', clientSecret: 's' } as const;
		await products.actAs(products.sandbox.addClient(other));
		expect((await products.refusal('PATCH', `premium-listings/${id}`, update))[0]).toBe(403);
		expect((await products.refusal('PATCH', `weekly-featured-properties/${id}`, update))[0]).toBe(
			405,
		);
	});
});
