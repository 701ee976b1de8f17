import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import omit from 'lodash/omit';
import type { INodeParameters } from 'n8n-workflow';

import * as retry from '../../../../service/http/retry';
import { listingOf } from '../../../lab/sandbox/products';
import { shortenBackoff } from '../../../lab/engine/bench';
import type { Answer, Change, Shown } from '../../../lab/engine/front';
import { eachActivation, empty, Front, json } from '../../../lab/engine/front';
import { outcomesOf, ProductsBench } from '../../../lab/engine/products';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let bench: ProductsBench;
let front: Front;

beforeEach(async () => {
	shortenBackoff();
	bench = await ProductsBench.start();
	bench.sandbox.products.configure({ settleAfterGets: 0 });
	front = await Front.start(bench.sandbox);
	bench.stored.productsUrl = front.productsUrl;
	jest.spyOn(retry, 'pause').mockResolvedValue();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await front.stop();
	await bench.stop();
});

type Result = 'ACTIVATED' | 'SCHEDULED' | 'ERROR';

/** What somebody has ordered before, for a premium listing. */
const somebodys = (listingId: number, result?: Result, order = {}) => {
	const { products } = bench.sandbox;
	const { id } = products.activate('premium-listings', { listingId, ...order }, bench.clientId);
	if (result) products.settle(id, { result });
	return id;
};

/** A service that shows all that it has, whatever it is asked for. */
const ignoreFilters: Change = async ({ isList }, pass) => {
	if (!isList) return await pass();
	return json(
		200,
		bench.sandbox.products.list('premium-listings').map(({ shown }) => shown),
	);
};

/** Answers one of the requests for lists, by its number from 0. */
const lists = (answer: Answer, number: number): Change => {
	let given = 0;
	return async ({ isList }, pass) => (isList && given++ === number ? answer : await pass());
};

const changed = (changes: Shown) => eachActivation((activation) => ({ ...activation, ...changes }));

const withoutListing = eachActivation((activation) => omit(activation, 'listingId'));

const listingAsText = eachActivation(({ listingId, ...rest }) => ({
	...rest,
	listingId: ` ${String(listingId)}`,
}));

const page: Answer = {
	status: 200,
	headers: { 'content-type': 'text/html' },
	body: '<html></html>',
};

const posts = () => front.exchanges.filter((exchange) => exchange.startsWith('POST'));

const OWN_ID: INodeParameters = { listingIdType: 'customer', listingId: 'OUR-1' };

describe('the look before an order', () => {
	it.each<[string, Answer | 'lost', RegExp]>([
		['500', empty(500), /cannot answer just now \(500\)$/],
		['a lost connection', 'lost', /connection to the service was lost$/],
		['429', empty(429), /busy and asks to wait \(429\)$/],
		['400', empty(400), /refused the request \(400\)$/],
		['403', empty(403), /refused access to the listing or the product \(403\)$/],
		['a redirect', empty(302, { location: '/' }), /redirects elsewhere \(302\)$/],
		['a page', page, /web page instead of data$/],
		['an object', json(200, {}), /unknown shape$/],
		['no activation', json(200, [{}]), /without an activation$/],
		['a list cut short', { ...json(200, []), body: '[{"id":' }, /cut short$/],
	])('that is answered with %s: nothing is ordered', async (_, answer, reason) => {
		front.answer(async ({ isList }, pass) => (isList ? answer : await pass()));
		const { items, error } = await bench.run({ options: { maxTries: 2 } });
		expect(items).toEqual([]);
		expect(error?.message).toMatch(
			/^Premium listing of listing 123: Nothing was ordered, since the node could not look first: /,
		);
		expect(error?.message).toMatch(reason);
		expect(error?.description).toMatch(/./);
		expect(posts()).toEqual([]);
		expect(bench.credits).toBe(0);
	});

	it.each([empty(500), empty(429, { 'retry-after': '1' }), 'lost' as const])(
		'is repeated within the limits (%#)',
		async (answer) => {
			let failures = 2;
			front.answer(async ({ isList }, pass) => (isList && failures-- > 0 ? answer : await pass()));
			expect(outcomesOf(await bench.run())).toEqual(['activated']);
			expect(front.exchanges.slice(2)).toEqual(['GET 200', 'POST 202', 'GET id 200']);
			expect(bench.credits).toBe(1);
		},
	);

	it('is taken once, however often a busy service has the order sent', async () => {
		bench.failPost({ kind: 'status', status: 429, times: 2 });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(front.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 429', 'POST 429', 'POST 202']);
	});

	it('is taken again where n8n tries the step again', async () => {
		bench.failPost({ kind: 'status', status: 400 });
		const run = await bench.run({}, { retryOnFail: { maxTries: 2 } });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 400', 'GET 200', 'POST 202']);
	});

	it.each([
		['its code', () => bench.sandbox.products.configure({ unknownListings: ['OUR-1'] })],
		['400', () => front.answer(async ({ isList }, pass) => (isList ? empty(400) : await pass()))],
		['404', () => front.answer(async ({ isList }, pass) => (isList ? empty(404) : await pass()))],
	])('tells of an own ID that matches no listing, by %s', async (_, prepare) => {
		prepare();
		const { error } = await bench.run(OWN_ID);
		expect(error?.message).toBe(
			'Premium listing of your listing OUR-1 was not activated: the service finds no listing for this ID of yours',
		);
		expect(error?.description).toMatch(/Check “Listing ID”.*30 minutes.*“Listing ID Type”/);
		expect(posts()).toEqual([]);
	});

	it('goes out once for each listing, in front of its order', async () => {
		await bench.activate([1, 2], { waitForResult: false });
		expect(front.exchanges).toEqual(['GET 200', 'POST 202', 'GET 200', 'POST 202']);
	});
});

describe('an activation that is planned', () => {
	it.each([
		['the service’s ID', {}],
		['the agency’s ID', OWN_ID],
	])('is not paid for twice, by %s', async (_, parameters) => {
		const listing = 'listingId' in parameters ? listingOf('OUR-1') : 123;
		const id = somebodys(listing, 'SCHEDULED');
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

	it('is not paid for twice by an item with its other ID', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED', settleAfterMs: 0 });
		const input = [
			{ json: { type: 'listing', id: listingOf('OUR-1') } },
			{ json: { type: 'customer', id: 'OUR-1' } },
		];
		const run = await bench.run(
			{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.id }}' },
			{ input },
		);
		expect(outcomesOf(run)).toEqual(['scheduled', 'scheduled']);
		expect(bench.credits).toBe(1);
	});
});

describe('whose an activation is', () => {
	it.each<[string, Change]>([
		['does not name its listing', withoutListing],
		['names its listing as text', listingAsText],
		['names its listing as null', changed({ listingId: null })],
	])('the listing’s, where it %s', async (_, change) => {
		const id = somebodys(123, 'SCHEDULED');
		front.answer(change);
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change[]]>([
		['as a number', []],
		['as text', [listingAsText]],
	])('another’s, where it names that %s', async (_, changes) => {
		somebodys(777, 'SCHEDULED');
		front.answer(ignoreFilters);
		changes.forEach((change) => front.answer(change));
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ outcome: 'activated' });
		expect(Number(run.items[0]?.json.listingId)).toBe(123);
		expect(bench.credits).toBe(2);
	});

	it('is seen among those of other listings', async () => {
		const id = somebodys(123, 'SCHEDULED');
		bench.sandbox.advance(MINUTE);
		somebodys(777, 'ACTIVATED');
		front.answer(ignoreFilters);
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.credits).toBe(2);
	});

	it('is not guessed where others are shown and it does not say', async () => {
		somebodys(777, 'ACTIVATED');
		const nameless = somebodys(123, 'SCHEDULED');
		front.answer(ignoreFilters);
		front.answer(
			eachActivation(({ listingId, ...rest }) =>
				rest.id === nameless ? rest : { ...rest, listingId },
			),
		);
		const { error } = await bench.run();
		expect(error?.message).toBe(
			'Premium listing of listing 123: Nothing was ordered, since the node could not look first: The service shows activations of other listings as well',
		);
		expect(error?.description).toMatch(/Use the service’s own ID of the listing/);
		expect(bench.credits).toBe(2);
	});

	it('is not guessed by the agency’s ID where several listings are shown', async () => {
		somebodys(777, 'ACTIVATED');
		somebodys(listingOf('OUR-1'), 'SCHEDULED');
		front.answer(ignoreFilters);
		const { error } = await bench.run(OWN_ID);
		expect(error?.message).toMatch(/shows activations of other listings as well$/);
		expect(bench.credits).toBe(2);
	});

	it.each<[string, INodeParameters, Change[]]>([
		['by the agency’s ID', OWN_ID, []],
		['where it names none', {}, [withoutListing]],
	])(
		'is not guessed %s from what a service shows whatever it is asked for',
		async (_, id, changes) => {
			somebodys(777, 'ACTIVATED');
			front.answer(ignoreFilters);
			changes.forEach((change) => front.answer(change));
			const { error } = await bench.run(id);
			expect(error?.message).toMatch(
				/: Nothing was ordered, .* shows activations of other listings/,
			);
			expect(posts()).toEqual([]);
		},
	);

	it.each<[string, Answer]>([
		['an empty list', json(200, [])],
		['400', empty(400)],
		['404', empty(404)],
		['its code', json(400, { errors: [{ reason: 'No match', code: 1_011_061 }] })],
	])('is believed where a listing that nobody has is answered with %s', async (_, answer) => {
		const id = somebodys(listingOf('OUR-1'), 'SCHEDULED');
		front.answer(lists(answer, 1));
		const run = await bench.run(OWN_ID);
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(posts()).toEqual([]);
	});

	it('is not guessed where that cannot be known', async () => {
		somebodys(listingOf('OUR-1'), 'SCHEDULED');
		front.answer(lists(empty(500), 1));
		const { error } = await bench.run({ ...OWN_ID, options: { maxTries: 1 } });
		expect(error?.message).toMatch(/: Nothing was ordered, .*\(500\)$/);
		expect(posts()).toEqual([]);
	});

	it('does not matter where all of them are over', async () => {
		somebodys(777, 'ERROR');
		somebodys(listingOf('OUR-1'), 'ERROR');
		front.answer(ignoreFilters);
		expect(outcomesOf(await bench.run(OWN_ID))).toEqual(['activated']);
	});

	it.each<[string, Change]>([
		['without its listing', withoutListing],
		['with its listing as text', listingAsText],
	])('shown %s is not missed after a lost answer', async (_, change) => {
		front.answer(change);
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR' });
		bench.failPost({ kind: 'reset', when: 'after', times: 3 });
		const { error } = await bench.run();
		expect(error?.message).toMatch(/^Premium listing of listing 123 was not activated: /);
		expect(posts()).toEqual(['POST 0']);
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change]>([
		['without its listing', withoutListing],
		['with its listing as text', listingAsText],
	])('by two IDs, shown %s, a failure is paid for once', async (_, change) => {
		front.answer(change);
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR' });
		const input = [
			{ json: { type: 'customer', id: 'OUR-1' } },
			{ json: { type: 'listing', id: listingOf('OUR-1') } },
		];
		const run = await bench.run(
			{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.id }}' },
			{ input, onError: 'continueRegularOutput' },
		);
		expect(run.items.map(({ json: { error } }) => error)).toEqual(
			Array(2).fill(expect.stringMatching(/ was not activated: /)),
		);
		expect(bench.credits).toBe(1);
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
		somebodys(123, 'ACTIVATED');
		front.answer(changed(changes()));
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
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.advance(40 * DAY);
		front.answer(
			eachActivation((activation) =>
				activation.id === id ? { ...activation, ...changes() } : activation,
			),
		);
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});

	it('nor what has failed a minute before an order whose answer is lost', async () => {
		somebodys(123, 'ERROR');
		bench.sandbox.advance(MINUTE);
		bench.failPost({ kind: 'reset' });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(front.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 202']);
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

	it('in the answer is found in the list', async () => {
		front.answer(withoutId);
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id: expect.any(String), outcome: 'activated' });
		expect(front.exchanges).toEqual(['GET 200', 'POST 202', 'GET 200', 'GET id 200']);
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change, string]>([
		['the list has none either', changed({ id: undefined }), 'pending'],
		[
			'the list shows nothing',
			async ({ isList }, pass) => (isList ? json(200, []) : await pass()),
			'pending',
		],
		[
			'the list fails',
			async ({ isList, earlier }, pass) => (isList && earlier === 1 ? empty(500) : await pass()),
			'activated',
		],
	])('anywhere is paid for, and not ordered again, where %s', async (_, change, other) => {
		front.answer(withoutId);
		front.answer(change);
		bench.failPost({ kind: 'status', status: 400, after: 1, times: 1 });
		const run = await bench.activate(
			[1, 2],
			{ options: { maxTries: 1 } },
			{ retryOnFail: { maxTries: 2 } },
		);
		expect(outcomesOf(run)).toEqual(['pending', other]);
		expect(run.items[0]?.json).toMatchObject({ listingId: 1, status: { result: 'PENDING' } });
		expect(bench.credits).toBe(2);
	});

	it('is listed all the same', async () => {
		somebodys(123, 'ACTIVATED');
		front.answer(changed({ id: undefined }));
		const { items } = await bench.run({ operation: 'getAll' });
		expect(items).toMatchObject([{ json: { listingId: 123 } }]);
	});
});
