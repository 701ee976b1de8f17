import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { DAY, bearer, body, request, type Reply } from './helpers';

interface Activation {
	id: string;
	listingId: number;
	createdAt: string;
	highlights?: unknown[];
	startAt?: string;
	expiryAt?: string;
	status: { result: string; currently?: string; errors?: unknown };
}

type Product = 'premium-listings' | 'weekly-featured-properties';

let sandbox: Sandbox;
let token: Record<string, string>;
beforeEach(async () => {
	sandbox = await Sandbox.start();
	token = await bearer(sandbox, sandbox.productsClient);
});
afterEach(() => sandbox.stop());

function call(method: string, path: string, value?: unknown): Promise<Reply> {
	return request(`${sandbox.productsUrl}/products/${path}`, {
		method,
		headers: { ...token, ...(value === undefined ? {} : { 'Content-Type': 'application/json' }) },
		body: value === undefined ? undefined : JSON.stringify(value),
	});
}

async function activate(
	value: unknown,
	product: Product = 'premium-listings',
): Promise<Activation> {
	const reply = await call('POST', product, value);
	expect(reply.status).toBe(202);
	return body<Activation>(reply);
}

async function result(id: string, product: Product = 'premium-listings'): Promise<string> {
	return body<Activation>(await call('GET', `${product}/${id}`)).status.result;
}

async function refusal(method: string, path: string, value?: unknown): Promise<[number, string]> {
	const reply = await call(method, path, value);
	const { errors } = body<{ errors: { reason: string; code: number }[] }>(reply);
	expect(errors).toEqual([{ reason: expect.any(String), code: expect.any(Number) }]);
	const code = String(errors[0]?.code);
	expect(code).toMatch(/^\d{7}$/);
	return [reply.status, code];
}

describe('an activation', () => {
	it('is taken as pending, and spends one credit', async () => {
		const highlights = [{ id: 1, description: 'Near the river' }, { id: 2 }];
		const made = await activate({ listingId: 7, highlights, customDetails: { a: 1 } });
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
		expect(sandbox.counts.credits).toBe(1);
		expect(sandbox.counts.creditsBy).toEqual({ 'premium-listings': { 7: 1 } });
	});

	it('of the weekly product has its own fields', async () => {
		const made = await activate({ listingId: 7 }, 'weekly-featured-properties');
		expect(made).toMatchObject({ isRenewable: true });
		expect(made).not.toHaveProperty('highlights');
	});

	it.each(['premium-listings', 'weekly-featured-properties'] as const)(
		'of %s that waits has no start, no end and no details but those that were sent',
		async (product) => {
			const made = await activate({ listingId: 7 }, product);
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
		sandbox.products.configure({ times });
		const made = await activate({ listingId: 7 });
		expect(made.createdAt).toMatch(form);
		expect(Math.abs(Date.parse(made.createdAt) - sandbox.now())).toBeLessThan(60_000);
		sandbox.products.settle();
		const done = body<Activation>(await call('GET', `premium-listings/${made.id}`));
		expect(done.expiryAt).toMatch(form);
	});

	it('by a customer’s id that matches nothing is refused, and so is its list', async () => {
		sandbox.products.configure({ unknownListings: ['OUR-9'] });
		const order = { customerListingId: 'OUR-9' };
		expect(await refusal('POST', 'premium-listings', order)).toEqual([400, '1011061']);
		const list = 'premium-listings?customerListingId=OUR-9';
		expect(await refusal('GET', list)).toEqual([400, '1011061']);
		expect(sandbox.counts.credits).toBe(0);
	});

	it('by the customer’s id is of one listing', async () => {
		const { listingId } = await activate({ customerListingId: 'OUR-1' });
		expect((await call('POST', 'premium-listings', { listingId })).status).toBe(303);
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
		expect((await refusal('POST', 'premium-listings', value))[0]).toBe(400);
		expect(sandbox.counts.credits).toBe(0);
	});

	it('has highlights for premium only', async () => {
		const value = { listingId: 1, highlights: [{ id: 1 }] };
		expect((await refusal('POST', 'weekly-featured-properties', value))[0]).toBe(400);
	});

	it('is refused as anything but JSON', async () => {
		const reply = await request(`${sandbox.productsUrl}/products/premium-listings`, {
			method: 'POST',
			headers: token,
			body: new URLSearchParams({ listingId: '1' }),
		});
		expect(reply.status).toBe(400);
	});

	it('takes details of 640 kB and not more', async () => {
		const details = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
		await activate({ listingId: 1, customDetails: details(640_000) });
		for (const bytes of [640_001, 2_000_000]) {
			const value = { listingId: 2, customDetails: details(bytes) };
			expect((await refusal('POST', 'premium-listings', value))[0]).toBe(413);
		}
		expect(sandbox.counts.credits).toBe(1);
	});
});

describe('a repeat', () => {
	it('is answered 303 with the activation that is there, and costs nothing', async () => {
		const made = await activate({ listingId: 7 });
		const reply = await call('POST', 'premium-listings', { listingId: 7 });
		expect(reply.status).toBe(303);
		expect(body(reply)).toEqual(made);
		sandbox.products.configure({ location: 'full' });
		const again = await call('POST', 'premium-listings', { listingId: 7 });
		const location = again.headers.get('location') ?? '';
		const followed = await request(new URL(location, sandbox.url).href, { headers: token });
		expect(body<Activation>(followed).id).toBe(made.id);
		expect(sandbox.counts.credits).toBe(1);
	});

	it('points to nowhere, like the first answer', async () => {
		const order = { listingId: 7 };
		for (const status of [202, 303]) {
			const reply = await call('POST', 'premium-listings', order);
			expect(reply.status).toBe(status);
			const location = reply.headers.get('location') ?? '';
			expect(location).toMatch(/products-api\/premium-listings\/[0-9a-f-]{36}$/);
			const followed = await request(location, { headers: token });
			expect(followed.status).toBe(404);
		}
	});

	it('of the weekly product is answered 303 with errors', async () => {
		const { id } = await activate({ listingId: 7 }, 'weekly-featured-properties');
		const reply = await call('POST', 'weekly-featured-properties', { listingId: 7 });
		expect(reply.status).toBe(303);
		expect(body(reply)).toEqual({ errors: [{ reason: expect.any(String), code: 2_011_004 }] });
		expect(reply.headers.get('location')).toMatch(new RegExp(`/${id}$`));
	});

	it('is taken, and paid for, while the first one is planned', async () => {
		sandbox.products.configure({ result: 'SCHEDULED' });
		await activate({ listingId: 7 }, 'weekly-featured-properties');
		sandbox.products.settle();
		await activate({ listingId: 7 }, 'weekly-featured-properties');
		expect(sandbox.counts.creditsBy).toEqual({ 'weekly-featured-properties': { 7: 2 } });
	});

	it.each([
		['premium-listings', '1011003', '1011004'],
		['weekly-featured-properties', '2011004', '2011005'],
	] as const)('of %s may be refused with a code', async (product, pending, active) => {
		sandbox.products.configure({ duplicates: 'refuse' });
		await activate({ listingId: 7 }, product);
		expect(await refusal('POST', product, { listingId: 7 })).toEqual([400, pending]);
		sandbox.products.settle();
		expect(await refusal('POST', product, { listingId: 7 })).toEqual([400, active]);
		expect(sandbox.counts.credits).toBe(1);
	});

	it('is a new activation for the other product, another listing, or after the end of the first', async () => {
		await activate({ listingId: 7 });
		await activate({ listingId: 8 });
		await activate({ listingId: 7 }, 'weekly-featured-properties');
		sandbox.products.settle();
		sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		token = await bearer(sandbox, sandbox.productsClient);
		sandbox.advance(28 * DAY + 1000);
		await activate({ listingId: 7 });
		expect(sandbox.counts.creditsBy['premium-listings']).toEqual({ 7: 2, 8: 1 });
	});

	it('is possible after an error', async () => {
		sandbox.products.configure({ result: 'ERROR' });
		await activate({ listingId: 7 });
		sandbox.products.settle();
		await activate({ listingId: 7 });
		expect(sandbox.counts.credits).toBe(2);
	});
});

describe('settling', () => {
	it('takes a number of looks', async () => {
		sandbox.products.configure({ settleAfterGets: 2 });
		const { id } = await activate({ listingId: 7 });
		const seen = [await result(id), await result(id), await result(id)];
		expect(seen).toEqual(['PENDING', 'PENDING', 'ACTIVATED']);
	});

	it('takes time', async () => {
		sandbox.products.configure({ settleAfterGets: null, settleAfterMs: 60_000 });
		const { id } = await activate({ listingId: 7 });
		sandbox.advance(50_000);
		expect(await result(id)).toBe('PENDING');
		sandbox.advance(10_000);
		expect(await result(id)).toBe('ACTIVATED');
	});

	it('is done by hand, to another end as well', async () => {
		sandbox.products.configure({ settleAfterGets: null });
		const [one, other] = [await activate({ listingId: 7 }), await activate({ listingId: 8 })];
		expect([await result(one.id), await result(one.id)]).toEqual(['PENDING', 'PENDING']);
		sandbox.products.settle(one.id, { result: 'ERROR' });
		expect(await result(one.id)).toBe('ERROR');
		expect(await result(other.id)).toBe('PENDING');
	});

	it('ends in an error, its list as an array or in an object', async () => {
		const errors = [{ reason: 'Not on the portal', code: 1_011_020 }];
		for (const [listingId, errorsAs, shape] of [
			[1, 'array', errors],
			[2, 'object', { errors }],
		] as const) {
			sandbox.products.configure({ result: 'ERROR', errors, errorsAs, settleAfterGets: 0 });
			const { id } = await activate({ listingId });
			const { status } = body<Activation>(await call('GET', `premium-listings/${id}`));
			expect(status).toEqual({ result: 'ERROR', errors: shape });
		}
	});

	it('may be to a later date, then active, then over', async () => {
		const product = 'weekly-featured-properties';
		sandbox.products.configure({ result: 'SCHEDULED', settleAfterGets: 0 });
		sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		token = await bearer(sandbox, sandbox.productsClient);
		const { id } = await activate({ listingId: 7 }, product);
		expect(await result(id, product)).toBe('SCHEDULED');
		sandbox.advance(7 * DAY + 1000);
		expect(await result(id, product)).toBe('ACTIVATED');
		sandbox.advance(7 * DAY);
		expect(await result(id, product)).toBe('DEACTIVATED');
	});
});

describe('reading', () => {
	it('finds by uuid, in its own product', async () => {
		const { id } = await activate({ listingId: 7 });
		expect((await refusal('GET', 'premium-listings/unknown'))[0]).toBe(404);
		expect((await refusal('GET', `weekly-featured-properties/${id}`))[0]).toBe(404);
		expect((await call('GET', `premium-listings/${id}`)).status).toBe(200);
	});

	it('lists a bare array, by listing, customer’s listing and date', async () => {
		const one = await activate({ listingId: 7 });
		sandbox.updateClient('products-client', { tokenLifetime: 365 * 86_400 });
		token = await bearer(sandbox, sandbox.productsClient);
		sandbox.advance(2 * DAY);
		const other = await activate({ customerListingId: 'OUR-1' });
		const list = async (query: string) => {
			const reply = await call('GET', `premium-listings${query}`);
			expect(reply.status).toBe(200);
			return body<Activation[]>(reply).map((each) => each.id);
		};
		expect(await list('')).toEqual([one.id, other.id]);
		expect(await list('?listingId=7')).toEqual([one.id]);
		expect(await list('?customerListingId=OUR-1')).toEqual([other.id]);
		expect(await list('?listingId=9')).toEqual([]);
		expect(await list(`?date_to=${one.createdAt}`)).toEqual([one.id]);
		expect(await list(`?date_from=${other.createdAt}`)).toEqual([other.id]);
		sandbox.products.settle(one.id);
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
			expect((await refusal('GET', `premium-listings?${wrong}`))[0]).toBe(400);
		}
	});

	it('knows the first day only for the weekly product', async () => {
		const product = 'weekly-featured-properties';
		const { id, createdAt } = await activate({ listingId: 7 }, product);
		const day = createdAt.slice(0, 10);
		const reply = await call('GET', `${product}?date_from=${day}`);
		expect(body<Activation[]>(reply).map((each) => each.id)).toEqual([id]);
		const later = new Date(sandbox.now() + DAY).toISOString().slice(0, 10);
		expect(body(await call('GET', `${product}?date_from=${later}`))).toEqual([]);
		for (const wrong of [`date_from=${createdAt}`, `date_to=${day}`, `date_to=${createdAt}`]) {
			expect((await refusal('GET', `${product}?${wrong}`))[0]).toBe(400);
		}
	});

	it('shows in a list what is pending, without settling it', async () => {
		await activate({ listingId: 7 });
		for (let round = 0; round < 3; round++) {
			const [shown] = body<Activation[]>(await call('GET', 'premium-listings?listingId=7'));
			expect(shown?.status.result).toBe('PENDING');
		}
	});
});

describe('an update', () => {
	const update = { highlights: [{ id: 3 }] };

	it('is taken, waits, and is done', async () => {
		const { id } = await activate({ listingId: 7 });
		sandbox.products.settle(id);
		const reply = await call('PATCH', `premium-listings/${id}`, update);
		expect(reply.status).toBe(202);
		expect(body<Activation>(reply).status).toEqual({
			result: 'ACTIVATED',
			currently: 'WAITING_FOR_UPDATE',
		});
		const again = await refusal('PATCH', `premium-listings/${id}`, update);
		expect(again).toEqual([409, '1011044']);
		sandbox.products.settle(id);
		const done = body<Activation>(await call('GET', `premium-listings/${id}`));
		expect(done.status).toEqual({ result: 'ACTIVATED' });
		expect(done.highlights).toEqual([{ id: 3, key: 'highlight-3' }]);
		expect(sandbox.counts.credits).toBe(1);
	});

	it('may be answered with an array of one', async () => {
		sandbox.products.configure({ updateAnswer: 'array' });
		const { id } = await activate({ listingId: 7 });
		sandbox.products.settle(id);
		const reply = await call('PATCH', `premium-listings/${id}`, update);
		expect(reply.status).toBe(202);
		expect(body<Activation[]>(reply).map((each) => each.id)).toEqual([id]);
	});

	it('may fail', async () => {
		sandbox.products.configure({ updateResult: 'failed' });
		const { id } = await activate({ listingId: 7 });
		sandbox.products.settle(id);
		await call('PATCH', `premium-listings/${id}`, update);
		sandbox.products.settle(id);
		const done = body<Activation>(await call('GET', `premium-listings/${id}`));
		expect(done.status.currently).toBe('LAST_UPDATE_FAILED');
		expect(done.highlights).toEqual([]);
	});

	it('is refused when it is wrong, unknown, another’s or too early', async () => {
		const { id } = await activate({ listingId: 7 });
		const tooEarly = await refusal('PATCH', `premium-listings/${id}`, update);
		expect(tooEarly).toEqual([409, '1011043']);
		expect((await refusal('PATCH', 'premium-listings/unknown', update))[0]).toBe(404);
		for (const wrong of [{}, { highlights: 1 }, { ...update, listingId: 7 }]) {
			expect((await refusal('PATCH', `premium-listings/${id}`, wrong))[0]).toBe(400);
		}
		const other = { integration: 'products', clientId: 'other', clientSecret: 's' } as const;
		token = await bearer(sandbox, sandbox.addClient(other));
		expect((await refusal('PATCH', `premium-listings/${id}`, update))[0]).toBe(403);
		expect((await refusal('PATCH', `weekly-featured-properties/${id}`, update))[0]).toBe(405);
	});
});
