import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';
import type { INodeParameters } from 'n8n-workflow';

import type { Answer, Change, Shown } from '../../../../lab/engine/relay';
import { eachActivation, empty, json } from '../../../../lab/engine/relay';
import { changed, page } from '../../../../lab/engine/productAnswers';
import { outcomesOf } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';
import { MINUTE, DAY } from '../../../../lab/times';

const bench = useQuickProducts();
const relay = useRelay(bench);

const posts = () => relay.exchanges.filter((exchange) => exchange.startsWith('POST'));

const OWN_ID: INodeParameters = { listingIdType: 'customer', listingId: 'OUR-1' };

describe('the look before an order', () => {
	it.each<[string, Answer | 'lost', RegExp]>([
		['500', empty(500), /cannot answer just now \(500\)$/],
		['a lost connection', 'lost', /connection to the service was lost$/],
		['429', empty(429), /busy: too many requests \(429\)$/],
		['400', empty(400), /refused the request \(400\)$/],
		['403', empty(403), /refused access to the listing or the product \(403\)$/],
		['a redirect', empty(302, { location: '/' }), /redirects elsewhere \(302\)$/],
		['a page', page, /web page instead of data$/],
		['an object', json(200, {}), /unknown shape$/],
		['no activation', json(200, [{}]), /without an activation$/],
		['a list cut short', { ...json(200, []), body: '[{"id":' }, /cut short$/],
	])('that is answered with %s: nothing is ordered', async (_, answer, reason) => {
		relay.answer(async ({ isList }, pass) => (isList ? answer : await pass()));

		const { items, error } = await bench.run({ options: { maxTries: 2 } });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(
			/^Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: /,
		);
		expect(error?.message).toMatch(reason);
		expect(error?.description).toContain('No order was sent, so no credit was spent.');
		expect(posts()).toEqual([]);
		expect(bench.credits).toBe(0);
	});

	it.each([empty(500), empty(429, { 'retry-after': '1' }), 'lost' as const])(
		'is repeated within the limits (%#)',
		async (answer) => {
			let failures = 2;
			relay.answer(async ({ isList }, pass) => (isList && failures-- > 0 ? answer : await pass()));

			expect(outcomesOf(await bench.run())).toEqual(['activated']);
			expect(relay.exchanges.slice(2)).toEqual(['GET 200', 'POST 202', 'GET id 200']);
			expect(bench.credits).toBe(1);
		},
	);

	it('is taken again before each order that a busy service refuses', async () => {
		bench.failPost({ kind: 'status', status: 429, times: 2 });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(relay.exchanges.slice(0, 6)).toEqual([
			...['GET 200', 'POST 429', 'GET 200', 'POST 429', 'GET 200', 'POST 202'],
		]);
	});

	it('is taken again if n8n tries the step again', async () => {
		bench.failPost({ kind: 'status', status: 400 });

		const run = await bench.run({}, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(relay.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 400', 'GET 200', 'POST 202']);
	});

	it.each([
		['its code', () => bench.sandbox.products.configure({ unknownListings: ['OUR-1'] })],
		['400', () => relay.answer(async ({ isList }, pass) => (isList ? empty(400) : await pass()))],
		['404', () => relay.answer(async ({ isList }, pass) => (isList ? empty(404) : await pass()))],
	])('tells of an own ID that matches no listing, by %s', async (_, prepare) => {
		prepare();

		const { error } = await bench.run(OWN_ID);

		expect(error?.message).toBe(
			'Premium listing for your listing OUR-1 was not activated: the service finds no listing with this ID from your software',
		);
		expect(error?.description).toMatch(/Check “Listing ID”.*30 minutes.*“Listing ID Type”/);
		expect(posts()).toEqual([]);
	});

	it('goes out once for each listing, in front of its order', async () => {
		await bench.activate([1, 2], { waitForResult: false });

		expect(relay.exchanges).toEqual(['GET 200', 'POST 202', 'GET 200', 'POST 202']);
	});
});

describe('an activation that is planned', () => {
	it.each([
		['the service’s ID', {}],
		['the agency’s ID', OWN_ID],
	])('is not paid for twice, by %s', async (_, parameters) => {
		const listing = 'listingId' in parameters ? listingOf('OUR-1') : 123;
		const id = bench.somebodys(listing, 'SCHEDULED');

		const run = await bench.run(parameters);

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(posts()).toEqual([]);
		expect(bench.credits).toBe(1);
	});

	it('is not paid for twice by a step that n8n tries again, nor by the next run', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED', settleAfterMs: 0 });
		bench.failPost({ kind: 'status', status: 400, after: 1 });

		const run = await bench.activate([1, 2], {}, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(run)).toEqual(['scheduled', 'scheduled']);

		const next = await bench.activate([1, 2, 2]);

		expect(outcomesOf(next)).toEqual(Array(3).fill('alreadyScheduled'));
		expect(bench.credits).toBe(2);
	});
});

describe('what stands in the way', () => {
	const soon = () => new Date(bench.sandbox.now() + 20 * MINUTE).toISOString();
	const past = () => new Date(bench.sandbox.now() - 20 * MINUTE).toISOString();

	it.each<[string, () => Shown, string]>([
		[
			'waits, whatever its end',
			() => ({ status: { result: 'PENDING' }, expiryAt: past() }),
			'alreadyPending',
		],
		['is active, with no end', () => ({ expiryAt: undefined }), 'alreadyActive'],
		['is active until soon', () => ({ expiryAt: soon() }), 'alreadyActive'],
		['is active until soon, in UTC', () => ({ expiryAt: soon().slice(0, 19) }), 'alreadyActive'],
		['has an end that is not set', () => ({ expiryAt: '0001-01-01T00:00:00Z' }), 'alreadyActive'],
		['has another word for its status', () => ({ status: { result: 'QUEUED' } }), 'alreadyPending'],
		['has no status', () => ({ status: undefined }), 'alreadyPending'],
		['has no ID', () => ({ id: undefined }), 'alreadyActive'],
	])('an activation that %s', async (_, changes, outcome) => {
		bench.somebodys(123, 'ACTIVATED');
		relay.answer(changed(changes()));

		expect(outcomesOf(await bench.run())).toEqual([outcome]);
		expect(posts()).toEqual([]);
	});

	it.each<[string, () => Shown]>([
		['was active until just now', () => ({ status: { result: 'ACTIVATED' }, expiryAt: past() })],
		['says of its end only, which is over', () => ({ status: undefined, expiryAt: past() })],
		['was planned, and is over', () => ({ status: { result: 'SCHEDULED' }, expiryAt: past() })],
		['has failed', () => ({ status: { result: 'ERROR' } })],
		['was deactivated', () => ({ status: { result: 'DEACTIVATED' } })],
	])('not an activation that %s', async (_, changes) => {
		bench.sandbox.advance(-40 * DAY);
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.advance(40 * DAY);
		relay.answer(
			eachActivation((activation) =>
				activation.id === id ? { ...activation, ...changes() } : activation,
			),
		);

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});
});

describe('an activation that comes without an ID', () => {
	const withoutId: Change = async ({ method }, pass) => {
		const answer = await pass();
		if (method !== 'POST' || answer === 'lost' || answer.status !== 202) return answer;
		return {
			...answer,
			headers: omit(answer.headers, 'location'),
			body: JSON.stringify(omit(JSON.parse(answer.body) as Shown, 'id')),
		};
	};

	it('in the answer is pending, and not ordered again by “Retry On Fail”', async () => {
		relay.answer(withoutId);
		bench.failPost({ kind: 'status', status: 400, after: 1 });

		const run = await bench.activate([1, 2], {}, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(run)).toEqual(['pending', 'pending']);
		expect(run.items[0]?.json).toMatchObject({ listingId: 1, status: { result: 'PENDING' } });
		expect(bench.credits).toBe(2);
	});

	it('is listed all the same', async () => {
		bench.somebodys(123, 'ACTIVATED');
		relay.answer(changed({ id: undefined }));

		const { items } = await bench.run({ operation: 'getAll' });

		expect(items).toMatchObject([{ json: { listingId: 123 } }]);
	});
});
