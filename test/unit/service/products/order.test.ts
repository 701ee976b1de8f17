import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { OrderMemory } from '../../../../service/products/order';
import { Order } from '../../../../service/products/order';
import type { Listing } from '../../../../service/products/products';
import type { Scripted } from '../../../lab/scriptedProducts';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';

const LISTING: Listing = { listingId: 123 };

const activation = (id: string, result = 'PENDING', more = {}) => ({
	id,
	listingId: 123,
	createdAt: '2026-03-02T09:15:30Z',
	status: { result },
	...more,
});

const MADE = activation('made');
const list = (...shown: object[]) => answered(200, shown);
const taken = answered(202, MADE);

const failure = (details = {}, message = 'The connection was lost') =>
	new ServiceError('unavailable', message, { requestKind: 'data', ...details });

let script: ScriptedProducts;

const memoryOf = (): OrderMemory => ({ name: 'Premium listing for listing 123' });

const place = async (memory = memoryOf(), listing: Listing = LISTING, { products } = script) =>
	await new Order(products, { listing }, memory).place();

const failed = async (...given: Parameters<typeof place>): Promise<ServiceError> => {
	const result: unknown = await place(...given).catch((error: unknown) => error);
	if (result instanceof ServiceError) return result;
	throw new Error(`It did not fail: ${JSON.stringify(result)}`);
};

const posts = ({ log } = script) => log.filter((line) => line === 'POST').length;

const SPENT = 'A credit may have been spent.';
const UNSENT = 'No order was sent, so no credit was spent.';
const REFUSED =
	'The service did not accept the order. It does not report credits: if in doubt, ask the operator.';

beforeEach(() => {
	jest.useFakeTimers();
	// The process is old enough for an order.
	jest.advanceTimersByTime(10_000);
	jest.spyOn(Math, 'random').mockReturnValue(0);
	script = new ScriptedProducts();
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('an order', () => {
	it('looks at the listing, and is sent once', async () => {
		script.answers = [taken];

		expect(await place()).toEqual({ own: MADE });
		expect(script.log).toEqual(['LIST 123', 'POST']);
		expect(script.writes).toMatchObject([{ body: LISTING }]);
	});

	it('waits until lists show what a process that was killed may have ordered', async () => {
		jest.spyOn(performance, 'now').mockReturnValue(6_000);
		script.lists = [list(activation('there'))];

		expect(await place()).toEqual({ existing: activation('there') });
		expect(script.log).toEqual(['pause 4000', 'LIST 123']);
	});

	it.each(['PENDING', 'ACTIVATED', 'SCHEDULED', ''])(
		'is not sent beside one that is %p',
		async (result) => {
			script.lists = [list(activation('old', 'ERROR'), activation('there', result))];

			expect(await place()).toEqual({ existing: activation('there', result) });
			expect(script.log).toEqual(['LIST 123']);
		},
	);

	it.each<[string, () => Scripted]>([
		['429', () => answered(429)],
		['a refused connection', () => failure({ isUnsent: true })],
		['no token', () => failure({ requestKind: 'token' })],
	])(
		'that the service surely did not take is sent again after another look: %s',
		async (_, refusal) => {
			script.answers = [refusal(), refusal(), taken];

			expect(await place()).toEqual({ own: MADE });
			expect(script.log).toEqual(['LIST 123', 'POST', 'LIST 123', 'POST', 'LIST 123', 'POST']);
		},
	);

	it('is not sent again if the look shows one meanwhile', async () => {
		script.answers = [answered(429)];
		script.lists = [list(), list(activation('other'))];

		expect(await place()).toEqual({ existing: activation('other') });
		expect(posts()).toBe(1);
	});

	it.each<[string, Scripted, string, string]>([
		['429', answered(429), REFUSED, 'The service is busy: too many requests (429)'],
		['400', answered(400), REFUSED, 'The service refused the request (400)'],
		['413', answered(413), REFUSED, 'the custom details are larger than 640 kB'],
		[
			'a code',
			answered(400, { errors: [{ code: 1_011_008 }] }),
			REFUSED,
			'the listing has fewer than three images',
		],
		['no token', failure({ requestKind: 'token' }), UNSENT, 'The connection was lost'],
	])('that is refused says what it cost: %s', async (_, answer, cost, why) => {
		script.maxTries = 1;
		script.answers = [answer];

		const error = await failed();

		expect(error.message).toBe(`Premium listing for listing 123 was not activated: ${why}`);
		expect(error.details.cost).toBe(cost);
	});

	it('that is refused by a code says what to do', async () => {
		script.answers = [answered(400, { errors: [{ code: 1_011_008 }] })];

		expect((await failed()).details).toMatchObject({
			remedy: expect.stringMatching(/^Correct that in your own software/),
			helpCode: 'listingNotReady',
		});
	});

	it('that was refused may be sent by a later try of the execution', async () => {
		const memory = memoryOf();
		script.answers = [answered(400), taken];
		await failed(memory);

		expect(await place(memory)).toEqual({ own: MADE });
	});

	it('that is made is not sent by a later try of the execution', async () => {
		const memory = memoryOf();
		script.answers = [taken];
		await place(memory);

		expect(await place(memory)).toEqual({ own: MADE });
		expect(script.log).toEqual(['LIST 123', 'POST']);
	});
});

describe('the look before an order', () => {
	it.each<[string, Listing, Scripted, string]>([
		['500', LISTING, answered(500), 'The service cannot answer just now (500)'],
		[
			'another listing',
			LISTING,
			list(activation('a', 'ERROR', { listingId: 7 })),
			'The service lists activations of other listings as well',
		],
		[
			'two listings for an own ID',
			{ customerListingId: 'A' },
			list(activation('a'), activation('b', 'ERROR', { listingId: 7 })),
			'The service lists activations of other listings as well',
		],
		[
			'no such listing',
			{ customerListingId: 'A' },
			answered(400),
			'The service finds no listing with this ID from your software',
		],
	])('that brings %s keeps it from being sent', async (_, listing, shown, why) => {
		script.maxTries = 1;
		script.lists = [shown];

		const error = await failed(memoryOf(), listing);

		expect(error.message).toBe(
			`Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: ${why}`,
		);
		expect(error.helpCode).toBe('orderNotSent');
		expect(error.details.cost).toBe(UNSENT);
		expect(posts()).toBe(0);
	});

	it('that fails after a refused order does not say that none was sent', async () => {
		script.maxTries = 2;
		script.answers = [answered(429)];
		script.lists = [list(), answered(403)];

		expect((await failed()).details.cost).toBe(REFUSED);
	});

	it.each<[string, Listing, object]>([
		['names it', LISTING, {}],
		['names none', LISTING, { listingId: undefined }],
		['names a 0', LISTING, { listingId: 0 }],
		['names one for an own ID', { customerListingId: 'A' }, { listingId: 7 }],
	])('takes for the listing’s what %s', async (_, listing, more) => {
		script.lists = [list(activation('there', 'ACTIVATED', more))];

		expect(await place(memoryOf(), listing)).toMatchObject({ existing: { id: 'there' } });
	});
});

describe('an order without a clear answer', () => {
	const doubts: Array<[string, () => Scripted, number]> = [
		['a lost connection', () => failure(), 10_000],
		['500', () => answered(500), 10_000],
		[
			'500 with the code of a duplicate',
			() => answered(500, { errors: [{ code: 1_011_004 }] }),
			10_000,
		],
		['408', () => answered(408), 10_000],
		['a web page', () => answered(200, '<html>'), 10_000],
		['errors with 202', () => answered(202, { errors: [{ code: 5 }] }), 10_000],
		['an error of n8n itself', () => new Error('database is locked'), 10_000],
		['504', () => answered(504), 30_000],
		['no answer in time', () => failure({ isLate: true }), 30_000],
	];

	it.each(doubts)('is looked for once: %s', async (_, answer, ms) => {
		script.answers = [answer()];
		script.lists = [list(activation('old', 'ERROR')), list(MADE, activation('old', 'ERROR'))];

		expect(await place()).toEqual({ own: MADE });
		expect(script.log).toEqual(['LIST 123', 'POST', `pause ${ms}`, 'LIST 123']);
	});

	it.each(doubts)('is in doubt, and never sent again: %s', async (_, answer) => {
		const memory = memoryOf();
		script.answers = [answer(), taken];
		script.lists = [list(activation('old', 'ERROR'))];

		for (const error of [await failed(memory), await failed(memory)]) {
			expect(error.message).toMatch(
				/^Premium listing for listing 123: It is not known whether it was activated: ./,
			);
			expect(error.helpCode).toBe('orderUnknown');
			expect(error.details.cost).toBe(SPENT);
			expect(error.details.remedy).toMatch(
				/Check with “Get Many” in a few minutes\. If it shows no/,
			);
		}
		expect(posts()).toBe(1);
	});

	it('sends a person to the address if a web page came', async () => {
		script.answers = [answered(200, '<html>')];

		expect((await failed()).details.remedy).toMatch(
			/^Check the “Products URL” in the credential\. Check/,
		);
	});

	it('is found by a later try of the execution', async () => {
		const memory = memoryOf();
		script.answers = [failure()];
		script.lists = [list(), list(), list(MADE)];
		await failed(memory);

		expect(await place(memory)).toEqual({ own: MADE });
		expect(memory).toMatchObject({ doubt: undefined, made: MADE });
		expect(posts()).toBe(1);
	});

	it.each<[string, Scripted[], RegExp]>([
		['the look fails', [list(), answered(403)], /refused access/],
		['n8n fails the look', [list(), new Error('database is locked')], /database is locked$/],
		[
			'the look shows other listings',
			[list(), list(MADE, { listingId: 7 })],
			/other listings as well$/,
		],
		['two are new', [list(), list(MADE, activation('b'))], /The connection was lost$/],
		[
			'what is new cannot be told',
			[list({ listingId: 123, status: { result: 'ERROR' } }), list({ listingId: 123 })],
			/The connection was lost$/,
		],
	])('stays in doubt if %s', async (_, lists, why) => {
		script.answers = [failure()];
		script.lists = lists;

		expect((await failed()).message).toMatch(why);
	});

	it('is known by its time if the list shows no ID', async () => {
		const made = { listingId: 123, createdAt: '2026-03-02T10:00:00Z' };
		const old = { ...made, createdAt: '2026-03-01T10:00:00Z', status: { result: 'ERROR' } };
		script.answers = [failure()];
		script.lists = [list(old), list(made, old)];

		expect(await place()).toEqual({ own: made });
	});

	it('stays in doubt if the execution is cancelled while it is sent', async () => {
		const memory = memoryOf();
		script.answers = [
			() => {
				script.isCancelled = true;
				return new Error('The execution was canceled');
			},
		];

		await expect(place(memory)).rejects.toThrow('The execution was canceled');
		expect(memory.doubt?.message).toBe('The answer to the order did not arrive');
	});
});

it('an order that is taken without an activation is made', async () => {
	const memory = memoryOf();
	script.answers = [answered(202)];

	expect(await place(memory)).toEqual({ own: LISTING });
	expect(memory.made).toEqual(LISTING);
	expect(script.log).toEqual(['LIST 123', 'POST']);
});

describe('a listing that has one already, by the answer to the order', () => {
	const there = activation('there', 'ACTIVATED');
	const duplicate = (code: number, status = 400) => answered(status, { errors: [{ code }] });

	it.each<[string, Scripted]>([
		['a redirect to nothing', answered(303)],
		['a redirect to what has changed since', answered(303, activation('there'))],
		['a code', duplicate(1_011_004)],
		['a code with two meanings', duplicate(1_011_003)],
	])('is looked for once the list can show it, after %s', async (_, answer) => {
		script.answers = [answer];
		script.lists = [list(), list(there)];

		expect(await place()).toEqual({ existing: there });
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 10000', 'LIST 123']);
	});

	it.each<[number, Scripted]>([
		[1_011_004, list()],
		[2_011_005, answered(403)],
	])('is believed by code %d if the list does not show it', async (code, shown) => {
		script.answers = [duplicate(code)];
		script.lists = [list(), shown];

		expect(await place()).toEqual({ already: 'alreadyActive' });
	});

	it.each([list(), answered(403)])(
		'is not believed by a code with two meanings (%#)',
		async (shown) => {
			script.answers = [duplicate(1_011_003)];
			script.lists = [list(), shown];

			const error = await failed();

			expect(error.message).toMatch(
				/was not activated: the service says that an order for the listing is pending/,
			);
			expect(error.details.cost).toBe(REFUSED);
		},
	);

	it.each<[Scripted, string, string]>([
		[
			list(),
			'The service says that the listing has an order already (303), but does not show it',
			'orderUnknown',
		],
		[answered(500), 'The service cannot answer just now (500)', 'serviceFault'],
	])('is not believed by a redirect to nothing (%#)', async (shown, why, code) => {
		script.maxTries = 1;
		script.answers = [answered(303)];
		script.lists = [list(), shown];

		const error = await failed();

		expect(error.message).toBe(`Premium listing for listing 123: ${why}`);
		expect(error.helpCode).toBe(code);
		expect(error.details.cost).toBe(REFUSED);
	});
});

describe('another execution that orders the same listing', () => {
	let other: ScriptedProducts;

	/** Two executions; the first one's order is answered when `answer` is called. */
	const both = (given: Scripted) => {
		let answer = () => {};
		const isDue = new Promise<void>((resolve) => (answer = resolve));
		const { session } = script.products;
		const write = session.write.bind(session);
		jest.spyOn(session, 'write').mockImplementation(async (request) => {
			await isDue;
			return await write(request);
		});
		script.answers = [given];
		const first = place().catch((error: unknown) => error);
		const second = place(memoryOf(), LISTING, other).catch((error: unknown) => error);
		return { first, second, answer };
	};

	beforeEach(() => {
		other = new ScriptedProducts('premium-listings', script.address, 'other client');
		other.answers = [answered(202, activation('second'))];
	});

	it('waits for the first until lists show what that has made', async () => {
		other.lists = [list(MADE)];
		const { first, second, answer } = both(taken);
		answer();
		expect(await first).toEqual({ own: MADE });
		await jest.advanceTimersByTimeAsync(9_000);
		expect(other.log).toEqual([]);
		await jest.advanceTimersByTimeAsync(1_000);

		expect(await second).toEqual({ existing: MADE });
		expect(other.log).toEqual(['LIST 123']);
	});

	it('orders once the first was refused', async () => {
		const { first, second, answer } = both(answered(400));
		answer();

		expect(await first).toBeInstanceOf(ServiceError);
		expect(await second).toEqual({ own: activation('second') });
	});

	it('does not order while nobody knows what became of the first', async () => {
		const { first, second, answer } = both(failure());
		answer();
		await first;
		await jest.advanceTimersByTimeAsync(10_000);

		expect(await second).toMatchObject({ helpCode: 'orderUnknown', details: { cost: SPENT } });
		expect(posts(other)).toBe(0);
		expect(other.log).toEqual(['LIST 123']);
	});

	it('takes what the list shows of an order in doubt', async () => {
		other.lists = [list(MADE)];
		const { first, second, answer } = both(failure());
		answer();
		await first;
		await jest.advanceTimersByTimeAsync(10_000);

		expect(await second).toEqual({ existing: MADE });
	});

	it('does not order after a third that ordered nothing because of a doubt', async () => {
		script.answers = [failure()];
		await failed();
		const third = new ScriptedProducts('premium-listings', script.address);
		const refused = Promise.all([
			failed(memoryOf(), LISTING, other),
			failed(memoryOf(), LISTING, third),
		]);
		await jest.advanceTimersByTimeAsync(10_000);

		expect((await refused).map(({ helpCode }) => helpCode)).toEqual([
			'orderUnknown',
			'orderUnknown',
		]);
		expect(posts(other) + posts(third)).toBe(0);
	});

	it('is not waited for once lists show what it has made', async () => {
		script.answers = [taken];
		await place();
		await jest.advanceTimersByTimeAsync(10_000);

		expect(await place(memoryOf(), LISTING, other)).toEqual({ own: activation('second') });
	});

	it('does not wait for another listing, or another product', async () => {
		const { answer } = both(taken);
		other.answers = [answered(202, { id: 'other', listingId: 5 })];

		expect(await place(memoryOf(), { listingId: 5 }, other)).toMatchObject({
			own: { id: 'other' },
		});
		answer();
	});
});
