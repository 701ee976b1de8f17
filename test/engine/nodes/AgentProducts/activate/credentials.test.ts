import { describe, expect, it } from '@jest/globals';
import pick from 'lodash/pick';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { textOf } from '../../../../../service/basics/values';
import type { NodeRun } from '../../../../lab/engine/engine';
import { visibleText } from '../../../../lab/engine/leads';
import { lists, orders } from '../../../../lab/engine/productAnswers';
import { outcomesOf, PREMIUM_PATH } from '../../../../lab/engine/products';
import type { Asked, Change } from '../../../../lab/engine/relay';
import { json } from '../../../../lab/engine/relay';
import { useRelay } from '../../../../lab/engine/useBench';
import { hasWaitedForOrder, useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { SCOPE } from '../../../../lab/sandbox/clients';
import { listingOf } from '../../../../lab/sandbox/products';

const bench = useQuickProducts();
const relay = useRelay(bench);

/** Another address of the same token service: for the node, another credential of the same agency. */
const otherAuthUrl = () =>
	textOf(bench.stored.authUrl).replace(String(bench.sandbox.port), new URL(relay.productsUrl).port);

/** Does something once the service has answered an order. */
const afterPost = (which: number, act: () => void): Change => {
	let posts = 0;
	return async ({ method }, pass) => {
		const answer = await pass();
		if (method === 'POST' && ++posts === which) act();
		return answer;
	};
};

const OTHER_SENT = 'an order that may have been for this listing was sent with another credential';

/** What another agency has, for a listing to which it gave the same ID of its own. */
const THEIRS = {
	id: '4f7a2c1e-0000-4000-8000-000000000001',
	listingId: 7_007,
	createdAt: '2026-01-05T09:00:00Z',
	status: { result: 'ACTIVATED' },
};

/** An item whose listing may be another one by the next try, as with an expression that asks for the time. */
const askingFor = (listing: () => unknown): IDataObject =>
	Object.defineProperty({}, 'listing', { enumerable: true, get: listing });

const told = (result: NodeRun) =>
	[visibleText(result), ...result.hints.map(({ message }) => message)].join('\n');

describe('one run with two credentials of an agency', () => {
	const own = 'OUR-1';
	const portal = listingOf(own);

	const run = async (
		items: Array<{ type: string; id: string | number }>,
		more: INodeParameters = {},
	) => {
		const authUrls = [textOf(bench.stored.authUrl), otherAuthUrl()];
		bench.stored.authUrl = '={{ $json.auth }}';
		return await bench.run(
			{ listingIdType: '={{ $json.type }}', listingId: '={{ $json.id }}', ...more },
			{
				input: items.map((item, index) => ({ json: { ...item, auth: authUrls[index] ?? '' } })),
				onError: 'continueRegularOutput',
			},
		);
	};

	it.each([
		['its two IDs, though its list shows the first order later', { type: 'customer', id: own }, 2],
		['the portal’s ID, though each sees its own alone', { type: 'listing', id: portal }, Infinity],
	])('orders a listing once by %s', async (_, first, times) => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });
		relay.answer(lists(json(200, []), { times }));

		const result = await run([first, { type: 'listing', id: portal }]);

		expect(outcomesOf(result)).toEqual(['scheduled', 'scheduled']);
		expect(bench.creditsOf(portal)).toBe(1);
	});

	const byPortal = { type: 'listing', id: portal };
	const byOwn = { type: 'customer', id: own };

	it.each([
		['the portal’s ID what is in doubt by it', byPortal, byPortal, 'it was sent with another'],
		['the portal’s ID what is in doubt by its own', byOwn, byPortal, OTHER_SENT],
		['the same own ID what is in doubt by it', byOwn, byOwn, OTHER_SENT],
	])(
		'does not order with another client by %s, if each sees its own alone',
		async (_, one, other, why) => {
			let first: string | undefined;
			relay.answer(async ({ method, isList, headers, earlier }, pass) => {
				first ??= headers.authorization;
				const isFirst = headers.authorization === first;
				if (isList) return isFirst && earlier > 0 ? json(500, {}) : json(200, []);
				const answer = await pass();
				return method === 'POST' && isFirst ? 'lost' : answer;
			});

			const result = await bench.run(
				{
					listingIdType: '={{ $json.type }}',
					listingId: '={{ $json.id }}',
					options: { maxTries: 1 },
				},
				{
					input: bench.useTwoClients().map(({ json: client }, index) => ({
						json: { ...client, ...(index === 0 ? one : other) },
					})),
					onError: 'continueRegularOutput',
				},
			);

			expect(bench.creditsOf(portal)).toBe(1);
			expect(result.items[1]?.json.error).toContain(why);
		},
	);

	it('does not say that it spent no credit under a name that another agency has paid for', async () => {
		const [one, other] = bench.useTwoClients();
		let first: string | undefined;
		relay.answer(async ({ isList, headers, query }, pass) => {
			first ??= headers.authorization;
			const isOther = isList && headers.authorization !== first;
			const isAboutOwn = query.get('customerListingId') === own;
			return isOther && isAboutOwn ? json(200, [THEIRS]) : await pass();
		});

		const result = await bench.run(
			{ listingIdType: 'customer', listingId: own },
			{ input: [one, other].flatMap((item) => item ?? []) },
		);

		expect(outcomesOf(result)).toEqual(['activated', 'alreadyActive']);
		expect(told(result)).not.toContain('spent no credit');
	});

	it('orders twice by an own ID that two agencies have given different listings', async () => {
		relay.answer(lists(json(200, [])));

		await bench.run(
			{ listingIdType: 'customer', listingId: own },
			{ input: bench.useTwoClients() },
		);

		const isOrder = ({ method, path }: Asked) => method === 'POST' && path === PREMIUM_PATH;

		expect(relay.asked.filter(isOrder)).toHaveLength(2);
	});
});

describe('“Retry On Fail” with a credential that', () => {
	const twoListings = async () =>
		await bench.activate([1, 2], {}, { retryOnFail: { maxTries: 2 } });

	it.each([
		['is incomplete by then', () => (bench.stored.clientSecret = '')],
		[
			'n8n cannot read by then',
			() =>
				Object.defineProperty(bench.credentials.rows, 'credential', {
					get: () => {
						throw new Error('Connection terminated unexpectedly');
					},
				}),
		],
	])('%s tells what the first try has ordered', async (_, change) => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });
		relay.answer(afterPost(2, change));

		const result = await twoListings();

		const [made] = bench.sandbox.products.list('premium-listings');
		expect(bench.creditsOf(1)).toBe(1);
		expect(told(result)).toContain(
			`Ordered earlier in this step: Premium listing for listing 1 (${made?.shown.id})`,
		);
	});

	it('is incomplete by then tells what may have been ordered', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		relay.answer(lists(json(500, {}), { from: 1 }));
		relay.answer(afterPost(1, () => (bench.stored.clientSecret = '')));

		const result = await bench.activate(
			[1, 2],
			{ options: { maxTries: 1 } },
			{ retryOnFail: { maxTries: 2 } },
		);

		expect(told(result)).toContain(
			'May have been ordered earlier in this step: Premium listing for listing 1.',
		);
	});

	it('n8n cannot read by then tells it with On Error set to continue as well', async () => {
		bench.failPost({ kind: 'status', status: 400 });
		relay.answer(
			afterPost(2, () =>
				Object.defineProperty(bench.credentials.rows, 'credential', {
					get: () => {
						throw new Error('Connection terminated unexpectedly');
					},
				}),
			),
		);

		const result = await bench.activate(
			[1, 2],
			{},
			{ retryOnFail: { maxTries: 2 }, onError: 'continueRegularOutput' },
		);

		expect(bench.creditsOf(2)).toBe(1);
		expect(told(result)).toContain('Ordered earlier in this step: Premium listing for listing 2 (');
	});

	it('has an expression whose field is wrong by then tells what the first try has ordered', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });
		let tries = 0;
		relay.answer(afterPost(2, () => tries++));
		const second = askingFor(() => (tries === 0 ? 2 : ''));

		const result = await bench.run(
			{ listingId: '={{ $json.listing }}' },
			{ input: [{ json: { listing: 1 } }, { json: second }], retryOnFail: { maxTries: 2 } },
		);

		expect(told(result)).toContain('Ordered earlier in this step: Premium listing for listing 1 (');
	});

	describe('was changed by then', () => {
		const change = () => (bench.stored.authUrl = otherAuthUrl());

		it('has what the first try has made', async () => {
			bench.failPost({ kind: 'status', status: 400, after: 1 });
			relay.answer(afterPost(2, change));

			const result = await twoListings();

			expect(outcomesOf(result)).toEqual(['activated', 'activated']);
			expect(told(result)).not.toContain('spent no credit');
		});

		it.each([
			['by the portal’s ID', 'listing', 123],
			['by an own ID', 'customer', 'OUR-1'],
		])('does not order again %s what has failed', async (_, listingIdType, listingId) => {
			bench.failAtOnce();
			relay.answer(afterPost(1, change));

			await bench.run({ listingIdType, listingId }, { retryOnFail: { maxTries: 2 } });

			expect(bench.credits).toBe(1);
		});

		it('orders what the service surely has not taken', async () => {
			bench.failPost({ kind: 'reset' });
			relay.answer(lists(json(500, {}), { from: 1, times: 1 }));
			relay.answer(afterPost(1, change));

			const result = await bench.run(
				{ options: { maxTries: 1 } },
				{ retryOnFail: { maxTries: 2 } },
			);

			expect(outcomesOf(result)).toEqual(['activated']);
		});
	});

	describe('is another client’s by then, as after its pair was revoked', () => {
		const own = 'OUR-1';

		const change = () => {
			const { clientId, clientSecret } = bench.sandbox.addClient({
				integration: 'products',
				clientId: 'newer-client',
				clientSecret: 'newer-secret',
				scope: SCOPE,
			});
			Object.assign(bench.stored, { clientId, clientSecret });
		};

		const twoOfOurs = async () =>
			await bench.activate(
				[own, 'OUR-2'],
				{ listingIdType: 'customer', options: { maxTries: 1 } },
				{ retryOnFail: { maxTries: 2 } },
			);

		it('does not order again by an own ID what has failed', async () => {
			bench.failAtOnce();
			relay.answer(afterPost(1, change));

			await bench.run(
				{ listingIdType: 'customer', listingId: own },
				{ retryOnFail: { maxTries: 2 } },
			);

			expect(bench.credits).toBe(1);
		});

		it('does not order again what has failed for a second item, while the first asks for another listing', async () => {
			bench.failAtOnce();
			let tries = 0;
			relay.answer(afterPost(1, () => tries++));
			relay.answer(afterPost(1, change));
			const first = askingFor(() => (tries === 0 ? own : 'OUR-3'));

			await bench.run(
				{ listingIdType: 'customer', listingId: '={{ $json.listing }}' },
				{
					input: [{ json: first }, { json: { listing: own } }],
					retryOnFail: { maxTries: 2 },
				},
			);

			expect(bench.creditsOf(listingOf(own))).toBe(1);
		});

		it('does not say that the run spent no credit on what its first try has ordered', async () => {
			bench.failPost({ kind: 'status', status: 400, after: 1 });
			relay.answer(afterPost(2, change));

			const result = await twoOfOurs();

			expect(outcomesOf(result)).toEqual(['activated', 'activated']);
			expect(told(result)).not.toContain('spent no credit');
		});

		it('tells what the first try has ordered, if the look of the second fails', async () => {
			bench.failPost({ kind: 'status', status: 400, after: 1 });
			relay.answer(lists(json(500, {}), { from: 2 }));
			relay.answer(afterPost(2, change));

			const result = await twoOfOurs();

			const [made] = bench.sandbox.products.list('premium-listings');
			expect(bench.creditsOf(listingOf(own))).toBe(1);
			expect(told(result)).toContain(
				`Ordered earlier in this step: Premium listing for your listing ${own} (${made?.shown.id})`,
			);
		});
	});
});

describe('“Retry On Fail” with items that ask for another listing by the second try', () => {
	/** The first of two items is of listing 1 in the first try, and of listing 3 after that. */
	const changing = async () => {
		let tries = 0;
		relay.answer(afterPost(2, () => tries++));
		const first = askingFor(() => (tries === 0 ? 1 : 3));
		return await bench.run(
			{ listingId: '={{ $json.listing }}' },
			{ input: [{ json: first }, { json: { listing: 2 } }], retryOnFail: { maxTries: 2 } },
		);
	};

	it('does not pay again for what the first try has ordered by another ID', async () => {
		let tries = 0;
		bench.failAtOnce();
		relay.answer(orders((answer) => json(202, pick(JSON.parse(answer.body), 'id'))));
		relay.answer(lists(json(500, {}), { from: 1, times: 1 }));
		relay.answer(async ({ isList, earlier }, pass) => {
			const answer = await pass();
			if (isList && earlier === 1) tries++;
			return answer;
		});
		const isOwn = () => tries === 0;
		const first = Object.defineProperty(
			askingFor(() => (isOwn() ? 'OUR-1' : 3)),
			'type',
			{ enumerable: true, get: () => (isOwn() ? 'customer' : 'listing') },
		);

		const result = await bench.run(
			{
				listingIdType: '={{ $json.type }}',
				listingId: '={{ $json.listing }}',
				options: { maxTries: 1 },
			},
			{
				input: [{ json: first }, { json: { type: 'listing', listing: listingOf('OUR-1') } }],
				retryOnFail: { maxTries: 2 },
				onError: 'continueRegularOutput',
			},
		);

		expect(tries).toBe(1);
		expect(bench.creditsOf(3)).toBe(1);
		expect(bench.creditsOf(listingOf('OUR-1'))).toBe(1);
		expect(told(result)).not.toContain('spent no credit');
	});

	it('does not doubt an order for what the first try has ordered of another listing', async () => {
		let looks = 0;
		relay.answer(async ({ isList }, pass) => {
			if (!isList) return await pass();
			return ++looks === 1 ? await pass() : json(500, {});
		});
		const ours = askingFor(() => (looks < 2 ? 'OUR-1' : ''));

		const result = await bench.run(
			{
				listingIdType: '={{ $json.type }}',
				listingId: '={{ $json.listing }}',
				options: { maxTries: 1 },
			},
			{
				input: [
					{ json: { type: 'listing', listing: 9_002 } },
					{ json: Object.assign(ours, { type: 'customer' }) },
				],
				retryOnFail: { maxTries: 2 },
				onError: 'continueRegularOutput',
			},
		);

		expect(looks).toBe(3);
		expect(result.items[0]?.json.error).toMatch(
			/^Premium listing for listing 9002: Nothing was ordered, because the listing could not be checked/,
		);
	});

	it.each([
		['is refused', 2],
		['fails at the service', 1],
		['does well', 1],
	])('tells what the first try has ordered, if the second %s', async (what, times) => {
		bench.failPost({ kind: 'status', status: 400, after: 1, times });
		relay.answer(
			afterPost(2, () => {
				if (what === 'fails at the service') bench.failAtOnce();
			}),
		);

		const result = await changing();

		const made = bench.sandbox.products
			.list('premium-listings')
			.find(({ shown }) => shown.listingId === 1);
		expect(result.error === undefined).toBe(what === 'does well');
		expect(told(result)).toContain(
			`Ordered earlier in this step: Premium listing for listing 1 (${made?.shown.id})`,
		);
	});
});

it('two spellings of an own ID may be of one listing: the second waits until the service can show the first order', async () => {
	await bench.run(
		{ listingIdType: 'customer', listingId: '={{ $json.id }}' },
		{ input: ['OUR-1', 'our-1'].map((id) => ({ json: { id } })) },
	);

	expect(hasWaitedForOrder()).toBe(true);
});
