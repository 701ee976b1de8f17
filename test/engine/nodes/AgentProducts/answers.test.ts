import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import omit from 'lodash/omit';

import * as retry from '../../../../service/http/retry';
import * as transport from '../../../../service/http/transport';
import { listingOf } from '../../../lab/sandbox/products';
import { shortenBackoff } from '../../../lab/engine/bench';
import type { NodeRun } from '../../../lab/engine/engine';
import type { Answer, Asked, Change, Shown } from '../../../lab/engine/front';
import {
	creationTimes,
	eachActivation,
	empty,
	Front,
	json,
	withoutDate,
} from '../../../lab/engine/front';
import { visibleText } from '../../../lab/engine/leads';
import { outcomesOf, PREMIUM_PATH, ProductsBench } from '../../../lab/engine/products';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const FEW_IMAGES = { reason: 'Not enough images', code: 1_021_004 };

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
	jest.useRealTimers();
	await front.stop();
	await bench.stop();
});

/** The service takes the order, and nobody hears of it, however often it is sent. */
const loseAnswers = () => bench.failPost({ kind: 'reset', when: 'after', times: 3 });

/** Orders fail as soon as the service has them. */
const failAtOnce = (errors = [FEW_IMAGES]) =>
	bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR', errors });

/** An activation that somebody else has made. */
const somebodys = (listingId: number, result?: 'ACTIVATED' | 'SCHEDULED' | 'ERROR') => {
	const { products } = bench.sandbox;
	const { id } = products.activate('premium-listings', { listingId }, bench.clientId);
	if (result) products.settle(id, { result });
	return id;
};

const creditsOf = (listingId: number) =>
	bench.sandbox.counts.creditsBy['premium-listings']?.[String(listingId)] ?? 0;

/** Answers orders, and passes on everything else. */
const orders =
	(answer: Answer | ((given: Answer) => Answer)): Change =>
	async ({ method }, pass) => {
		if (method !== 'POST') return await pass();
		if (typeof answer !== 'function') return answer;
		const given = await pass();
		return given === 'lost' ? given : answer(given);
	};

/** Answers requests for lists from one of them on, and passes on everything else. */
const lists = (answer: Answer, { from = 0, times = Infinity } = {}): Change => {
	let given = -from;
	return async ({ isList }, pass) => {
		if (!isList) return await pass();
		given++;
		return given > 0 && given <= times ? answer : await pass();
	};
};

/** What somebody else does between the look and the order: two runs at once. */
const meanwhile = (act: () => void): Change => {
	let isDone = false;
	return async ({ method }, pass) => {
		if (method === 'POST' && !isDone) act();
		isDone ||= method === 'POST';
		return await pass();
	};
};

/** Answers the first looks at one activation, and passes on everything else. */
const looks = (answer: Answer, times = Infinity): Change => {
	let given = 0;
	return async ({ method, isOfOne }, pass) =>
		method === 'GET' && isOfOne && given++ < times ? answer : await pass();
};

const page: Answer = {
	status: 200,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>Sign in</body></html>',
};

const expectFewImages = ({ error, items }: NodeRun) => {
	expect(items).toEqual([]);
	expect(error?.message).toBe(
		'Premium listing of listing 123 was not activated: the listing has too few images',
	);
};

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
	// Where the service’s times leave open whose an activation is, it counts as one that was there.
	const times: Times[] = [
		['created in seconds', 0, [], 'activated'],
		['created in minutes', 0, [creationTimes('in minutes')], 'activated'],
		['created with an offset', 0, [creationTimes('with an offset')], 'activated'],
		['created in microseconds', 0, [creationTimes('in microseconds')], 'activated'],
		['created without a zone', 0, [creationTimes('without a zone')], 'activated'],
		['created as a number', 0, [creationTimes('as a number')], 'alreadyActive'],
		['created nobody knows when', 0, [creationTimes('missing')], 'alreadyActive'],
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
		changes.forEach((change) => front.answer(change));
		failAtOnce();
		loseAnswers();
		expectFewImages(await bench.run());
		expect(front.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it.each(times)('%s: what is active is taken', async (_, aheadMs, changes, outcome) => {
		bench.sandbox.advance(aheadMs);
		changes.forEach((change) => front.answer(change));
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		loseAnswers();
		expect(outcomesOf(await bench.run())).toEqual([outcome]);
		expect(front.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it('that the service takes while it asks to wait, and that fails', async () => {
		failAtOnce();
		front.answer(async ({ method, earlier }, pass) => {
			if (method !== 'POST' || earlier > 0) return await pass();
			setTimeout(() => somebodys(123), 300);
			return empty(503, { 'retry-after': '1' });
		});
		expectFewImages(await bench.run());
		expect(front.exchanges).toEqual(['GET 200', 'POST 503', 'GET 200']);
		expect(creditsOf(123)).toBe(1);
	});

	it('does not take a failure from long before for its own', async () => {
		bench.sandbox.advance(-10 * MINUTE);
		somebodys(123, 'ERROR');
		bench.sandbox.advance(10 * MINUTE);
		bench.failPost({ kind: 'reset' });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(front.exchanges.slice(0, 4)).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 202']);
		expect(creditsOf(123)).toBe(2);
	});

	it('does not take another listing’s activation for its own', async () => {
		bench.failPost({ kind: 'reset', times: Infinity });
		somebodys(777, 'ACTIVATED');
		const [other] = bench.sandbox.products.list('premium-listings');
		front.answer(lists(json(200, [other?.shown])));
		const run = await bench.run({ options: { maxTries: 2 } });
		expect(run.items).toEqual([]);
		expect(run.error?.message).toMatch(/^Premium listing of listing 123: The connection/);
		expect(run.error?.description).toMatch(/shows no activation of the listing so far/);
		expect(creditsOf(123)).toBe(0);
	});

	it('looks by the ID of the agency’s own software', async () => {
		somebodys(777, 'ACTIVATED');
		bench.failPost({ kind: 'reset' });
		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR 1&2' });
		expect(run.items[0]?.json).toMatchObject({
			listingId: listingOf('OUR 1&2'),
			outcome: 'activated',
		});
		expect(front.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 202', 'GET id 200']);
		expect(creditsOf(listingOf('OUR 1&2'))).toBe(1);
	});

	it('takes no heed of an activation whose term is over', async () => {
		bench.sandbox.advance(-40 * DAY);
		somebodys(123, 'ACTIVATED');
		bench.sandbox.advance(40 * DAY);
		front.answer(
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
		const id = somebodys(123, 'SCHEDULED');
		bench.sandbox.advance(DAY);
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(front.exchanges).toEqual(['GET 200']);
	});

	it('knows the order by its first POST', async () => {
		bench.setClock(Date.now());
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.failPost({ kind: 'reset', after: 1 });
		front.answer(async ({ isList, earlier }, pass) => {
			if (!isList || earlier !== 1) return await pass();
			bench.setClock(Date.now() + MINUTE);
			return json(200, []);
		});
		const run = await bench.run();
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges).toEqual([
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

describe('an execution that is stopped', () => {
	/** Stops it when such a request comes, which is then answered. */
	const stopAt = async (isMeant: (asked: Asked) => boolean) => {
		const { run, cancel } = bench.start({ options: { maxTries: 1 } });
		front.answer(async (asked, pass) => {
			if (isMeant(asked)) cancel();
			return await pass();
		});
		return await run;
	};

	const expectStopped = ({ items, error }: NodeRun) => {
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/canceled/);
	};

	it('during the first look orders nothing', async () => {
		expectStopped(await stopAt(({ isList }) => isList));
		expect(bench.credits).toBe(0);
	});

	it('during the order says that it was stopped', async () => {
		expectStopped(await stopAt(({ method }) => method === 'POST'));
		expect(bench.credits).toBeLessThanOrEqual(1);
	});

	it('during the look after a lost answer says that it was stopped', async () => {
		loseAnswers();
		expectStopped(await stopAt(({ isList, earlier }) => isList && earlier > 0));
		expect(bench.credits).toBe(1);
	});

	it.each([
		['reads what a 303 leads to', ({ method, isOfOne }: Asked) => method === 'GET' && isOfOne],
		['looks for what a 303 does not show', ({ isList, earlier }: Asked) => isList && earlier > 0],
	])('while it %s says that it was stopped', async (name, isMeant) => {
		front.answer(meanwhile(() => somebodys(123, 'ACTIVATED')));
		if (name.includes('does not show')) {
			front.answer(async ({ method }, pass) => {
				const answer = await pass();
				const refused = { errors: [{ reason: 'Active', code: 1_011_004 }] };
				return method === 'POST' ? json(400, refused) : answer;
			});
		}
		expectStopped(await stopAt(isMeant));
	});
});

describe('an error of n8n itself', () => {
	const { send } = transport;

	/** n8n does not send this request for data, counted from 1. */
	const forbid = (number: number) => {
		let requests = 0;
		jest.spyOn(transport, 'send').mockImplementation(async (step, request) => {
			if (step === 'data' && ++requests === number) throw new Error('n8n forbids this domain');
			return await send(step, request);
		});
	};

	it.each([
		['the first look', 1, undefined],
		['the order', 2, undefined],
		['the reading of what a 303 leads to', 3, undefined],
		['the look after a duplicate’s code', 3, 'refuse' as const],
	])('at %s is told as it is', async (_, number, duplicates) => {
		if (duplicates) bench.sandbox.products.configure({ duplicates });
		front.answer(meanwhile(() => somebodys(123, 'ACTIVATED')));
		forbid(number);
		const { items, error } = await bench.run();
		expect(items).toEqual([]);
		expect(error?.message).toBe('n8n forbids this domain');
	});

	it('at the look after a lost answer is told as it is', async () => {
		loseAnswers();
		forbid(3);
		expect((await bench.run()).error?.message).toBe('n8n forbids this domain');
	});
});

describe('an order that surely was not sent', () => {
	it('is not looked for, nor said to be unknown', async () => {
		await bench.run({ listingId: 9, waitForResult: false });
		await front.stop();
		const { error } = await bench.run({ options: { maxTries: 2 } });
		expect(error?.message).toBe(
			'Premium listing of listing 123: Nothing was ordered, since the node could not look first: The service refused the connection',
		);
		expect(error?.description).not.toMatch(/shows no activation|not order again/);
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
		failAtOnce();
		const run = await both(input);
		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/ was not activated: the listing has too few images$/),
			expect.stringMatching(/ was not activated: the listing has too few images$/),
		]);
		expect(bench.credits).toBe(1);
	});

	it('is not paid for again where nobody knows what became of the first order', async () => {
		failAtOnce();
		loseAnswers();
		front.answer(lists(empty(500), { from: 1, times: 2 }));
		const run = await both([customer, listing], { options: { maxTries: 2 } });
		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/^Premium listing of your listing OUR-1: It is not known whether/),
			expect.stringMatching(/ was not activated: the listing has too few images$/),
		]);
		expect(front.exchanges).toEqual(['GET 200', 'POST 0', 'GET 500', 'GET 500', 'GET 200']);
		expect(bench.credits).toBe(1);
	});
});

describe('a redirect to what is there (303)', () => {
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
		front.answer(orders(answer));
		const { items, error } = await bench.run();
		expect(items).toEqual([]);
		expect(error?.message).toBe(
			'Premium listing of listing 123: The service redirects elsewhere (303)',
		);
		expect(error?.description).toMatch(/Check with Get Many what the listing has/);
		for (const { method, path, isOfOne } of front.asked) {
			if (isOfOne) expect(path).toBe(`${PREMIUM_PATH}/${uuid}`);
			else expect([method, path]).toEqual([expect.stringMatching(/POST|GET/), PREMIUM_PATH]);
		}
		expect(front.exchanges).not.toContain('GET id 200');
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
		front.answer(meanwhile(() => (id = somebodys(123, 'ACTIVATED'))));
		front.answer(orders(change));
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
		expect(front.exchanges).toEqual(['GET 200', 'POST 303', 'GET id 200']);
		expect(creditsOf(123)).toBe(1);
	});

	it.each([
		['in its Location', false],
		['in its body', true],
	])('another listing’s activation %s is not this one’s', async (_, hasBody) => {
		const id = somebodys(777, 'ACTIVATED');
		const [other] = bench.sandbox.products.list('premium-listings');
		const location = `/products/premium-listings/${id}`;
		front.answer(
			orders(hasBody ? json(303, other?.shown, { location }) : empty(303, { location })),
		);
		const { items, error } = await bench.run();
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/redirects elsewhere \(303\)$/);
	});

	it('to what a lost order has made is that order’s', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		front.answer(lists(json(200, []), { from: 1, times: 1 }));
		const run = await bench.run();
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'POST 303', 'GET id 200']);
		expect(bench.credits).toBe(1);
	});

	it('that tells nothing is a passing failure where the look after it fails', async () => {
		front.answer(orders(empty(303)));
		front.answer(lists(empty(503), { from: 1 }));
		const { error } = await bench.run({ options: { maxTries: 2 } });
		expect(error?.message).toBe(
			'Premium listing of listing 123: The service cannot answer just now (503)',
		);
		expect(error?.description).toMatch(/It was tried 2 times/);
	});

	it('is what its body shows of it, with the ID in its Location, where it cannot be read', async () => {
		front.answer(
			orders(({ body, headers }) => {
				const rest = omit(JSON.parse(body) as Shown, 'id');
				return json(303, rest, { location: headers.location });
			}),
		);
		front.answer(looks(empty(500)));
		front.answer(lists(empty(500), { from: 1 }));
		let id = '';
		front.answer(meanwhile(() => (id = somebodys(123, 'ACTIVATED'))));
		const run = await bench.run({ options: { maxTries: 1 } });
		expect(run.items[0]?.json).toMatchObject({ id, listingId: 123, outcome: 'alreadyActive' });
	});

	it.each<[string, 'PENDING' | 'ACTIVATED', string]>([
		['waits', 'PENDING', 'alreadyPending'],
		['is active', 'ACTIVATED', 'alreadyActive'],
	])('that brings errors, where a weekly one %s', async (_, result, outcome) => {
		const { products } = bench.sandbox;
		let id = '';
		front.answer(
			meanwhile(() => {
				const order = { listingId: 123 };
				({ id } = products.activate('weekly-featured-properties', order, bench.clientId));
				if (result === 'ACTIVATED') products.settle(id);
			}),
		);
		products.configure({ settleAfterGets: null });
		const run = await bench.run({ resource: 'weeklyFeaturedProperty' });
		expect(run.items[0]?.json).toMatchObject({ id, outcome });
		expect(front.exchanges).toEqual(['GET 200', 'POST 303', 'GET id 200']);
		expect(bench.credits).toBe(1);
	});

	it.each([
		[
			'by its Location',
			{ location: '/weekly-featured-properties/4f7a2c1e-0000-4000-8000-000000000001' },
		],
		['nowhere', {}],
	])(
		'that brings errors and leads %s is believed where nothing can be read',
		async (_, headers) => {
			const errors = [{ reason: 'One is on its way', code: 2_011_004 }];
			front.answer(orders(json(303, { errors }, headers)));
			const run = await bench.run({ resource: 'weeklyFeaturedProperty' });
			expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyPending' });
		},
	);

	it('takes what the listing has where the redirect leads nowhere', async () => {
		let id = '';
		front.answer(orders(empty(303, { location: '/' })));
		front.answer(meanwhile(() => (id = somebodys(123, 'ACTIVATED'))));
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
	});
});

describe('what an order’s answer says', () => {
	it('waits where the service says nothing of a result', async () => {
		const withoutStatus = ({ body, ...answer }: Answer) => ({
			...answer,
			body: JSON.stringify({ ...(JSON.parse(body) as Shown), status: undefined }),
		});
		front.answer(orders(withoutStatus));
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(front.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
	});

	it('takes a new word for a result as pending', async () => {
		front.answer(eachActivation((activation) => ({ ...activation, status: { result: 'QUEUED' } })));
		const run = await bench.run();
		expect(run.status).toBe('success');
		expect(run.items[0]?.json).toMatchObject({ status: { result: 'QUEUED' }, outcome: 'pending' });
	});

	it('tells an activation that is no more from one that failed', async () => {
		front.answer(
			eachActivation((activation) => ({ ...activation, status: { result: 'DEACTIVATED' } })),
		);
		const { error } = await bench.run();
		expect(error?.message).toBe(
			'Premium listing of listing 123 was not activated: it was deactivated',
		);
	});

	it('keeps an activation that has not failed, whatever errors it carries', async () => {
		somebodys(123, 'ERROR');
		const errors = [{ reason: 'Already active', code: 1_021_001 }];
		front.answer(
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
		front.answer(
			orders(
				json(202, { id: 'failed', listingId: 123, status: { result: 'ERROR', errors: duplicate } }),
			),
		);
		front.answer(meanwhile(() => (id = somebodys(123, 'ACTIVATED'))));
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
	});

	it('believes an order that failed because of another one that is not shown', async () => {
		failAtOnce(duplicate);
		const run = await bench.run();
		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	it.each<[string, Change]>([
		['shows none', async (_, pass) => await pass()],
		['cannot be read', lists(empty(500), { from: 1 })],
	])('does not believe a code with two meanings where the list %s', async (_, change) => {
		const errors = [{ reason: 'Not accepted', code: 1_011_003 }];
		front.answer(orders(json(400, { errors })));
		front.answer(change);
		const { items, error } = await bench.run({ options: { maxTries: 1 } });
		expect(items).toEqual([]);
		expect(error?.message).not.toMatch(/redirects/);
		expect(error?.description).toMatch(/./);
		expect(front.exchanges.filter((exchange) => exchange.startsWith('POST'))).toHaveLength(1);
	});

	it('says what a code with two meanings may mean', async () => {
		front.answer(orders(json(400, { errors: [{ reason: 'Not accepted', code: 1_011_003 }] })));
		const { error } = await bench.run();
		expect(error?.message).toBe(
			'Premium listing of listing 123 was not activated: the service says that an order waits for the listing already, and shows none',
		);
		expect(error?.description).toMatch(/“Not accepted” \(code 1011003\).*“Custom Details”/);
	});

	const unable = empty(500);

	it('believes a duplicate’s code where the list cannot be read', async () => {
		bench.sandbox.products.configure({ duplicates: 'refuse' });
		front.answer(meanwhile(() => somebodys(123, 'ACTIVATED')));
		front.answer(lists(unable, { from: 1 }));
		const run = await bench.run({ options: { maxTries: 2 } });
		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	it('believes an activation that failed as a duplicate where the list cannot be read', async () => {
		failAtOnce([{ reason: 'Product already activated', code: 1_021_001 }]);
		front.answer(lists(unable, { from: 1 }));
		const run = await bench.run({ options: { maxTries: 2 } });
		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	const short = { reason: 'Description too short', code: 1_011_007 };

	it.each<[string, Answer, string, RegExp]>([
		[
			'the error that tells something, of several',
			json(400, { errors: [{ reason: 'Invalid', code: 1_011_000 }, short] }),
			'Premium listing of listing 123 was not activated: the listing’s full description is too short',
			/“Description too short; Invalid” \(code 1011007\)/,
		],
		[
			'errors inside an object',
			json(400, { errors: { errors: [short] } }),
			'Premium listing of listing 123 was not activated: the listing’s full description is too short',
			/“Description too short” \(code 1011007\)/,
		],
		[
			'413 without a code',
			empty(413),
			'Premium listing of listing 123 was not activated: the custom details are too large',
			/640 kB/,
		],
		[
			'a code like a property of every object',
			json(400, { errors: [{ reason: 'No', code: 'constructor' }] }),
			'Premium listing of listing 123: The service refused the request (400)',
			/“No” \(code constructor\)/,
		],
		[
			'a code like a property of every object, in the three digits that both APIs share',
			json(400, { errors: [{ reason: 'No', code: '1011toString' }] }),
			'Premium listing of listing 123: The service refused the request (400)',
			/code 1011toString/,
		],
	])('names %s', async (_, answer, message, description) => {
		front.answer(orders(answer));
		const { error } = await bench.run();
		expect(error?.message).toBe(message);
		expect(error?.description).toMatch(description);
		expect(front.exchanges).toEqual(['GET 200', `POST ${answer.status}`]);
	});

	it('names the error of an activation that tells something, of several', async () => {
		failAtOnce([{ reason: 'Failed', code: 1_021_999 }, FEW_IMAGES]);
		expectFewImages(await bench.run());
	});

	it('names the activation that failed', async () => {
		failAtOnce();
		const { error } = await bench.run();
		const [made] = bench.sandbox.products.list('premium-listings');
		expect(error?.description).toContain(`The ID of the activation is ${made?.shown.id}.`);
	});

	it('does not show a token that a look has renewed', async () => {
		bench.sandbox.products.configure({ settleAfterGets: null });
		const newest = () => [...bench.sandbox.tokens.byValue.keys()].at(-1) ?? '';
		front.answer(
			eachActivation((activation) => ({
				...activation,
				status:
					bench.tokens < 2
						? activation.status
						: { result: 'ERROR', errors: [{ reason: `bad ${newest()} token`, code: 1 }] },
			})),
		);
		front.answer(async ({ method }, pass) => {
			const answer = await pass();
			if (method === 'POST') bench.sandbox.revokeTokens(bench.clientId);
			return answer;
		});
		const run = await bench.run();
		expect(bench.tokens).toBe(2);
		expect(run.error?.description).toContain('“bad … token”');
		expect(visibleText(run)).not.toContain(newest());
	});
});

describe('looks at what was ordered', () => {
	it.each([
		['there is nothing yet', empty(404)],
		['a page comes in place of it', page],
		['the service cannot answer', empty(500)],
	])('go on where %s', async (_, answer) => {
		front.answer(looks(answer, 1));
		const run = await bench.run({ options: { maxTries: 1 } });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(run.hints).toEqual([]);
		expect(front.exchanges).toEqual([
			'GET 200',
			'POST 202',
			`GET id ${answer.status}`,
			'GET id 200',
		]);
	});

	it('end where the service asks for more patience than there is', async () => {
		front.answer(looks(empty(429, { 'retry-after': '9999' })));
		const run = await bench.run({ options: { waitTimeout: 1 } });
		expect(run.status).toBe('success');
		expect(outcomesOf(run)).toEqual(['pending']);
		expect(run.hints[0]?.message).toMatch(/was ordered, but its result could not be read/);
		expect(front.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 429']);
	});

	it('are taken once without a timeout, and have time to be answered', async () => {
		front.answer(async ({ method }, pass) => {
			if (method === 'GET') await new Promise((resolve) => setTimeout(resolve, 100));
			return await pass();
		});
		const run = await bench.run({ options: { waitTimeout: 0 } });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
	});

	it('have the whole timeout, however long the orders took', async () => {
		bench.setClock(Date.now());
		bench.sandbox.products.configure({ settleAfterGets: 2 });
		front.answer(async ({ method }, pass) => {
			const answer = await pass();
			if (method === 'POST') bench.setClock(Date.now() + MINUTE);
			return answer;
		});
		const run = await bench.activate([1, 2, 3], { options: { waitTimeout: 30 } });
		expect(outcomesOf(run)).toEqual(['activated', 'activated', 'activated']);
	});
});

describe('a change of the highlights', () => {
	const update = async (id: string, highlight: number, more = {}) =>
		await bench.run({
			operation: 'updateHighlights',
			activationId: id,
			highlights: { highlight: [{ id: highlight }] },
			...more,
		});

	const failPatch = (when: 'before' | 'after') =>
		bench.sandbox.faults.add({ method: 'PATCH', kind: 'reset', when });

	const highlightsOf = (id: string) =>
		bench.sandbox.products.find('premium-listings', id)?.shown.highlights;

	it('that was lost is not taken for the one that is under way', async () => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: null });
		await update(id, 1);
		failPatch('before');
		const { items, error } = await update(id, 2);
		expect(items).toEqual([]);
		expect(error?.message).toBe(
			'It is not known whether the highlights were changed: A change of the highlights is still under way',
		);
		bench.sandbox.products.settle(id);
		expect(highlightsOf(id)).toMatchObject([{ id: 1 }]);
	});

	it('that was lost is made once the one under way is done', async () => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: 1 });
		await update(id, 1);
		failPatch('before');
		const { error } = await update(id, 2);
		expect(error).toBeUndefined();
		bench.sandbox.products.settle(id);
		expect(highlightsOf(id)).toMatchObject([{ id: 2 }]);
	});

	it.each([
		['done', { settleAfterMs: 0 }, ['PATCH id 0', 'GET id 200']],
		[
			'done a little later',
			{ settleAfterGets: 2 },
			['PATCH id 0', 'GET id 200', 'GET id 200', 'GET id 200'],
		],
	])('whose answer is lost is not sent again where it is %s', async (_, behaviour, exchanges) => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure(behaviour);
		failPatch('after');
		const run = await update(id, 2);
		expect(run.items[0]?.json).toMatchObject({ id, highlights: [{ id: 2 }] });
		expect(front.exchanges).toEqual(exchanges);
	});

	const ID = '4f7a2c1e-0000-4000-8000-000000000001';

	/** Answers changes, once the service has taken them. */
	const changes =
		(answerOf: (shown: Shown) => Answer): Change =>
		async ({ method }, pass) => {
			const answer = await pass();
			if (method !== 'PATCH' || answer === 'lost') return answer;
			return answerOf(JSON.parse(answer.body) as Shown);
		};

	it('that is answered by the sandbox with an array of one is done', async () => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ updateAnswer: 'array', settleAfterGets: null });
		const run = await update(id, 2);
		expect(run.items).toMatchObject([
			{ json: { id, status: { currently: 'WAITING_FOR_UPDATE' } } },
		]);
		expect(front.exchanges).toEqual(['PATCH id 202']);
	});

	it.each<[string, (shown: Shown) => unknown, string[]]>([
		['the activation', (shown) => shown, []],
		['an array of one', (shown) => [shown], []],
		['an array of one without an ID', (shown) => [omit(shown, 'id')], []],
		['an array of several', (shown) => [{ ...shown, id: ID }, shown], []],
		['an empty array', () => [], ['GET id 200']],
		['an array of another one', (shown) => [{ ...shown, id: ID }], ['GET id 200']],
		[
			'an array of others',
			(shown) => [
				{ ...shown, id: ID },
				{ ...shown, id: 'x' },
			],
			['GET id 200'],
		],
		['an array of nothing', () => [null], ['GET id 200']],
		['another activation', (shown) => ({ ...shown, id: ID }), ['GET id 200']],
		['an object', () => ({ message: 'Accepted' }), ['GET id 200']],
		['nothing', () => null, ['GET id 200']],
		['a word', () => 'Accepted', ['GET id 200']],
	])('that is taken with %s is done', async (_, shown, more) => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(changes((activation) => json(202, shown(activation))));
		const run = await update(id, 2);
		expect(run.items).toHaveLength(1);
		expect(run.items[0]?.json).toMatchObject({ listingId: 123 });
		expect([id, undefined]).toContain(run.items[0]?.json.id);
		expect(front.exchanges).toEqual(['PATCH id 202', ...more]);
	});

	it('that is taken with an answer that is cut short is done', async () => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(changes(() => ({ ...json(202, {}), body: '{"id":' })));
		const run = await update(id, 2);
		expect(run.items[0]?.json).toMatchObject({ id });
		expect(front.exchanges).toEqual(['PATCH id 202', 'GET id 200']);
	});

	it.each<[string, Answer, string]>([
		['a page', { ...page, status: 202 }, 'It is not known whether the highlights were changed: '],
		[
			'errors alone',
			json(202, { errors: [{ reason: 'No', code: 1_011_905 }] }),
			'The highlights were not changed: the service does not accept the highlights',
		],
		[
			'200 and a word',
			json(200, 'Accepted'),
			'It is not known whether the highlights were changed: ',
		],
	])('that is answered with %s is not taken for done', async (_, answer, message) => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(async ({ method }, pass) => (method === 'PATCH' ? answer : await pass()));
		const { items, error } = await update(id, 2, { options: { maxTries: 1 } });
		expect(items).toEqual([]);
		expect(error?.message).toContain(message);
	});

	it.each([
		['not active', 1_011_043, 'the premium listing is not active', /Activate it first/],
		[
			'an update in flight',
			1_011_044,
			'an earlier change of its highlights is still under way',
			/again in a few minutes/,
		],
		[
			'no code',
			undefined,
			'the premium listing is not active, or an earlier change is still under way',
			/Check with Get/,
		],
	])('that is refused with 409 is explained: %s', async (_, code, problem, remedy) => {
		const id = somebodys(123, 'ACTIVATED');
		const answer =
			code === undefined ? empty(409) : json(409, { errors: [{ reason: 'No', code }] });
		front.answer(async ({ method }, pass) => (method === 'PATCH' ? answer : await pass()));
		const { error } = await update(id, 2);
		expect(error?.message).toBe(`The highlights were not changed: ${problem}`);
		expect(error?.description).toMatch(remedy);
	});

	it('does not send the keys with which highlights come back', async () => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		const shown = { id: 7, description: 'Garden', key: 'garden' };
		const run = await update(id, 2, { highlights: { highlight: [shown] } });
		expect(run.error).toBeUndefined();
		expect(highlightsOf(id)).toEqual([{ ...shown, key: 'highlight-7' }]);
	});

	it.each<[string, (highlight: Shown) => Shown]>([
		['a key', (highlight) => ({ ...highlight, key: 'k' })],
		['an empty description', (highlight) => ({ ...highlight, description: '' })],
		['no description', (highlight) => ({ ...highlight, description: null })],
	])('that was lost is known to be made by its highlights, shown with %s', async (_, change) => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		front.answer(
			eachActivation(({ highlights, ...shown }) => ({
				...shown,
				highlights: (highlights as Shown[]).map(change),
			})),
		);
		failPatch('after');
		expect((await update(id, 2)).error).toBeUndefined();
		expect(front.exchanges).toEqual(['PATCH id 0', 'GET id 200']);
	});

	const wordless: Change = async ({ method }, pass) => {
		const answer = await pass();
		return method === 'PATCH' && answer !== 'lost' ? { ...answer, body: '' } : answer;
	};

	it('that is taken without a word is read', async () => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(wordless);
		const run = await update(id, 2);
		expect(run.items[0]?.json).toMatchObject({ id, highlights: [{ id: 2 }] });
		expect(front.exchanges).toEqual(['PATCH id 202', 'GET id 200']);
	});

	it('that is taken without a word is done, whether or not it can be read', async () => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(wordless);
		front.answer(looks(empty(500)));
		const run = await update(id, 2, { options: { maxTries: 2 } });
		expect(run.items[0]?.json).toEqual({ id });
	});
});
