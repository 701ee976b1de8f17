import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { INodeParameters } from 'n8n-workflow';

import * as retry from '../../../../service/http/retry';
import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import { shortenBackoff } from '../../../lab/engine/bench';
import type { NodeRun } from '../../../lab/engine/engine';
import { runNode } from '../../../lab/engine/engine';
import { Front, json } from '../../../lab/engine/front';
import { visibleText } from '../../../lab/engine/leads';
import type { Fault, FaultKind } from '../../../lab/engine/products';
import { outcomesOf, ProductsBench } from '../../../lab/engine/products';

let bench: ProductsBench;

beforeEach(async () => {
	shortenBackoff();
	bench = await ProductsBench.start();
	bench.sandbox.products.configure({ settleAfterGets: 0 });
	jest.spyOn(retry, 'pause').mockResolvedValue();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await bench.stop();
});

/** Has looks fail after the one before the order. */
const failLooks = (fault: FaultKind) =>
	bench.sandbox.faults.add({ method: 'GET', after: 1, ...fault } as Fault);

/** No answer is waited for longer than this, in milliseconds. */
const shortenTimeouts = (ms: number) =>
	jest.spyOn(retry, 'timeoutWithin').mockImplementation((_, usual) => Math.min(ms, usual));

const idOf = ({ items }: NodeRun): string => {
	const id = items[0]?.json.id;
	return typeof id === 'string' ? id : '';
};

describe('activate', () => {
	it('orders once, waits for the result and tells the outcome', async () => {
		const run = await bench.run();
		expect(run.items).toMatchObject([
			{
				json: {
					id: expect.any(String),
					listingId: 123,
					outcome: 'activated',
					status: { result: 'ACTIVATED' },
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
		expect(bench.credits).toBe(1);
		expect(bench.tokens).toBe(1);
	});

	it('sends the listing, the highlights and the custom details as the service wants them', async () => {
		const run = await bench.run({
			listingId: ' 0123 ',
			highlights: { highlight: [{ id: '7', description: ' Near the river ' }, { id: 8 }] },
			customDetails: '{ "order": "2041" }',
			waitForResult: false,
		});
		expect(run.items[0]?.json).toMatchObject({
			listingId: 123,
			highlights: [
				{ id: 7, description: 'Near the river', key: 'highlight-7' },
				{ id: 8, key: 'highlight-8' },
			],
			customDetails: { order: '2041' },
			outcome: 'pending',
		});
		expect(bench.exchanges).toEqual(['GET 200', 'POST 202']);
	});

	it.each(['', '{}', ' { } '])('sends no custom details for %j', async (customDetails) => {
		await bench.run({ customDetails, waitForResult: false });
		const [sent] = bench.sandbox.products.list('premium-listings');
		expect(sent?.shown).not.toHaveProperty('customDetails');
	});

	it('takes the ID of the agency’s own software', async () => {
		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR-1' });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('knows weekly featured properties, which have no highlights', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });
		const run = await bench.run({
			resource: 'weeklyFeaturedProperty',
			highlights: { highlight: [{ id: 1 }] },
		});
		expect(run.items[0]?.json).toMatchObject({ outcome: 'scheduled', isRenewable: true });
		expect(bench.sandbox.counts.creditsBy).toEqual({ 'weekly-featured-properties': { 123: 1 } });
	});

	it('ends as pending, without an error, when the result takes too long', async () => {
		jest.mocked(retry.pause).mockRestore();
		bench.sandbox.products.configure({ settleAfterGets: null });
		const run = await bench.run({ options: { waitTimeout: 1 } });
		expect(run.status).toBe('success');
		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
		expect(bench.credits).toBe(1);
	});

	it('looks with growing pauses, and no later than the timeout', async () => {
		bench.sandbox.products.configure({ settleAfterGets: 7 });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(jest.mocked(retry.pause).mock.calls.map(([ms]) => ms)).toEqual([
			500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
		]);
	});

	it('waits for all listings together', async () => {
		const run = await bench.activate([1, 2, 3, 4, 5, 6]);
		expect(outcomesOf(run)).toEqual(Array(6).fill('activated'));
		expect(bench.exchanges).toEqual([
			...Array<string[]>(6).fill(['GET 200', 'POST 202']).flat(),
			...Array<string>(6).fill('GET id 200'),
		]);
	});

	it('does not take a look that fails for a failed activation', async () => {
		failLooks({ kind: 'status', status: 403, times: Infinity });
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
		expect(run.hints[0]?.message).toMatch(/listing 123 was ordered, but its result could not be/);
	});

	it('waits through looks that fail for a while', async () => {
		failLooks({ kind: 'reset', times: 3 });
		expect(outcomesOf(await bench.run({ options: { maxTries: 1 } }))).toEqual(['activated']);
	});
});

describe('what is refused before any request', () => {
	const huge = JSON.stringify({ a: 'x'.repeat(640_001) });
	it.each([
		['a fraction', { listingId: 1.5 }, /“Listing ID” is not a whole number/],
		['a word', { listingId: 'OUR-1' }, /“Listing ID” is not a whole number/],
		['a number in scientific notation', { listingId: '1e5' }, /“Listing ID” is not a whole number/],
		['a negative number', { listingId: -5 }, /“Listing ID” is not a whole number/],
		['a number too large', { listingId: '9007199254740993' }, /is not a whole number/],
		['nothing', { listingId: '={{ "" }}' }, /“Listing ID” is empty/],
		['no ID of one’s own', { listingIdType: 'customer', listingId: ' ' }, /“Listing ID” is empty/],
		['details that are no object', { customDetails: '[1]' }, /“Custom Details” is not a JSON obj/],
		['details that are no JSON', { customDetails: '{' }, /“Custom Details” is not a JSON object/],
		['details over 640 kB', { customDetails: huge }, /“Custom Details” is larger than 640 kB/],
		[
			'a highlight with a word for an ID',
			{ highlights: { highlight: [{ id: 'a' }] } },
			/“Highlight ID” is not a whole number/,
		],
		['a broken timeout', { options: { waitTimeout: -1 } }, /“Wait Timeout” must be a whole number/],
	])('%s', async (_, parameters, message) => {
		const { error } = await bench.run(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/./);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('all items, if one of them is wrong', async () => {
		const { error } = await bench.activate([1, 2, 'three']);
		expect(error).toMatchObject({ message: expect.stringMatching(/not a whole number/) });
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(bench.credits).toBe(0);
	});

	it('only the wrong item, where the node continues on an error', async () => {
		const run = await bench.activate(['one', 2], {}, { onError: 'continueErrorOutput' });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(run.items[0]?.pairedItem).toMatchObject({ item: 1 });
		expect(run.outputs[1]).toHaveLength(1);
	});

	it('640 kB are taken', async () => {
		const customDetails = JSON.stringify({ a: 'x'.repeat(640_000 - '{"a":""}'.length) });
		expect(outcomesOf(await bench.run({ customDetails }))).toEqual(['activated']);
	});
});

describe('exactly once', () => {
	it.each<[string, FaultKind, string[]]>([
		['429', { kind: 'status', status: 429 }, ['GET 200', 'POST 429', 'POST 202', 'GET id 200']],
		[
			'429 with Retry-After',
			{ kind: 'status', status: 429, retryAfter: 1 },
			['GET 200', 'POST 429', 'POST 202', 'GET id 200'],
		],
		[
			'a reset before',
			{ kind: 'reset' },
			['GET 200', 'POST 0', 'GET 200', 'POST 202', 'GET id 200'],
		],
		[
			'a reset after',
			{ kind: 'reset', when: 'after' },
			['GET 200', 'POST 0', 'GET 200', 'GET id 200'],
		],
		[
			'500 before',
			{ kind: 'status', status: 500 },
			['GET 200', 'POST 500', 'GET 200', 'POST 202', 'GET id 200'],
		],
		[
			'500 after',
			{ kind: 'status', status: 500, when: 'after' },
			['GET 200', 'POST 500', 'GET 200', 'GET id 200'],
		],
		[
			'502 with a page after',
			{ kind: 'status', status: 502, body: 'html', when: 'after' },
			['GET 200', 'POST 502', 'GET 200', 'GET id 200'],
		],
		[
			'a page in place of the answer',
			{ kind: 'html', when: 'after' },
			['GET 200', 'POST 200', 'GET 200', 'GET id 200'],
		],
		[
			'a redirect after',
			{ kind: 'status', status: 302, when: 'after' },
			['GET 200', 'POST 302', 'GET 200', 'GET id 200'],
		],
		['an answer cut off', { kind: 'truncate' }, ['GET 200', 'POST 202', 'GET 200', 'GET id 200']],
		['an answer whose JSON stops', { kind: 'cutJson' }, ['GET 200', 'POST 202', 'GET id 200']],
		[
			'an expired token',
			{ kind: 'status', status: 401 },
			['GET 200', 'POST 401', 'POST 202', 'GET id 200'],
		],
		[
			'408',
			{ kind: 'status', status: 408, when: 'after' },
			['GET 200', 'POST 408', 'GET 200', 'GET id 200'],
		],
	])('%s', async (_, fault, exchanges) => {
		bench.failPost(fault);
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.exchanges).toEqual(exchanges);
		expect(bench.credits).toBe(1);
	});

	it.each([
		['before the service took it', 'before', ['GET 200', 'POST 0', 'GET 200', 'POST 202']],
		['after the service took it', 'after', ['GET 200', 'POST 0', 'GET 200']],
	] as const)('no answer in time, %s', async (_, when, exchanges) => {
		shortenTimeouts(500);
		bench.failPost({ kind: 'hang', when });
		const run = await bench.run({ waitForResult: false });
		expect(outcomesOf(run)).toEqual(['pending']);
		expect(bench.exchanges).toEqual(exchanges);
		expect(bench.credits).toBe(1);
	});

	it('an order that the service takes long after it was given up', async () => {
		shortenTimeouts(400);
		bench.failPost({ kind: 'latency', ms: 1_500 });
		bench.failPost({ kind: 'reset', after: 1 });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('looks even if there is no further try', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		expect(outcomesOf(await bench.run({ options: { maxTries: 1 } }))).toEqual(['activated']);
	});

	it('does not order again what the look shows to have failed', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.sandbox.products.configure({
			settleAfterMs: 0,
			result: 'ERROR',
			errors: [{ reason: 'Not enough images', code: 1_021_004 }],
		});
		const { error } = await bench.run();
		expect(error?.message).toBe(
			'Premium listing of listing 123 was not activated: the listing has too few images',
		);
		expect(bench.credits).toBe(1);
	});

	it('does not order again while it cannot look', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		failLooks({ kind: 'status', status: 500, times: Infinity });
		const { error } = await bench.run({ options: { maxTries: 2 } });
		expect(error?.message).toMatch(
			/^Premium listing of listing 123: It is not known whether it was activated: /,
		);
		expect(error?.description).toMatch(/does not order again what the service shows/);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 500', 'GET 500']);
		bench.sandbox.faults.clear();
		expect(outcomesOf(await bench.run())).toEqual(['alreadyPending']);
		expect(bench.credits).toBe(1);
	});

	it('does not order without a token', async () => {
		bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'reset', times: Infinity });
		const { error } = await bench.run({ options: { maxTries: 2 } });
		expect(error?.description).not.toMatch(/not order again|shows no activation/);
		expect(bench.exchanges).toEqual([]);
	});

	it('orders again after a refused connection, without looking', async () => {
		const { port } = bench.sandbox;
		await bench.sandbox.stop();
		const first = await bench.run({ options: { maxTries: 2, maxWait: 1 } });
		expect(first.error?.message).toBe(
			'Premium listing of listing 123: Nothing was ordered, since the node could not look first: The service refused the connection',
		);
		bench = await ProductsBench.start({ port });
		bench.sandbox.products.configure({ settleAfterGets: 0 });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
	});

	it('with a clock of the service that is off by minutes', async () => {
		bench.sandbox.advance(-7 * 60_000);
		bench.failPost({ kind: 'reset', when: 'after' });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		bench.sandbox.advance(14 * 60_000);
		bench.failPost({ kind: 'reset', when: 'after' });
		expect(outcomesOf(await bench.run({ listingId: 124 }))).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});

	it('goes on where an earlier try of the step stopped, and does not pay for a failure again', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });
		const node = new AgentProducts();
		const parameters = { listingId: '={{ $json.listing }}' };
		const input = [{ json: { listing: 1 } }];
		const test = bench.test(parameters, { node, input, retryOnFail: { maxTries: 3 } });
		const { error } = await runNode(test);
		expect(error?.message).toMatch(/was not activated/);
		expect(bench.credits).toBe(1);
		expect(bench.exchanges.filter((exchange) => exchange.startsWith('POST'))).toHaveLength(1);
	});

	it('says of all items what an earlier try did for them', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });
		const run = await bench.activate([1, 2, 3], {}, { retryOnFail: { maxTries: 2 } });
		expect(outcomesOf(run)).toEqual(['activated', 'activated', 'activated']);
		expect(bench.credits).toBe(3);
	});
});

describe('a listing that has one already', () => {
	const existing = async (
		result: 'PENDING' | 'ACTIVATED' | 'SCHEDULED' | 'ERROR' | 'DEACTIVATED',
		resource = 'premiumListing',
	) => {
		const { products } = bench.sandbox;
		products.configure({ settleAfterGets: null });
		const run = await bench.run({ resource, waitForResult: false });
		products.configure({ settleAfterGets: 0 });
		const id = idOf(run);
		if (result === 'DEACTIVATED') {
			products.settle(id, { result: 'ACTIVATED' });
			bench.sandbox.advance(40 * 24 * 3_600_000);
		} else if (result !== 'PENDING') products.settle(id, { result });
		return id;
	};

	it.each([
		['PENDING', 'alreadyPending'],
		['ACTIVATED', 'alreadyActive'],
		['SCHEDULED', 'alreadyScheduled'],
	] as const)('as %s is not ordered again', async (result, outcome) => {
		for (const resource of ['premiumListing', 'weeklyFeaturedProperty']) {
			const id = await existing(result, resource);
			const before = bench.credits;
			bench.sandbox.advance(60_000);
			const run = await bench.run({ resource });
			expect(run.items[0]?.json).toMatchObject({ id, outcome });
			expect(bench.exchanges.slice(-1)).toEqual(['GET 200']);
			expect(bench.credits).toBe(before);
		}
		expect(bench.credits).toBe(2);
	});

	it.each(['ERROR', 'DEACTIVATED'] as const)('as %s is ordered', async (result) => {
		await existing(result);
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});

	it('twice among the items is ordered once, and both have the result', async () => {
		const run = await bench.activate([1, '2', 2, ' 2 ']);
		expect(outcomesOf(run)).toEqual(Array(4).fill('activated'));
		expect(new Set(run.items.map(({ json }) => json.id)).size).toBe(2);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(run.hints[0]?.message).toMatch(/listing 2 was asked for by 3 items \(2, 3, 4\)/);
		expect(bench.credits).toBe(2);
	});

	it('by two IDs among the items is activated once, and both say so', async () => {
		const { listingOf } = jest.requireActual<{ listingOf: (id: string) => number }>(
			'../../../lab/sandbox/products',
		);
		const input = [
			{ json: { type: 'customer', listing: 'OUR-1' } },
			{ json: { type: 'listing', listing: listingOf('OUR-1') } },
		];
		const run = await bench.run(
			{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.listing }}' },
			{ input },
		);
		expect(outcomesOf(run)).toEqual(['activated', 'activated']);
		expect(bench.credits).toBe(1);
	});
});

describe('an activation that fails', () => {
	it.each([
		[1_021_004, 'array', 'the listing has too few images', /Add images/],
		[1_021_005, 'object', 'the listing’s full description is too short', /200 characters/],
		[1_021_006, 'array', 'the agency’s contract does not include this product', /contract/],
		[1_011_901, 'array', 'this client has no access to the listing', /one of this agency/],
		[1_011_051, 'array', 'the service does not know the listing', /on the portal/],
		[1_021_999, 'array', 'the service could not fulfil the order', /Correct what the service/],
	] as const)(
		'names the reason of code %d, given as an %s',
		async (code, errorsAs, problem, remedy) => {
			const errors = [{ reason: 'As the register has it', code }];
			bench.sandbox.products.configure({ result: 'ERROR', errors, errorsAs });
			const { error } = await bench.run();
			expect(error?.message).toBe(`Premium listing of listing 123 was not activated: ${problem}`);
			expect(error?.description).toMatch(remedy);
			expect(error?.description).toContain(`“As the register has it” (code ${code})`);
		},
	);

	it('is one failed item among good ones where the node continues', async () => {
		bench.failPost({ kind: 'status', status: 403, after: 1, times: 2 });
		const run = await bench.activate([1, 2, 3], {}, { onError: 'continueErrorOutput' });
		expect(outcomesOf(run)).toEqual(['activated', 'activated']);
		expect(run.outputs[1]?.[0]?.json.error).toMatch(
			/^Premium listing of listing 2: The service refused access/,
		);
	});

	it('ends the step before another order goes out, where the node stops', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });
		const { error } = await bench.activate([1, 2, 3]);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(bench.credits).toBe(1);
	});

	it('shows no secret and no token', async () => {
		const { clientSecret } = bench.sandbox.productsClient;
		const errors = [{ reason: `bad ${clientSecret}`, code: 1_021_999 }];
		bench.sandbox.products.configure({ result: 'ERROR', errors });
		const run = await bench.run();
		expect(visibleText(run)).not.toContain(JSON.stringify(clientSecret).slice(1, -1));
		for (const token of bench.sandbox.tokens.byValue.keys()) {
			expect(visibleText(run)).not.toContain(token);
		}
	});
});

describe('get, get many and update highlights', () => {
	const made = async (listingId = 123) => {
		const run = await bench.run({ listingId });
		return idOf(run);
	};

	it('gets an activation by its ID', async () => {
		const id = await made();
		const run = await bench.run({ operation: 'get', activationId: ` ${id} ` });
		expect(run.items).toMatchObject([
			{ json: { id, status: { result: 'ACTIVATED' } }, pairedItem: { item: 0 } },
		]);
	});

	it('tells of an ID that is none, before any request, and of one that is unknown', async () => {
		const wrong = await bench.run({ operation: 'get', activationId: '123' });
		expect(wrong.error?.message).toBe('“Activation ID” is not the ID of an activation');
		expect(bench.sandbox.requests).toEqual([]);
		const unknown = await bench.run({
			operation: 'get',
			activationId: '4f7a2c1e-0000-4000-8000-000000000001',
		});
		expect(unknown.error?.message).toBe('The service found no such activation (404)');
	});

	it('gets the activations that pass the filters, newest first, up to the limit', async () => {
		const ids: string[] = [];
		for (const listing of [1, 2, 3]) {
			ids.unshift(await made(listing));
			bench.sandbox.advance(60_000);
		}
		const getAll = async (parameters = {}) => {
			const run = await bench.run({ operation: 'getAll', ...parameters });
			return run.items.map(({ json }) => json.id);
		};
		expect(await getAll()).toEqual(ids);
		expect(await getAll({ limit: 2 })).toEqual(ids.slice(0, 2));
		expect(await getAll({ filters: { listingId: '2' } })).toEqual([ids[1]]);
		bench.sandbox.advance(30 * 24 * 3_600_000);
		const last = await made(4);
		expect(await getAll({ returnAll: true, filters: { activeOnly: true } })).toEqual([last]);
		expect(await getAll({ filters: { activeOnly: false } })).toHaveLength(4);
		expect(
			await getAll({
				filters: { createdFrom: new Date(bench.sandbox.now() - 3_600_000).toISOString() },
			}),
		).toEqual([last]);
	});

	describe.each([
		['premiumListing', 'premium-listings', ['2026-03-02T08:30:00Z', '2026-03-02T20:00:00Z']],
		['weeklyFeaturedProperty', 'weekly-featured-properties', ['2026-03-01', undefined]],
	] as const)('%s by date', (resource, product, [from, to]) => {
		const START = Date.UTC(2026, 2, 2, 8, 30);
		const filters = { createdFrom: '2026-03-02T08:30:00', createdTo: '2026-03-02T20:00:00' };

		/** The listings of what is got. */
		const got = async (more = {}) => {
			const parameters = { resource, operation: 'getAll', filters: { ...filters, ...more } };
			return (await bench.run(parameters)).items.map(({ json }) => json.listingId);
		};

		beforeEach(() => {
			bench.setClock(START - 1_000);
			for (const [listingId, ms] of [1_000, 1_000, 11.5 * 3_600_000 - 1_000, 1_000].entries()) {
				bench.sandbox.products.activate(product, { listingId }, bench.clientId);
				bench.sandbox.advance(ms);
			}
			bench.sandbox.products.activate(product, { listingId: 4 }, bench.clientId);
		});

		afterEach(() => {
			jest.useRealTimers();
		});

		it('has both ends, to the second, and sends them as this product knows them', async () => {
			expect(await got()).toEqual([3, 2, 1]);
			const { date_from, date_to } = bench.productRequests.at(-1)?.query ?? {};
			expect([date_from, date_to]).toEqual([[from], to && [to]]);
		});

		it('has either end alone', async () => {
			expect(await got({ createdTo: '' })).toEqual([4, 3, 2, 1]);
			expect(await got({ createdFrom: '' })).toEqual([3, 2, 1, 0]);
			expect(bench.productRequests.at(-1)?.query.date_from).toBeUndefined();
		});

		it('takes times with offsets and nanoseconds', async () => {
			for (const times of ['offset', 'nanoseconds'] as const) {
				bench.sandbox.products.clear();
				bench.sandbox.products.configure({ times });
				bench.sandbox.advance(START - bench.sandbox.now());
				bench.sandbox.products.activate(product, { listingId: 7 }, bench.clientId);
				bench.sandbox.advance(-1_000);
				bench.sandbox.products.activate(product, { listingId: 8 }, bench.clientId);
				expect(await got()).toEqual([7]);
			}
		});
	});

	it.each([
		['its code', undefined, 400],
		['400', 400, 400],
		['404', 404, 404],
	] as const)('tells of an own ID that matches no listing, by %s', async (_, status, shown) => {
		bench.sandbox.products.configure({ unknownListings: ['OUR-9'] });
		if (status) bench.sandbox.faults.add({ method: 'GET', kind: 'status', status, body: 'empty' });
		const filters = { customerListingId: 'OUR-9' };
		const { error } = await bench.run({ operation: 'getAll', filters });
		expect(error?.message).toBe(`The service finds no listing for this ID of yours (${shown})`);
		expect(error?.description).toMatch(/Check the filter “Customer Listing ID”/);
	});

	it('does not take another refusal for an unknown ID', async () => {
		const getAll = async (filters: INodeParameters, status: number) => {
			bench.sandbox.faults.clear();
			const fault = { kind: 'status', status, body: 'empty', times: Infinity } as const;
			bench.sandbox.faults.add({ method: 'GET', ...fault });
			return (await bench.run({ operation: 'getAll', filters })).error?.message;
		};
		expect(await getAll({ listingId: 9 }, 400)).toMatch(/refused the request \(400\)/);
		expect(await getAll({ customerListingId: 'OUR-9' }, 403)).toMatch(/refused access/);
	});

	it('keeps an activation of unknown age in every period', async () => {
		const front = await Front.start(bench.sandbox);
		bench.stored.productsUrl = front.productsUrl;
		const ages = [
			undefined,
			'0001-01-01T00:00Z',
			'soon',
			1_700_000_000_000,
			'2020-01-01T00:00:00Z',
		];
		const rows = ages.map((createdAt, listingId) => ({ listingId, createdAt }));
		front.answer(() => json(200, rows));
		const filters = { createdFrom: '2026-03-02T00:00:00', createdTo: '2026-03-03T00:00:00' };
		const run = await bench.run({ operation: 'getAll', filters });
		await front.stop();
		expect(run.items.map(({ json: { listingId } }) => listingId)).toEqual([0, 1, 2, 3]);
	});

	it('refuses two IDs of a listing in one question', async () => {
		const filters = { listingId: 1, customerListingId: 'OUR-1' };
		const { error } = await bench.run({ operation: 'getAll', filters });
		expect(error?.message).toBe('“Filters” name a listing twice');
		expect(bench.sandbox.requests).toEqual([]);
	});

	const update = async (activationId: string, more = {}) =>
		await bench.run({
			operation: 'updateHighlights',
			activationId,
			highlights: { highlight: [{ id: 5, description: 'New kitchen' }] },
			...more,
		});

	it('changes the highlights', async () => {
		const id = await made();
		const run = await update(id);
		expect(run.items[0]?.json).toMatchObject({ id, status: { currently: 'WAITING_FOR_UPDATE' } });
		const after = await bench.run({ operation: 'get', activationId: id });
		expect(after.items[0]?.json.highlights).toEqual([
			{ id: 5, description: 'New kitchen', key: 'highlight-5' },
		]);
	});

	it.each([
		['429', { kind: 'status', status: 429 }],
		['a reset before', { kind: 'reset' }],
		['a reset after', { kind: 'reset', when: 'after' }],
		['500 after', { kind: 'status', status: 500, when: 'after' }],
		['an expired token', { kind: 'status', status: 401 }],
	] as const)('changes them once in spite of %s', async (_, fault) => {
		const id = await made();
		bench.sandbox.products.configure({ settleAfterGets: 1 });
		bench.sandbox.faults.add({ method: 'PATCH', ...fault });
		const run = await update(id);
		expect(run.items[0]?.json).toMatchObject({ id });
		bench.sandbox.products.settle(id);
		expect(bench.sandbox.products.list('premium-listings')[0]?.shown.highlights).toEqual([
			{ id: 5, description: 'New kitchen', key: 'highlight-5' },
		]);
	});

	it('says why they cannot be changed', async () => {
		bench.sandbox.products.configure({ settleAfterGets: null });
		const pending = await bench.run({ waitForResult: false });
		const { error } = await update(idOf(pending));
		expect(error?.message).toMatch(/^The highlights were not changed: the premium listing is not/);
		const unknown = await update('4f7a2c1e-0000-4000-8000-000000000001');
		expect(unknown.error?.message).toBe('The service found no such activation (404)');
	});
});

describe('the node', () => {
	it('is no tool for a model', () => {
		const { description } = new AgentProducts();
		expect(description).toHaveProperty('usableAsTool', undefined);
	});

	it('knows no other operation', async () => {
		const { error } = await bench.run({ operation: 'delete' });
		expect(error?.message).toBe('“Operation” is unknown');
	});
});
