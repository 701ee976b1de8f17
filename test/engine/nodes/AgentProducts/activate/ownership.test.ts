import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';
import type { INodeParameters } from 'n8n-workflow';

import type { Answer, Change } from '../../../../lab/engine/relay';
import { eachActivation, empty, json } from '../../../../lab/engine/relay';
import { changed, lists } from '../../../../lab/engine/productAnswers';
import { outcomesOf } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';
import { MINUTE } from '../../../../lab/times';

const bench = useQuickProducts();
const relay = useRelay(bench);

/** A service that shows all that it has, whatever it is asked for. */
const ignoreFilters: Change = async ({ isList }, pass) => {
	if (!isList) return await pass();
	return json(
		200,
		bench.sandbox.products.list('premium-listings').map(({ shown }) => shown),
	);
};

const withoutListing = eachActivation((activation) => omit(activation, 'listingId'));

const listingAsText = eachActivation(({ listingId, ...rest }) => ({
	...rest,
	listingId: ` ${String(listingId)}`,
}));

const untold = changed({ createdAt: undefined });

const posts = () => relay.exchanges.filter((exchange) => exchange.startsWith('POST'));

const OWN_ID: INodeParameters = { listingIdType: 'customer', listingId: 'OUR-1' };

describe('whose an activation is', () => {
	it.each<[string, Change]>([
		['does not name its listing', withoutListing],
		['names its listing as text', listingAsText],
		['names its listing as null', changed({ listingId: null })],
	])('the listing’s, if it %s', async (_, change) => {
		const id = bench.somebodys(123, 'SCHEDULED');
		relay.answer(change);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change[]]>([
		['as a number', []],
		['as text', [listingAsText]],
	])('another’s, if it names that %s', async (_, changes) => {
		bench.somebodys(777, 'SCHEDULED');
		relay.answer(ignoreFilters);
		changes.forEach((change) => relay.answer(change));

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ outcome: 'activated' });
		expect(Number(run.items[0]?.json.listingId)).toBe(123);
		expect(bench.credits).toBe(2);
	});

	it('is seen among those of other listings', async () => {
		const id = bench.somebodys(123, 'SCHEDULED');
		bench.sandbox.advance(MINUTE);
		bench.somebodys(777, 'ACTIVATED');
		relay.answer(ignoreFilters);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.credits).toBe(2);
	});

	it('is not guessed if others are shown and it does not say', async () => {
		bench.somebodys(777, 'ACTIVATED');
		const nameless = bench.somebodys(123, 'SCHEDULED');
		relay.answer(ignoreFilters);
		relay.answer(
			eachActivation(({ listingId, ...rest }) =>
				rest.id === nameless ? rest : { ...rest, listingId },
			),
		);

		const { error } = await bench.run();

		expect(error?.message).toBe(
			'Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: The service shows activations of other listings as well',
		);
		expect(error?.description).toMatch(/Use the portal listing ID/);
		expect(bench.credits).toBe(2);
	});

	it('is not guessed by the agency’s ID if several listings are shown', async () => {
		bench.somebodys(777, 'ACTIVATED');
		bench.somebodys(listingOf('OUR-1'), 'SCHEDULED');
		relay.answer(ignoreFilters);

		const { error } = await bench.run(OWN_ID);

		expect(error?.message).toMatch(/shows activations of other listings as well$/);
		expect(bench.credits).toBe(2);
	});

	it.each<[string, INodeParameters, Change[]]>([
		['by the agency’s ID', OWN_ID, []],
		['if it names none', {}, [withoutListing]],
	])(
		'is not guessed %s from what a service shows whatever it is asked for',
		async (_, id, changes) => {
			bench.somebodys(777, 'ACTIVATED');
			relay.answer(ignoreFilters);
			changes.forEach((change) => relay.answer(change));

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
	])('is believed if a listing that nobody has is answered with %s', async (_, answer) => {
		const id = bench.somebodys(listingOf('OUR-1'), 'SCHEDULED');
		relay.answer(lists(answer, { from: 1, times: 1 }));

		const run = await bench.run(OWN_ID);

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(posts()).toEqual([]);
	});

	it('is not guessed if that cannot be known', async () => {
		bench.somebodys(listingOf('OUR-1'), 'SCHEDULED');
		relay.answer(lists(empty(500), { from: 1, times: 1 }));

		const { error } = await bench.run({ ...OWN_ID, options: { maxTries: 1 } });

		expect(error?.message).toMatch(/: Nothing was ordered, .*\(500\)$/);
		expect(posts()).toEqual([]);
	});

	it('does not matter if all of them are over', async () => {
		bench.somebodys(777, 'ERROR');
		bench.somebodys(listingOf('OUR-1'), 'ERROR');
		relay.answer(ignoreFilters);

		expect(outcomesOf(await bench.run(OWN_ID))).toEqual(['activated']);
	});

	it.each<[string, Change]>([
		['without its listing', withoutListing],
		['with its listing as text', listingAsText],
	])('shown %s is not missed after a lost answer', async (_, change) => {
		relay.answer(change);
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR' });
		bench.failPost({ kind: 'reset', when: 'after', times: 3 });

		const { error } = await bench.run();

		expect(error?.message).toMatch(
			/^Premium listing for listing 123 was ordered, but not activated: /,
		);
		expect(posts()).toEqual(['POST 0']);
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change]>([
		['without its listing', withoutListing],
		['with its listing as text', listingAsText],
	])('by two IDs, shown %s, a failure is paid for once', async (_, change) => {
		relay.answer(change);
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
			Array(2).fill(expect.stringMatching(/ was ordered, but not activated: /)),
		);
		expect(bench.credits).toBe(1);
	});
});

describe('one listing by two IDs', () => {
	const customer = { json: { type: 'customer', listing: 'OUR-1' as string | number } };
	const listing = { json: { type: 'listing', listing: listingOf('OUR-1') } };

	const both = async (input = [customer, listing], parameters = {}) =>
		await bench.run(
			{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.listing }}', ...parameters },
			{ input, onError: 'continueRegularOutput' },
		);

	it.each([
		['the agency’s ID first', [customer, listing]],
		['the service’s ID first', [listing, customer]],
	])('%s: a failure is paid for once, and both items have it', async (_, input) => {
		bench.failAtOnce();

		const run = await both(input);

		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/ but not activated: the listing has too few images$/),
			expect.stringMatching(/ but not activated: the listing has too few images$/),
		]);
		expect(bench.credits).toBe(1);
	});

	it.each([
		['the list does not tell when it was made, and cannot be read at first', empty(500), untold],
		['the list shows it late', json(200, []), eachActivation((activation) => activation)],
	])(
		'is told as ordered by the second try, whichever finds it first: %s',
		async (_, late, change) => {
			bench.sandbox.products.configure({ settleAfterMs: 0, result: 'SCHEDULED' });
			bench.loseAnswers();
			relay.answer(lists(empty(500), { times: 1 }));
			relay.answer(lists(late, { from: 2, times: 1 }));
			relay.answer(change);

			const run = await bench.run(
				{
					listingIdType: '={{ $json.type }}',
					listingId: '={{ $json.listing }}',
					options: { maxTries: 1 },
				},
				{
					input: [customer, listing],
					onError: 'continueRegularOutput',
					retryOnFail: { maxTries: 2 },
				},
			);

			expect(posts()).toEqual(['POST 0']);
			expect(outcomesOf(run)).toEqual(['scheduled', 'scheduled']);
			expect(run.hints).toEqual([]);
		},
	);

	it('is not paid for again if the list shows late what the first order has made', async () => {
		bench.failAtOnce();
		bench.loseAnswers();
		relay.answer(lists(json(200, []), { from: 1, times: 1 }));

		const run = await both([customer, listing], { options: { maxTries: 1 } });

		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/^Premium listing for your listing OUR-1: It is not known whether/),
			expect.stringMatching(/ which may have been for this listing, may have failed$/),
		]);
		expect(bench.credits).toBe(1);
	});

	it('is not said to have cost nothing if the list shows late what the first order has made', async () => {
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		bench.loseAnswers();
		relay.answer(lists(json(200, []), { from: 1, times: 1 }));

		const run = await both([customer, listing], { options: { maxTries: 1 } });

		expect(run.items[0]?.json.error).toMatch(/It is not known whether/);
		expect(run.hints).toEqual([]);
		expect(bench.credits).toBe(1);
	});

	it('is not paid for again if nobody knows what became of the first order', async () => {
		bench.failAtOnce();
		bench.loseAnswers();
		relay.answer(lists(empty(500), { from: 1, times: 2 }));

		const run = await both([customer, listing], { options: { maxTries: 2 } });

		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/^Premium listing for your listing OUR-1: It is not known whether/),
			expect.stringMatching(/ but not activated: the listing has too few images$/),
		]);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 500', 'GET 500', 'GET 200']);
		expect(bench.credits).toBe(1);
	});
});
