import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit';

import type { Answer, Change, Shown } from '../../../../lab/engine/relay';
import { eachActivation, empty, json } from '../../../../lab/engine/relay';
import { visibleText } from '../../../../lab/engine/leads';
import { lists, looks, meanwhile, orders, page } from '../../../../lab/engine/productAnswers';
import { FEW_IMAGES, outcomesOf, PREMIUM_PATH } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { expectFewImages, useQuickProducts } from '../../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();
const relay = useRelay(bench);

describe('a Location that leads to an activation of another listing', () => {
	it('is not told as what was ordered', async () => {
		const other = bench.somebodys(777, 'ACTIVATED');
		relay.answer(orders(empty(202, { location: `/premium-listings/${other}` })));

		const run = await bench.run({ options: { waitTimeout: 0 } });

		expect(run.items[0]?.json).toMatchObject({ listingId: 123, outcome: 'pending' });
		expect(run.hints.map(({ message }) => message).join()).toContain(
			'The service answered without the activation that was asked for',
		);
	});
});

describe('a redirect to what is there (303)', () => {
	it('and has failed is not told as what this run has ordered', async () => {
		relay.answer(async ({ method }, pass) => {
			if (method !== 'POST') return await pass();
			const id = bench.somebodys(123, 'ERROR');
			return json(303, { id, listingId: 123, status: { result: 'PENDING' } });
		});

		const { items, error } = await bench.run();

		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^Premium listing for listing 123 was not activated: /);
		expect(error?.description).toMatch(
			/^The service did not accept this order, but pointed to an earlier one, which has failed\./,
		);
	});

	const uuid = '4f7a2c1e-0000-4000-8000-000000000001';

	it.each([
		['no body and no Location', empty(303)],
		['a page to sign in', { ...page, status: 303 }],
		['a Location elsewhere', empty(303, { location: 'https://login.example.com/in?to=a/b' })],
		['a Location without a path', empty(303, { location: '/' })],
		['a Location of no activation', empty(303, { location: '/products/premium-listings' })],
		['a body of no activation', json(303, { message: 'See other' })],
		['an activation that is not there', empty(303, { location: `/activations/${uuid}` })],
		['the ID of one that is not there', json(303, { id: uuid })],
	])('%s is no word of an activation', async (_, answer) => {
		relay.answer(orders(answer));

		const { items, error } = await bench.run();

		expect(items).toEqual([]);
		expect(error?.message).toBe(
			'Premium listing for listing 123: The order was redirected, but not to an activation (303)',
		);
		expect(error?.description).toMatch(/Check with Get Many what the listing has/);
		for (const { method, path, isOfOne } of relay.asked) {
			if (isOfOne) expect(path).toBe(`${PREMIUM_PATH}/${uuid}`);
			else expect([method, path]).toEqual([expect.stringMatching(/POST|GET/), PREMIUM_PATH]);
		}
		expect(relay.exchanges).not.toContain('GET id 200');
	});

	it.each<[string, (given: Answer) => Answer]>([
		[
			'a Location with a query',
			({ headers }) => empty(303, { location: `${String(headers.location)}?from=a/b#c/d` }),
		],
		[
			'a Location with a slash',
			({ headers }) => empty(303, { location: `${String(headers.location)}/` }),
		],
		['an ID alone', ({ body }) => json(303, { id: (JSON.parse(body) as { id: string }).id })],
	])('%s is read by its ID', async (_, change) => {
		let id = '';
		relay.answer(meanwhile(() => (id = bench.somebodys(123, 'ACTIVATED'))));
		relay.answer(orders(change));

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
		expect(relay.exchanges).toEqual(['GET 200', 'POST 303', 'GET id 200']);
		expect(bench.creditsOf(123)).toBe(1);
	});

	it.each([
		['in its Location', false],
		['in its body', true],
	])('another listing’s activation %s is not this one’s', async (_, hasBody) => {
		const id = bench.somebodys(777, 'ACTIVATED');
		const [other] = bench.sandbox.products.list('premium-listings');
		const location = `/products/premium-listings/${id}`;
		relay.answer(
			orders(hasBody ? json(303, other?.shown, { location }) : empty(303, { location })),
		);

		const { items, error } = await bench.run();

		expect(items).toEqual([]);
		expect(error?.message).toMatch(/redirected, but not to an activation \(303\)$/);
	});

	it('that tells nothing is a passing failure if the look after it fails', async () => {
		relay.answer(orders(empty(303)));
		relay.answer(lists(empty(503), { from: 1 }));

		const { error } = await bench.run({ options: { maxTries: 2 } });

		expect(error?.message).toBe(
			'Premium listing for listing 123: The service cannot answer just now (503)',
		);
		expect(error?.description).toMatch(/Tried 2 times/);
	});

	it('is what its body shows of it, with the ID in its Location, if it cannot be read', async () => {
		relay.answer(
			orders(({ body, headers }) => {
				const rest = omit(JSON.parse(body) as Shown, 'id');
				return json(303, rest, { location: headers.location });
			}),
		);
		relay.answer(looks(empty(500)));
		relay.answer(lists(empty(500), { from: 1 }));
		let id = '';
		relay.answer(meanwhile(() => (id = bench.somebodys(123, 'ACTIVATED'))));

		const run = await bench.run({ options: { maxTries: 1 } });

		expect(run.items[0]?.json).toMatchObject({ id, listingId: 123, outcome: 'alreadyActive' });
	});

	it.each<[string, 'PENDING' | 'ACTIVATED', string]>([
		['waits', 'PENDING', 'alreadyPending'],
		['is active', 'ACTIVATED', 'alreadyActive'],
	])('that brings errors, while a weekly one %s', async (_, result, outcome) => {
		const { products } = bench.sandbox;
		let id = '';
		relay.answer(
			meanwhile(() => {
				const order = { listingId: 123 };
				({ id } = products.activate('weekly-featured-properties', order, bench.clientId));
				if (result === 'ACTIVATED') products.settle(id);
			}),
		);
		products.configure({ settleAfterGets: null });

		const run = await bench.run({ resource: 'weeklyFeaturedProperty' });

		expect(run.items[0]?.json).toMatchObject({ id, outcome });
		expect(relay.exchanges).toEqual(['GET 200', 'POST 303', 'GET id 200']);
		expect(bench.credits).toBe(1);
	});

	it.each([
		[
			'by its Location',
			{ location: '/weekly-featured-properties/4f7a2c1e-0000-4000-8000-000000000001' },
		],
		['nowhere', {}],
	])('that brings errors and leads %s is believed if nothing can be read', async (_, headers) => {
		const errors = [{ reason: 'One is on its way', code: 2_011_004 }];
		relay.answer(orders(json(303, { errors }, headers)));

		const run = await bench.run({ resource: 'weeklyFeaturedProperty' });

		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyPending' });
	});

	it('takes what the listing has if the redirect leads nowhere', async () => {
		let id = '';
		relay.answer(orders(empty(303, { location: '/' })));
		relay.answer(meanwhile(() => (id = bench.somebodys(123, 'ACTIVATED'))));

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
	});
});

describe('what an order’s answer says', () => {
	it('waits if the service says nothing of a result', async () => {
		const withoutStatus = ({ body, ...answer }: Answer) => ({
			...answer,
			body: JSON.stringify({ ...(JSON.parse(body) as Shown), status: undefined }),
		});
		relay.answer(orders(withoutStatus));

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
	});

	const errorsAlone = { errors: [{ reason: 'No', code: 9_999_999 }] };

	it('is looked up if it is 202 with errors alone', async () => {
		relay.answer(orders(({ status }) => json(status, errorsAlone)));

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('is in doubt if it is 202 with errors alone, and the list shows nothing', async () => {
		relay.answer(orders(json(202, errorsAlone)));

		const { error } = await bench.run();

		expect(error?.message).toMatch(/It is not known whether it was activated: /);
		expect(error?.description).toContain('A credit may have been spent.');
	});

	it('takes a new word for a result as pending', async () => {
		relay.answer(eachActivation((activation) => ({ ...activation, status: { result: 'QUEUED' } })));

		const run = await bench.run();

		expect(run.status).toBe('success');
		expect(run.items[0]?.json).toMatchObject({ status: { result: 'QUEUED' }, outcome: 'pending' });
	});

	it('tells an activation that is no more from one that failed', async () => {
		relay.answer(
			eachActivation((activation) => ({ ...activation, status: { result: 'DEACTIVATED' } })),
		);

		const { error } = await bench.run();

		expect(error?.message).toBe(
			'Premium listing for listing 123 was ordered, but not activated: it was deactivated',
		);
	});

	it('that says that one order failed names what else was paid for', async () => {
		relay.answer(
			eachActivation((activation) =>
				activation.listingId === 2 ? { ...activation, status: { result: 'ERROR' } } : activation,
			),
		);

		const { error } = await bench.activate([1, 2, 3]);

		const ids = bench.sandbox.products.list('premium-listings').map(({ shown }) => shown.id);

		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(error?.description).toContain(
			`Ordered in this run so far: Premium listing for listing 1 (${ids[0]}); Premium listing for listing 3 (${ids[2]}).`,
		);
	});

	it('keeps an activation that has not failed, whatever errors it carries', async () => {
		bench.somebodys(123, 'ERROR');
		const errors = [{ reason: 'Already active', code: 1_021_001 }];
		relay.answer(
			eachActivation(({ status, ...rest }) => ({
				...rest,
				status: { ...(status as Shown), errors },
			})),
		);

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ outcome: 'activated', status: { errors } });
	});

	const duplicate = [{ reason: 'Product already activated', code: 1_021_001 }];

	it('counts an order that failed because of another one as that one', async () => {
		let id = '';
		relay.answer(
			orders(
				json(202, { id: 'failed', listingId: 123, status: { result: 'ERROR', errors: duplicate } }),
			),
		);
		relay.answer(meanwhile(() => (id = bench.somebodys(123, 'ACTIVATED'))));

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
	});

	it('believes an order that failed because of another one that is not shown', async () => {
		bench.failAtOnce(duplicate);

		const run = await bench.run();

		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
		const [own] = bench.sandbox.products.list('premium-listings');
		expect(run.hints.map(({ message }) => message)).toEqual([
			`Premium listing for listing 123 (${own?.shown.id}) was ordered, and failed because the listing had one already. Ask the operator of the service whether a credit was spent.`,
		]);
	});

	it.each<[string, Change]>([
		['shows none', async (_, pass) => await pass()],
		['cannot be read', lists(empty(500), { from: 1 })],
	])('does not believe a code with two meanings if the list %s', async (_, change) => {
		const errors = [{ reason: 'Not accepted', code: 1_011_003 }];
		relay.answer(orders(json(400, { errors })));
		relay.answer(change);

		const { items, error } = await bench.run({ options: { maxTries: 1 } });

		expect(items).toEqual([]);
		expect(error?.message).not.toMatch(/redirects/);
		expect(error?.description).toMatch(/./);
		expect(relay.exchanges.filter((exchange) => exchange.startsWith('POST'))).toHaveLength(1);
	});

	it('says what a code with two meanings may mean', async () => {
		relay.answer(orders(json(400, { errors: [{ reason: 'Not accepted', code: 1_011_003 }] })));

		const { error } = await bench.run();

		expect(error?.message).toBe(
			'Premium listing for listing 123 was not activated: the service says that an order for the listing is pending, but shows none',
		);
		expect(error?.description).toMatch(/“Not accepted” \(code 1011003\).*“Custom Details”/);
		expect(error?.description).toContain('The service did not accept the order.');
	});

	const unable = empty(500);

	it('believes a duplicate’s code if the list cannot be read', async () => {
		bench.sandbox.products.configure({ duplicates: 'refuse' });
		relay.answer(meanwhile(() => bench.somebodys(123, 'ACTIVATED')));
		relay.answer(lists(unable, { from: 1 }));

		const run = await bench.run({ options: { maxTries: 2 } });

		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	it('believes an activation that failed as a duplicate if the list cannot be read', async () => {
		bench.failAtOnce([{ reason: 'Product already activated', code: 1_021_001 }]);
		relay.answer(lists(unable, { from: 1 }));

		const run = await bench.run({ options: { maxTries: 2 } });

		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	const short = { reason: 'Description too short', code: 1_011_007 };

	it.each<[string, Answer, string, RegExp]>([
		[
			'the error that tells something, of several',
			json(400, { errors: [{ reason: 'Invalid', code: 1_011_000 }, short] }),
			'Premium listing for listing 123 was not activated: the listing’s full description is too short',
			/“Description too short; Invalid” \(code 1011007\)/,
		],
		[
			'errors inside an object',
			json(400, { errors: { errors: [short] } }),
			'Premium listing for listing 123 was not activated: the listing’s full description is too short',
			/“Description too short” \(code 1011007\)/,
		],
		[
			'413 without a code',
			empty(413),
			'Premium listing for listing 123 was not activated: the custom details are too large',
			/640 kB/,
		],
		[
			'a code like a property of every object',
			json(400, { errors: [{ reason: 'No', code: 'constructor' }] }),
			'Premium listing for listing 123 was not activated: The service refused the request (400)',
			/“No” \(code constructor\)/,
		],
		[
			'a code like a property of every object, in the three digits that both APIs share',
			json(400, { errors: [{ reason: 'No', code: '1011toString' }] }),
			'Premium listing for listing 123 was not activated: The service refused the request (400)',
			/code 1011toString/,
		],
	])('names %s', async (_, answer, message, description) => {
		relay.answer(orders(answer));

		const { error } = await bench.run();

		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(description);
		expect(relay.exchanges).toEqual(['GET 200', `POST ${answer.status}`]);
	});

	it('names the error of an activation that tells something, of several', async () => {
		bench.failAtOnce([{ reason: 'Failed', code: 1_021_999 }, FEW_IMAGES]);

		expectFewImages(await bench.run());
	});

	it('names the activation that failed', async () => {
		bench.failAtOnce();
		const { error } = await bench.run();

		const [made] = bench.sandbox.products.list('premium-listings');

		expect(error?.description).toContain(`name the activation ${made?.shown.id}.`);
		expect(error?.description).toContain('It is not known whether a credit was spent');
	});

	it('does not show a token that a look has renewed', async () => {
		bench.sandbox.products.configure({ settleAfterGets: null });
		const newest = () => [...bench.sandbox.tokens.byValue.keys()].at(-1) ?? '';
		relay.answer(
			eachActivation((activation) => ({
				...activation,
				status:
					bench.tokens < 2
						? activation.status
						: { result: 'ERROR', errors: [{ reason: `bad ${newest()} token`, code: 1 }] },
			})),
		);
		relay.answer(async ({ method }, pass) => {
			const answer = await pass();
			if (method === 'POST') bench.sandbox.revokeTokens(bench.clientId);
			return answer;
		});

		const run = await bench.run();

		expect(bench.tokens).toBe(2);
		expect(run.error?.description).toContain('The service’s code is 1.');
		expect(visibleText(run)).not.toContain(newest());
	});
});
