import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import * as retry from '../../service/retry';
import { listingOf } from '../sandbox/products';
import { shortenBackoff } from './harness/bench';
import type { NodeRun } from './harness/engine';
import type { Answer, Change, Shown } from './harness/front';
import { creationTimes, eachActivation, empty, Front, json, withoutDate } from './harness/front';
import { visibleText } from './harness/leads';
import { outcomesOf, PREMIUM_PATH, ProductsBench } from './harness/products';

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

/** Answers the first requests for lists, and passes on everything else. */
const lists = (answer: Answer, times = Infinity): Change => {
	let given = 0;
	return async ({ isList }, pass) => (isList && given++ < times ? answer : await pass());
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
		['two days behind', -2 * DAY, [], 'alreadyActive'],
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
		expect(front.exchanges).toEqual(['POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it.each(times)('%s: what is active is taken', async (_, aheadMs, changes, outcome) => {
		bench.sandbox.advance(aheadMs);
		changes.forEach((change) => front.answer(change));
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		loseAnswers();
		expect(outcomesOf(await bench.run())).toEqual([outcome]);
		expect(front.exchanges).toEqual(['POST 0', 'GET 200']);
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
		expect(front.exchanges).toEqual(['POST 503', 'GET 200']);
		expect(creditsOf(123)).toBe(1);
	});

	it('does not take a failure from long before for its own', async () => {
		bench.sandbox.advance(-10 * MINUTE);
		somebodys(123, 'ERROR');
		bench.sandbox.advance(10 * MINUTE);
		bench.failPost({ kind: 'reset' });
		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(front.exchanges.slice(0, 3)).toEqual(['POST 0', 'GET 200', 'POST 202']);
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
		expect(front.exchanges).toEqual(['POST 0', 'GET 200', 'POST 202', 'GET id 200']);
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
		bench.failPost({ kind: 'reset' });
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
		expect(front.exchanges).toEqual(['POST 0', 'GET 200']);
	});

	it('knows the order by its first POST', async () => {
		bench.setClock(Date.now());
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.failPost({ kind: 'reset', after: 1 });
		front.answer(async ({ isList, earlier }, pass) => {
			if (!isList || earlier > 0) return await pass();
			bench.setClock(Date.now() + MINUTE);
			return json(200, []);
		});
		const run = await bench.run();
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges).toEqual(['POST 0', 'GET 200', 'POST 0', 'GET 200', 'GET id 200']);
		expect(bench.credits).toBe(1);
	});
});

describe('an order that surely was not sent', () => {
	it('is not looked for, nor said to be unknown', async () => {
		await bench.run({ listingId: 9, waitForResult: false });
		await front.stop();
		const { error } = await bench.run({ options: { maxTries: 2 } });
		expect(error?.message).toBe(
			'Premium listing of listing 123: The service refused the connection',
		);
		expect(error?.description).not.toMatch(/shows no activation|not activated a second time/);
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
		front.answer(lists(empty(500), 2));
		const run = await both([customer, listing], { options: { maxTries: 2 } });
		expect(run.items.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/^Premium listing of your listing OUR-1: It is not known whether/),
			expect.stringMatching(/ was not activated: the listing has too few images$/),
		]);
		expect(front.exchanges).toEqual(['POST 0', 'GET 500', 'GET 500', 'GET 200']);
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
		const id = somebodys(123, 'ACTIVATED');
		front.answer(orders(change));
		const run = await bench.run();
		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyActive' });
		expect(front.exchanges).toEqual(['POST 303', 'GET id 200']);
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

	it('takes what the listing has where the redirect leads nowhere', async () => {
		const id = somebodys(123, 'ACTIVATED');
		front.answer(orders(empty(303, { location: '/' })));
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
		expect(front.exchanges).toEqual(['POST 202', 'GET id 200']);
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

	const unable = empty(500);

	it('believes a duplicate’s code where the list cannot be read', async () => {
		somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ duplicates: 'refuse' });
		front.answer(lists(unable));
		const run = await bench.run({ options: { maxTries: 2 } });
		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
	});

	it('believes an activation that failed as a duplicate where the list cannot be read', async () => {
		failAtOnce([{ reason: 'Product already activated', code: 1_021_001 }]);
		front.answer(lists(unable));
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
		expect(front.exchanges).toEqual([`POST ${answer.status}`]);
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
		expect(front.exchanges).toEqual(['POST 202', `GET id ${answer.status}`, 'GET id 200']);
	});

	it('end where the service asks for more patience than there is', async () => {
		front.answer(looks(empty(429, { 'retry-after': '9999' })));
		const run = await bench.run({ options: { waitTimeout: 1 } });
		expect(run.status).toBe('success');
		expect(outcomesOf(run)).toEqual(['pending']);
		expect(run.hints[0]?.message).toMatch(/was ordered, but its result could not be read/);
		expect(front.exchanges).toEqual(['POST 202', 'GET id 429']);
	});

	it('are taken once without a timeout, and have time to be answered', async () => {
		front.answer(async ({ method }, pass) => {
			if (method === 'GET') await new Promise((resolve) => setTimeout(resolve, 100));
			return await pass();
		});
		const run = await bench.run({ options: { waitTimeout: 0 } });
		expect(outcomesOf(run)).toEqual(['activated']);
		expect(front.exchanges).toEqual(['POST 202', 'GET id 200']);
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
		expect(highlightsOf(id)).toEqual([{ id: 1 }]);
	});

	it('that was lost is made once the one under way is done', async () => {
		const id = somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: 1 });
		await update(id, 1);
		failPatch('before');
		const { error } = await update(id, 2);
		expect(error).toBeUndefined();
		bench.sandbox.products.settle(id);
		expect(highlightsOf(id)).toEqual([{ id: 2 }]);
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
