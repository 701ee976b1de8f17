import { describe, expect, it } from '@jest/globals';

import type { NodeRun } from '../../../../lab/engine/engine';
import type { Change } from '../../../../lab/engine/relay';
import { creationTimes, eachActivation, json, withoutDate } from '../../../../lab/engine/relay';
import { changed, lists, meanwhile } from '../../../../lab/engine/productAnswers';
import { outcomesOf } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { expectFewImages, useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';
import { SECOND, MINUTE, HOUR, DAY } from '../../../../lab/times';

const bench = useQuickProducts();
const relay = useRelay(bench);

/** The service's clock is ahead by this much, and what it says of the time is changed. */
type Times = [name: string, aheadMs: number, changes: Change[]];

const dateAhead =
	(ms: number): Change =>
	async (_, pass) => {
		const answer = await pass();
		if (answer === 'lost') return answer;
		const date = new Date(Date.parse(String(answer.headers.date)) + ms).toUTCString();
		return { ...answer, headers: { ...answer.headers, date } };
	};

const createdEarlier = (ms: number) =>
	eachActivation((activation) => ({
		...activation,
		createdAt: new Date(Date.parse(String(activation.createdAt)) - ms).toISOString(),
	}));

/** What a run says of an order in doubt. */
function unknown({ items, error }: NodeRun): string {
	expect(items).toEqual([]);
	expect(error?.message).toMatch(
		/^Premium listing for listing 123: It is not known whether it was activated: /,
	);
	expect(error?.description).toMatch(/^A credit may have been spent\..*Check with Get Many/);
	return error?.message ?? '';
}

describe('an order whose answers are lost', () => {
	const times: Times[] = [
		['created in seconds', 0, []],
		['created in minutes', 0, [creationTimes('in minutes')]],
		['created nobody knows when', 0, [creationTimes('missing')]],
		['no Date', 0, [withoutDate]],
		['no Date, 7 min behind', -7 * MINUTE, [withoutDate]],
		['an hour ahead', HOUR, []],
		['two days behind', -2 * DAY, []],
		['a Date two days ahead', 0, [dateAhead(2 * DAY)]],
		['created by a clock 4 s behind', 0, [createdEarlier(4 * SECOND)]],
	];

	it.each(times)('%s: a failure is not paid for again', async (_, aheadMs, changes) => {
		bench.sandbox.advance(aheadMs);
		changes.forEach((change) => relay.answer(change));
		bench.failAtOnce();
		bench.loseAnswers();

		expectFewImages(await bench.run());
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it.each(times)('%s: what is active is its own', async (_, aheadMs, changes) => {
		bench.sandbox.advance(aheadMs);
		changes.forEach((change) => relay.answer(change));
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		bench.loseAnswers();

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it.each<[string, Change[]]>([
		['with its ID', []],
		['without an ID', [changed({ id: undefined })]],
	])('does not make its own what was there before, shown %s', async (_, changes) => {
		bench.sandbox.advance(-10 * MINUTE);
		bench.somebodys(123, 'ERROR');
		bench.sandbox.advance(10 * MINUTE);
		changes.forEach((change) => relay.answer(change));
		bench.failPost({ kind: 'reset' });

		expect(unknown(await bench.run())).toMatch(/The connection to the service was lost$/);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.creditsOf(123)).toBe(1);
	});

	it('does not make its own one of two that are new', async () => {
		bench.loseAnswers();
		relay.answer(meanwhile(() => bench.somebodys(123, 'SCHEDULED')));

		expect(unknown(await bench.run())).toMatch(/The connection to the service was lost$/);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
	});

	it('does not take another listing’s activation for its own', async () => {
		bench.failPost({ kind: 'reset', times: Infinity });
		bench.somebodys(777, 'ACTIVATED');
		const [other] = bench.sandbox.products.list('premium-listings');
		relay.answer(lists(json(200, [other?.shown]), { from: 1 }));

		expect(unknown(await bench.run())).toMatch(/shows activations of other listings as well$/);
		expect(bench.creditsOf(123)).toBe(0);
	});

	it('looks by the ID of the agency’s own software', async () => {
		bench.somebodys(777, 'ACTIVATED');
		bench.failPost({ kind: 'reset', when: 'after' });

		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR 1&2' });

		expect(run.items[0]?.json).toMatchObject({
			listingId: listingOf('OUR 1&2'),
			outcome: 'activated',
		});
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'GET id 200']);
		expect(bench.creditsOf(listingOf('OUR 1&2'))).toBe(1);
	});

	it('leaves alone a listing whose activation is to start', async () => {
		bench.sandbox.advance(-DAY);
		const id = bench.somebodys(123, 'SCHEDULED');
		bench.sandbox.advance(DAY);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(relay.exchanges).toEqual(['GET 200']);
	});
});

describe('an order that surely was not sent', () => {
	it('is not looked for, nor said to be unknown', async () => {
		await bench.run({ listingId: 9, waitForResult: false });
		await relay.stop();

		const { error } = await bench.run({ options: { maxTries: 2 } });

		expect(error?.message).toBe(
			'Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: The service refused the connection',
		);
		expect(error?.description).not.toMatch(/shows no activation|not order again/);
	});
});
