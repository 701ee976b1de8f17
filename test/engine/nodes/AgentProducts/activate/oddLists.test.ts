import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';

import { visibleText } from '../../../../lab/engine/leads';
import { outcomesOf } from '../../../../lab/engine/products';
import { lists } from '../../../../lab/engine/productAnswers';
import type { Change } from '../../../../lab/engine/relay';
import { eachActivation, json, ordersAs, withoutDate } from '../../../../lab/engine/relay';
import { useRelay } from '../../../../lab/engine/useBench';
import { hasWaitedForOrder, useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../../lab/sandbox/products';
import { DAY, MINUTE, SECOND } from '../../../../lab/times';

const bench = useQuickProducts();
const relay = useRelay(bench);

const OWN = 'OUR-1';
const PORTAL = listingOf(OWN);

/** A listing by both of its IDs, the agency's own one first. */
const byBothIds = async () =>
	await bench.run(
		{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.id }}' },
		{
			input: [{ json: { type: 'customer', id: OWN } }, { json: { type: 'listing', id: PORTAL } }],
		},
	);

/** One listing by the agency’s own ID, and another one by the portal’s. */
const ownAndPortal = async (listing: number) =>
	await bench.run(
		{
			listingIdType: '={{ $json.type }}',
			listingId: '={{ $json.id }}',
			options: { maxTries: 1 },
		},
		{
			input: [{ json: { type: 'customer', id: OWN } }, { json: { type: 'listing', id: listing } }],
			onError: 'continueRegularOutput',
		},
	);

/** The list of a listing is empty until the node has waited for what it ordered. */
const notShownAtOnce: Change = async ({ isList, query }, pass) => {
	const isEarly = isList && query.has('listingId') && !hasWaitedForOrder();
	return isEarly ? json(200, []) : await pass();
};

describe('a listing ID of 0: the portal has given no number yet', () => {
	it('in the answer to an order leaves open which listing that is', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });
		relay.answer(ordersAs((activation) => ({ ...activation, listingId: 0 })));
		relay.answer(notShownAtOnce);

		expect(outcomesOf(await byBothIds())).toEqual(['scheduled', 'scheduled']);
		expect(bench.creditsOf(PORTAL)).toBe(1);
	});

	it.each([0, '0', '00'])(
		'as %p, in the list of a listing, is of that listing',
		async (listingId) => {
			bench.somebodys(PORTAL, 'SCHEDULED');
			relay.answer(eachActivation((activation) => ({ ...activation, listingId })));

			expect(outcomesOf(await bench.run({ listingId: PORTAL }))).toEqual(['alreadyScheduled']);
			expect(bench.creditsOf(PORTAL)).toBe(1);
		},
	);
});

it('an order that only led to what had failed does not keep the listing from one by its other ID', async () => {
	const id = bench.somebodys(PORTAL, 'ERROR');
	relay.answer(async ({ method, earlier }, pass) =>
		method === 'POST' && earlier === 0
			? json(303, { id, listingId: PORTAL, status: { result: 'ERROR' } })
			: await pass(),
	);

	const run = await ownAndPortal(PORTAL);

	expect(outcomesOf(run)).toEqual([undefined, 'activated']);
	expect(bench.creditsOf(PORTAL)).toBe(2);
});

describe('lists that show no IDs of activations', () => {
	const withoutIds: Change = async ({ isList }, pass) => {
		const answer = await pass();
		if (!isList || answer === 'lost') return answer;
		const rows = JSON.parse(answer.body) as Array<Record<string, unknown>>;
		return { ...answer, body: JSON.stringify(rows.map((row) => omit(row, 'id'))) };
	};

	it('show by their time what the run has ordered under the other ID', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });
		relay.answer(withoutIds);
		relay.answer(ordersAs(({ id }) => ({ id })));

		const run = await byBothIds();

		expect(bench.creditsOf(PORTAL)).toBe(1);
		expect(run.hints).toEqual([]);
	});

	it.each([
		['three minutes ago', 3 * MINUTE, true],
		['yesterday, if the service does not tell its time', DAY, false],
	])('do not make this run’s what somebody else has ordered %s', async (_, agoMs, tellsTime) => {
		bench.sandbox.advance(-agoMs);
		bench.somebodys(777, 'ACTIVATED');
		bench.sandbox.advance(agoMs);
		relay.answer(withoutIds);
		relay.answer(ordersAs(({ id }) => ({ id })));
		if (!tellsTime) relay.answer(withoutDate);

		const run = await ownAndPortal(777);

		expect(outcomesOf(run)).toEqual(['activated', 'alreadyActive']);
		expect(bench.creditsOf(777)).toBe(1);
	});

	it('show by its time what had failed before the order, though the service does not tell its own', async () => {
		bench.sandbox.advance(-DAY);
		bench.somebodys(123, 'ERROR');
		bench.sandbox.advance(DAY);
		relay.answer(withoutIds);
		relay.answer(withoutDate);
		bench.failPost({ kind: 'reset' });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
	});

	it('do not hide an order in what failed before it in the same minute', async () => {
		bench.failAtOnce();
		const thisMinute = `${new Date().toISOString().slice(0, 16)}Z`;
		relay.answer(
			eachActivation((activation) => ({ ...omit(activation, 'id'), createdAt: thisMinute })),
		);
		await bench.run();
		bench.failPost({ kind: 'reset', when: 'after', times: Infinity });

		await bench.run({ options: { maxTries: 5 } });

		expect(bench.creditsOf(123)).toBe(2);
	});

	it('are no reason to say that nothing was spent, if the service’s times are behind', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });
		relay.answer(ordersAs(({ id }) => ({ id })));
		relay.answer(withoutDate);
		relay.answer(withoutIds);
		relay.answer(async ({ isList }, pass) => {
			const answer = await pass();
			if (!isList || answer === 'lost') return answer;
			const rows = JSON.parse(answer.body) as Array<Record<string, unknown>>;
			const createdAt = new Date(Date.now() - MINUTE / 2).toISOString();
			return { ...answer, body: JSON.stringify(rows.map((row) => ({ ...row, createdAt }))) };
		});

		const run = await byBothIds();

		expect(bench.creditsOf(PORTAL)).toBe(1);
		expect(run.hints).toEqual([]);
	});

	it('have what has failed ordered once', async () => {
		bench.failAtOnce();
		relay.answer(withoutIds);
		relay.answer(ordersAs(({ id }) => ({ id })));

		await byBothIds();

		expect(bench.creditsOf(PORTAL)).toBe(1);
	});
});

describe('an order without an answer', () => {
	it('that has failed is known by its new ID, though the times of the service do not agree', async () => {
		relay.answer(async (_, pass) => {
			const answer = await pass();
			if (answer === 'lost') return answer;
			const date = new Date(Date.parse(String(answer.headers.date)) + 7 * MINUTE).toUTCString();
			return { ...answer, headers: { ...answer.headers, date } };
		});
		bench.failAtOnce();
		bench.failPost({ kind: 'reset', when: 'after' });

		await bench.run();

		expect(bench.creditsOf(123)).toBe(1);
	});

	it('does not keep another listing from what it had months ago, if the service does not tell its time', async () => {
		relay.answer(withoutDate);
		bench.sandbox.advance(-90 * DAY);
		bench.somebodys(777, 'ACTIVATED');
		bench.sandbox.advance(90 * DAY);
		bench.failPost({ kind: 'reset' });

		const run = await ownAndPortal(777);

		expect(outcomesOf(run)).toEqual([undefined, 'activated']);
		expect(bench.creditsOf(777)).toBe(2);
	});

	describe('and another listing that failed some time ago', () => {
		const failed = (agoMs: number, tellsTime: boolean) => {
			bench.sandbox.advance(-agoMs);
			bench.somebodys(777, 'ERROR');
			bench.sandbox.advance(agoMs);
			if (!tellsTime) relay.answer(withoutDate);
			bench.failPost({ kind: 'reset' });
		};

		it.each([
			['two minutes', 2 * MINUTE, true],
			['20 minutes', 20 * MINUTE, true],
			['20 days, and the service does not tell its time', 20 * DAY, false],
		])('do not stand in its way once a look has shown nothing: %s', async (_, agoMs, tellsTime) => {
			failed(agoMs, tellsTime);

			const run = await ownAndPortal(777);

			expect(outcomesOf(run)[1]).toBe('activated');
			expect(bench.creditsOf(777)).toBe(2);
		});

		it.each([
			['two minutes', 2 * MINUTE, true],
			['20 days, and the service does not tell its time', 20 * DAY, false],
		])('leave open what became of it if nobody could look: %s', async (_, agoMs, tellsTime) => {
			failed(agoMs, tellsTime);
			relay.answer(lists(json(500, {}), { from: 1, times: 1 }));

			const run = await ownAndPortal(777);

			expect(run.items[1]?.json.error).toBe(
				'Premium listing for listing 777: It is not known whether it was activated: an order of this run, which may have been for this listing, may have failed',
			);
			expect(run.items[1]?.json.message).toContain('Ask the operator of the service before');
			expect(bench.creditsOf(777)).toBe(1);
		});
	});

	it('does not put in doubt another listing whose own order was refused', async () => {
		bench.failPost({ kind: 'reset' });
		bench.failPost({ kind: 'status', status: 400 });

		const run = await ownAndPortal(777);

		expect(run.items[1]?.json.message).toContain('The service did not accept the order.');
	});

	it('is named if another order of the step has failed, though it is told as another one’s', async () => {
		relay.answer(
			eachActivation((activation) => ({
				...activation,
				createdAt: new Date(Date.parse(String(activation.createdAt)) - 4 * SECOND).toISOString(),
			})),
		);
		bench.failPost({ kind: 'reset', when: 'after' });
		relay.answer(async ({ method, earlier }, pass) => {
			if (method === 'POST' && earlier === 1) bench.failAtOnce();
			return await pass();
		});

		const run = await bench.activate([1, 2]);

		expect(bench.creditsOf(1)).toBe(1);
		expect(run.error?.message).toContain('listing 2 was ordered, but not activated');
		expect(visibleText(run)).toContain(
			'May have been ordered earlier in this step: Premium listing for listing 1.',
		);
	});
});
