import { describe, expect, it } from '@jest/globals';

import type { Change, Shown } from '../../../../lab/engine/relay';
import {
	creationTimes,
	eachActivation,
	empty,
	json,
	withoutDate,
} from '../../../../lab/engine/relay';
import { changed, lists } from '../../../../lab/engine/productAnswers';
import { outcomesOf } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { expectFewImages, useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';
import { SECOND, MINUTE, HOUR, DAY } from '../../../../lab/times';

const bench = useQuickProducts();
const relay = useRelay(bench);

/** The service's clock is ahead by this much, and what it says of the time is changed. */
type Times = [name: string, aheadMs: number, changes: Change[], outcome: string];

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

describe('an order whose answers are lost', () => {
	// If the service’s times leave open whose an activation is, it counts as one that was there.
	const times: Times[] = [
		['created in seconds', 0, [], 'activated'],
		['created in minutes', 0, [creationTimes('in minutes')], 'activated'],
		['created with an offset', 0, [creationTimes('with an offset')], 'activated'],
		['created in microseconds', 0, [creationTimes('in microseconds')], 'activated'],
		['created without a zone', 0, [creationTimes('without a zone')], 'activated'],
		['created as a number', 0, [creationTimes('as a number')], 'activated'],
		['created nobody knows when', 0, [creationTimes('missing')], 'activated'],
		['no Date', 0, [withoutDate], 'activated'],
		['no Date, 5 s ahead', 5 * SECOND, [withoutDate], 'activated'],
		['no Date, 5 s behind', -5 * SECOND, [withoutDate], 'alreadyActive'],
		['no Date, 7 min ahead', 7 * MINUTE, [withoutDate], 'activated'],
		['no Date, 7 min behind', -7 * MINUTE, [withoutDate], 'alreadyActive'],
		['7 min ahead', 7 * MINUTE, [], 'activated'],
		['7 min behind', -7 * MINUTE, [], 'activated'],
		['an hour ahead', HOUR, [], 'activated'],
		['an hour behind', -HOUR, [], 'activated'],
		['two days ahead', 2 * DAY, [], 'activated'],
		['two days behind', -2 * DAY, [], 'activated'],
		['a Date two days ahead', 0, [dateAhead(2 * DAY)], 'activated'],
		['a Date two days behind', 0, [dateAhead(-2 * DAY)], 'activated'],
		['created by a clock 4 s behind', 0, [createdEarlier(4 * SECOND)], 'alreadyActive'],
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

	it.each(times)('%s: what is active is taken', async (_, aheadMs, changes, outcome) => {
		bench.sandbox.advance(aheadMs);
		changes.forEach((change) => relay.answer(change));
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		bench.loseAnswers();

		expect(outcomesOf(await bench.run())).toEqual([outcome]);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it('that the service takes while it asks to wait, and that fails', async () => {
		bench.failAtOnce();
		relay.answer(async ({ method, earlier }, pass) => {
			if (method !== 'POST' || earlier > 0) return await pass();
			setTimeout(() => bench.somebodys(123), 300);
			return empty(503, { 'retry-after': '1' });
		});

		expectFewImages(await bench.run());
		expect(relay.exchanges).toEqual(['GET 200', 'POST 503', 'GET 200']);
		expect(bench.creditsOf(123)).toBe(1);
	});

	it('does not take a failure from long before for its own', async () => {
		bench.sandbox.advance(-10 * MINUTE);
		bench.somebodys(123, 'ERROR');
		bench.sandbox.advance(10 * MINUTE);
		bench.failPost({ kind: 'reset' });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(relay.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 202']);
		expect(bench.creditsOf(123)).toBe(2);
	});

	it('leads a repeat to what it has made, which does not tell when that was (303)', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		relay.answer(lists(json(200, []), { from: 1, times: 1 }));
		relay.answer(changed({ createdAt: undefined }));

		const run = await bench.run({ options: { maxTries: 2 } });

		expect(relay.exchanges.filter((exchange) => exchange.startsWith('POST'))).toEqual([
			'POST 0',
			'POST 303',
		]);
		expect(outcomesOf(run)).toEqual(['activated']);
	});

	it('does not take a failure for its own that was there before, in a list without IDs whose times are ahead', async () => {
		const createdAt = new Date(Date.now() + 2 * MINUTE).toISOString().replace(/00\.000Z$/, '01Z');
		const failed = { listingId: 123, createdAt, status: { result: 'ERROR' } };
		bench.failPost({ kind: 'reset' });
		relay.answer(lists(json(200, [failed]), { times: 2 }));

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.creditsOf(123)).toBe(1);
	});

	it('does not take another listing’s activation for its own', async () => {
		bench.failPost({ kind: 'reset', times: Infinity });
		bench.somebodys(777, 'ACTIVATED');
		const [other] = bench.sandbox.products.list('premium-listings');
		relay.answer(lists(json(200, [other?.shown])));

		const run = await bench.run({ options: { maxTries: 2 } });

		expect(run.items).toEqual([]);
		expect(run.error?.message).toMatch(
			/^Premium listing for listing 123: It is not known whether it was activated: The connection/,
		);
		expect(run.error?.description).toMatch(/shows no activation of the listing so far/);
		expect(run.error?.description).toContain('A credit may have been spent.');
		expect(bench.creditsOf(123)).toBe(0);
	});

	it('looks by the ID of the agency’s own software', async () => {
		bench.somebodys(777, 'ACTIVATED');
		bench.failPost({ kind: 'reset' });

		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR 1&2' });

		expect(run.items[0]?.json).toMatchObject({
			listingId: listingOf('OUR 1&2'),
			outcome: 'activated',
		});
		expect(relay.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 202', 'GET id 200']);
		expect(bench.creditsOf(listingOf('OUR 1&2'))).toBe(1);
	});

	it('takes no heed of an activation whose term is over', async () => {
		bench.sandbox.advance(-40 * DAY);
		bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.advance(40 * DAY);
		relay.answer(
			eachActivation(({ status, ...activation }) => ({
				...activation,
				status: (status as Shown).result === 'DEACTIVATED' ? { result: 'ACTIVATED' } : status,
			})),
		);

		expect((await bench.run({ operation: 'getAll' })).items).toHaveLength(1);

		const active = await bench.run({ operation: 'getAll', filters: { activeOnly: true } });

		expect(active.items).toEqual([]);

		bench.failPost({ kind: 'reset' });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
	});

	it('leaves alone a listing whose activation is to start', async () => {
		bench.sandbox.advance(-DAY);
		const id = bench.somebodys(123, 'SCHEDULED');
		bench.sandbox.advance(DAY);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(relay.exchanges).toEqual(['GET 200']);
	});

	it('knows the order by its first POST', async () => {
		bench.setClock(Date.now());
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.failPost({ kind: 'reset', after: 1 });
		relay.answer(async ({ isList, earlier }, pass) => {
			if (!isList || earlier !== 1) return await pass();
			// Not so long that the look would be too old for another order.
			bench.setClock(Date.now() + 20 * SECOND);
			return json(200, []);
		});

		const run = await bench.run();

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(relay.exchanges).toEqual([
			'GET 200',
			'POST 0',
			'GET 200',
			'POST 0',
			'GET 200',
			'GET id 200',
		]);
		expect(bench.credits).toBe(1);
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
