import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';
import type { INodeParameters } from 'n8n-workflow';

import type { Change } from '../../../../lab/engine/relay';
import { eachActivation, json } from '../../../../lab/engine/relay';
import { changed } from '../../../../lab/engine/productAnswers';
import { useRelay } from '../../../../lab/engine/useBench';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';

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

const posts = () => relay.exchanges.filter((exchange) => exchange.startsWith('POST'));

const OWN_ID: INodeParameters = { listingIdType: 'customer', listingId: 'OUR-1' };

describe('whose an activation is', () => {
	it.each<[string, Change]>([
		['does not name its listing', withoutListing],
		['names its listing as text', listingAsText],
		['names its listing as null', changed({ listingId: null })],
		['names a listing 0, to which the portal has given no number yet', changed({ listingId: 0 })],
	])('the listing’s, if it %s', async (_, change) => {
		const id = bench.somebodys(123, 'SCHEDULED');
		relay.answer(change);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.credits).toBe(1);
	});

	const OTHERS = 'The service shows activations of other listings as well';

	it.each<[string, INodeParameters, number[], Change[]]>([
		['another listing alone', {}, [777], []],
		['another listing, as text', {}, [777], [listingAsText]],
		['another listing beside its own', {}, [777, 123], []],
		['two listings for an own ID', OWN_ID, [777, listingOf('OUR-1')], []],
	])('is not guessed if the list names %s: nothing is ordered', async (_, id, named, changes) => {
		for (const listing of named) bench.somebodys(listing, 'ERROR');
		relay.answer(ignoreFilters);
		changes.forEach((change) => relay.answer(change));

		const { error } = await bench.run(id);

		expect(error?.message).toContain(
			`Nothing was ordered, because the listing could not be checked`,
		);
		expect(error?.message.endsWith(OTHERS)).toBe(true);
		expect(error?.description).toMatch(/No order was sent.*Use the portal listing ID/);
		expect(posts()).toEqual([]);
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
});
