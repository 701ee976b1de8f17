import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import { ProcessTime } from '../../../../service/http/steadyTime';
import type { Activation } from '../../../../service/products/activation';
import type { Attempt } from '../../../../service/products/attempt';
import { CarefulOrder } from '../../../../service/products/carefulOrder';
import type { Listing } from '../../../../service/products/products';
import type { Session } from '../../../../service/session';
import * as sameListing from '../../../../service/products/sameListing';
import { answered, passTime, ScriptedProducts } from '../../../lab/scriptedProducts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../lab/times';

const NOW = Date.UTC(2026, 2, 2, 9, 15, 30);
const ID = '4f7a2c1e-0000-4000-8000-000000000001';
const OWN_ID: Listing = { customerListingId: 'OUR-1' };

/** An activation of the listing, made just now unless it says otherwise. */
const shown = (id: string, result: string, more: Activation = {}): Activation => ({
	id,
	listingId: 123,
	createdAt: new Date().toISOString(),
	status: { result },
	...more,
});

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const list = (...activations: Activation[]) => answered(200, activations);
const taken = (activation: unknown) => answered(202, activation);
const refused = (code: number, status = 400) => answered(status, { errors: [{ code }] });

/** A new one each time: it is told how often it was tried. */
const lost = () =>
	new ServiceError('unavailable', 'The connection was lost', { requestKind: 'data' });
const NO_TOKEN = new ServiceError('credential', 'No token', { requestKind: 'token' });
const CANCELLED = new Error('The execution was canceled');

let script: ScriptedProducts;
let attempt: Attempt;

const orderOf = (listing: Listing = { listingId: 123 }) =>
	new CarefulOrder(script.products, { listing }, attempt);

const failureOf = async (order: CarefulOrder): Promise<ServiceError> => {
	const error: unknown = await order.make().catch((thrown: unknown) => thrown);
	if (!(error instanceof ServiceError)) throw new Error(`It did not fail: ${String(error)}`);
	return error;
};

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	// No wait before a repeat.
	jest.spyOn(Math, 'random').mockReturnValue(0);
	// Each test begins at 0.
	jest.spyOn(ProcessTime.prototype, 'now').mockImplementation(() => performance.now());
	script = new ScriptedProducts();
	attempt = {};
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

describe('an order for a listing that has nothing', () => {
	it('is sent once, after a look', async () => {
		const made = shown('a', 'PENDING');
		script.answers = [taken(made)];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual(['LIST 123', 'POST']);
	});

	it('is noted as taken at the time that it was sent', async () => {
		const made = shown('a', 'PENDING');
		script.beforeDeparture = () => passTime(20 * SECOND);
		script.answers = [
			() => {
				passTime(MINUTE);
				return taken(made);
			},
		];

		const order = orderOf();
		await order.make();

		expect(attempt).toEqual({
			before: new Set(),
			isSent: true,
			takenAt: 20 * SECOND,
			shownFrom: MINUTE + 25 * SECOND,
			made,
		});
		expect(order.mayBeTakenAt).toBe(20 * SECOND);
	});

	it('is sent again without another look if the service was too busy for it', async () => {
		script.answers = [answered(429), answered(429), taken(shown('a', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log).toEqual(['LIST 123', 'POST', 'POST', 'POST']);
		expect(attempt).not.toHaveProperty('sentAt');
	});

	it('waits for its turn in one place each time, which no other order has', async () => {
		script.answers = [answered(429), answered(429), taken(shown('a', 'PENDING'))];
		await orderOf().make();
		script.lists = [list()];
		script.answers = [answered(429), taken(shown('b', 'PENDING'))];
		attempt = {};
		await orderOf().make();

		const [first, ...more] = script.places;
		// After its look it goes first.
		expect(first).toEqual({ tries: 0, follows: true });
		expect(more.map((place) => place === first)).toEqual([true, true, false, false]);
	});

	it('is sent for what has failed or is over as well', async () => {
		const over = shown('b', 'ACTIVATED', { createdAt: ago(40 * DAY), expiryAt: ago(DAY) });
		const nameless = shown('', 'ERROR', { id: undefined });
		script.lists = [list(shown('a', 'ERROR'), over, nameless)];
		script.answers = [taken(shown('c', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'c' } });
		expect(attempt.before).toEqual(new Set(['a', 'b', nameless.createdAt]));
	});

	describe('whose look is old', () => {
		const others = shown('b', 'SCHEDULED');
		/** It waits for its turn before it departs for the first time. */
		const waitFirst = (ms: number) => {
			script.beforeDeparture = () => {
				script.beforeDeparture = () => undefined;
				passTime(ms);
			};
		};

		it('since it waited for its turn, is not sent before another look', async () => {
			waitFirst(MINUTE);
			script.lists = [list(), list(others)];
			script.answers = [taken(shown('a', 'PENDING'))];

			expect(await orderOf().make()).toEqual({ existing: others });
			expect(script.log).toEqual(['LIST 123', 'LIST 123']);
		});

		it('since the service was busy for long, is not sent again before another look', async () => {
			const late = () => {
				passTime(MINUTE);
				return answered(429);
			};
			script.lists = [list(), list(others)];
			script.answers = [late, taken(shown('a', 'PENDING'))];

			expect(await orderOf().make()).toEqual({ existing: others });
			expect(script.log).toEqual(['LIST 123', 'POST', 'LIST 123']);
		});

		it('is sent if another look shows nothing', async () => {
			waitFirst(MINUTE);
			script.answers = [answered(500), taken(shown('a', 'PENDING'))];

			expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
			expect(script.log).toEqual(['LIST 123', 'LIST 123', 'POST']);
		});

		it('and the clock was set back, is sent nonetheless: it looked just now', async () => {
			script.beforeDeparture = () => void jest.setSystemTime(NOW - HOUR);
			script.answers = [taken(shown('a', 'PENDING'))];

			expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
			expect(script.log).toEqual(['LIST 123', 'POST']);
		});

		it('and another look fails after a refused POST, tells that, and what is known of the credit', async () => {
			const late = () => {
				passTime(MINUTE);
				return answered(429);
			};
			script.maxTries = 2;
			script.lists = [list(), answered(503)];
			script.answers = [late];

			const error = await failureOf(orderOf());

			expect(error.message).toBe(
				'Premium listing for listing 123 was not activated: The service cannot answer just now (503)',
			);
			expect(error.helpCode).not.toBe('orderNotSent');
			expect(error.details.cost).toMatch(/^The service did not accept the order\./);
		});

		it('each time, is given up as unsent', async () => {
			script.maxTries = 3;
			script.beforeDeparture = () => passTime(MINUTE);
			script.answers = [taken(shown('a', 'PENDING'))];

			const error = await failureOf(orderOf());

			expect(error.message).toBe(
				'Premium listing for listing 123 was not activated: The order had to wait too long for its turn',
			);
			expect(error.details.cost).toBe('No order was sent, so no credit was spent.');
			expect(script.log).toEqual(Array(3).fill('LIST 123'));
		});
	});

	it('has the name of its listing', () => {
		expect(orderOf().name).toBe('Premium listing for listing 123');
		expect(orderOf(OWN_ID).name).toBe('Premium listing for your listing OUR-1');
		expect(orderOf(OWN_ID).listing).toEqual(OWN_ID);
	});
});

describe('the look before an order', () => {
	it.each(['ACTIVATED', 'PENDING', 'SCHEDULED', 'QUEUED'])(
		'that finds one that is %s orders nothing',
		async (result) => {
			const existing = shown('a', result);
			script.lists = [list(existing)];

			expect(await orderOf().make()).toEqual({ existing });
			expect(script.log).toEqual(['LIST 123']);
			expect(attempt).not.toHaveProperty('made');
		},
	);

	it('that fails for a while orders nothing, and says so', async () => {
		script.maxTries = 2;
		script.lists = [answered(500)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: The service cannot answer just now (500)',
		);
		expect(error.details).toMatchObject({
			helpCode: 'orderNotSent',
			cost: 'No order was sent, so no credit was spent.',
		});
		expect(script.log).toEqual(['LIST 123', 'LIST 123']);
	});

	it('that n8n’s own error ends is told as it is', async () => {
		script.lists = [CANCELLED];

		await expect(orderOf().make()).rejects.toBe(CANCELLED);
	});

	it.each<[string, Listing, ReturnType<typeof answered>, RegExp, string]>([
		[
			'an own ID, 404',
			OWN_ID,
			answered(404),
			/finds no listing with this ID from your software$/,
			'listingUnknown',
		],
		[
			'an own ID, 400',
			OWN_ID,
			answered(400),
			/finds no listing with this ID from your software$/,
			'listingUnknown',
		],
		[
			'an own ID, 403',
			OWN_ID,
			answered(403),
			/could not be checked first: .*\(403\)$/,
			'orderNotSent',
		],
		[
			'its own code',
			OWN_ID,
			refused(1_011_064),
			/listings for this client ID in which to look up/,
			'orderNotAllowed',
		],
		[
			'404',
			{ listingId: 123 },
			answered(404),
			/not know the listing, or the Products URL is wrong/,
			'listingUnknown',
		],
		[
			'400',
			{ listingId: 123 },
			answered(400),
			/could not be checked first: .*\(400\)$/,
			'orderNotSent',
		],
	])('that is refused, by %s', async (_, listing, answer, message, helpCode) => {
		script.lists = [answer];

		const error = await failureOf(orderOf(listing));

		expect(error.message).toMatch(message);
		expect(error.helpCode).toBe(helpCode);
		expect(script.log).toEqual([expect.stringMatching(/^LIST/)]);
	});

	it('is left out if an earlier try has made the activation', async () => {
		const made = shown('a', 'PENDING');
		attempt = { made, takenAt: 0 };

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual([]);
	});
});

describe('an order whose answer is lost', () => {
	beforeEach(() => {
		script.answers = [lost];
	});

	it('is looked for once the service has had time to show it', async () => {
		const made = shown('a', 'ACTIVATED');
		script.lists = [list(), list(made)];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123']);
		expect(attempt).toMatchObject({ sentAt: 0, shownFrom: 5 * SECOND, made });
	});

	it.each(['id', 'listingId'])('is known without the %s as well', async (name) => {
		const made = shown('a', 'ACTIVATED', { [name]: undefined });
		script.lists = [list(), list(made)];

		expect(await orderOf().make()).toEqual({ own: made });
	});

	it('counts as made even if it has failed', async () => {
		script.lists = [list(), list(shown('a', 'ERROR', { createdAt: ago(MINUTE) }))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log.filter((line) => line === 'POST')).toHaveLength(1);
	});

	it('is sent again if the service does not show it', async () => {
		script.answers = [lost, taken(shown('a', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123', 'POST']);
		expect(attempt).toMatchObject({ sentAt: 0, takenAt: 5 * SECOND });
	});

	it('does not take for its own what was there before', async () => {
		script.lists = [list(shown('a', 'ERROR'))];
		script.answers = [lost, taken(shown('b', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'b' } });
	});

	it.each([
		['here', { isLate: true }],
		['at a gateway', { status: 504 }],
	])('is given more time if none came in time %s: the service may be at work', async (_, how) => {
		const made = shown('a', 'ACTIVATED');
		script.answers = [new ServiceError('unavailable', 'Late', { requestKind: 'data', ...how })];
		script.lists = [list(), list(made)];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 30000', 'LIST 123']);
	});

	it('is known by its first POST, and looked for some time after its last one', async () => {
		script.lists = [list(), list(), list(shown('a', 'ACTIVATED'))];
		script.answers = [
			lost,
			() => {
				passTime(HOUR);
				return lost();
			},
		];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log.slice(4)).toEqual(['POST', 'pause 5000', 'LIST 123']);
		expect(attempt).toMatchObject({ sentAt: 0, shownFrom: HOUR + 10 * SECOND });
	});

	it.each([
		['not at all', {}, ['LIST 123']],
		['in 2 s', { shownFrom: 2 * SECOND }, ['pause 2000', 'LIST 123']],
		['now', { shownFrom: 0 }, ['LIST 123']],
	])(
		'by an earlier try, to be shown %s, is waited for as long as is left',
		async (_, doubt, log) => {
			attempt = { sentAt: -MINUTE, ...doubt };
			script.lists = [list(shown('a', 'ACTIVATED'))];

			expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
			expect(script.log).toEqual(log);
		},
	);

	it('is looked for even if there is no further try', async () => {
		script.maxTries = 1;
		script.lists = [list(), list(shown('a', 'ACTIVATED'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(attempt.made).toMatchObject({ id: 'a' });
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123']);
	});

	it('may be there already, if somebody else’s is shown', async () => {
		const existing = shown('a', 'ACTIVATED', { createdAt: ago(HOUR) });
		script.lists = [list(), list(existing)];

		expect(await orderOf().make()).toEqual({ existing });
	});

	it('is in doubt as long as the service does not show it', async () => {
		script.maxTries = 2;

		const order = orderOf();
		const error = await failureOf(order);

		expect(error.message).toBe(
			'Premium listing for listing 123: It is not known whether it was activated: The connection was lost',
		);
		expect(error.details).toMatchObject({
			remedy:
				'The service shows no activation of the listing so far. Run the workflow again in a few minutes: the node checks first, and does not order again what the service shows.',
			helpCode: 'orderUnknown',
			cost: 'A credit may have been spent.',
		});
		expect(order.mayBeTakenAt).toBe(0);
		expect(script.log).toEqual([
			...['LIST 123', 'POST', 'pause 5000', 'LIST 123', 'POST'],
			...['pause 5000', 'LIST 123'],
		]);
	});

	it('is in doubt after a web page, too, which may be that of a wrong address', async () => {
		script.answers = [answered(200, '<html>Sign in</html>')];

		const { details } = await failureOf(orderOf());

		expect(details.remedy).toMatch(
			/^Check the Products URL in the credential\. The service shows no activation/,
		);
		expect(details.cost).toBe('A credit may have been spent.');
	});

	it('is no longer in doubt if the repeat is refused: what refused it is told', async () => {
		script.answers = [lost, refused(1_011_007)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123 was not activated: the listing’s full description is too short',
		);
		expect(error.details).toMatchObject({
			remedy: expect.stringContaining('200 characters'),
			helpCode: 'listingNotReady',
			cost: 'A credit may have been spent.',
		});
	});

	it('is no longer in doubt if the repeat is refused without a code, either', async () => {
		script.answers = [lost, answered(400)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: The service refused the request (400)',
		);
		expect(error.helpCode).toBe('badRequest');
	});

	it.each<[string, ReturnType<typeof answered>, RegExp, string]>([
		[
			'does not answer',
			answered(500),
			/^Premium listing for listing 123: It is not known whether it was activated: .*\(500\)$/,
			'Run the workflow again once the service answers: the node checks first, and does not order again what the service shows.',
		],
		[
			'says no, with a status that would mean more of an order',
			answered(404),
			/^Premium listing for listing 123: It is not known whether it was activated: .*\(404\)$/,
			'Run the workflow again once the service answers: the node checks first, and does not order again what the service shows.',
		],
		[
			'shows a web page',
			answered(200, '<html>Sign in</html>'),
			/^Premium listing for listing 123: It is not known whether it was activated: .*web page/,
			'Check the Products URL in the credential, then run the workflow again: the node checks first, and does not order again what the service shows.',
		],
	])('is not sent again while the service %s', async (_, answer, message, remedy) => {
		script.maxTries = 1;
		script.lists = [list(), answer];

		const error = await failureOf(orderOf());

		expect(error.message).toMatch(message);
		expect(error.details).toMatchObject({
			remedy,
			helpCode: 'orderUnknown',
			cost: 'A credit may have been spent.',
		});
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123']);
	});

	it('is not looked for again after a look that has failed', async () => {
		script.maxTries = 2;
		script.lists = [list(), answered(404)];

		await failureOf(orderOf());

		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123']);
	});

	it('is told as n8n tells it if n8n ends the look', async () => {
		script.lists = [list(), CANCELLED];
		script.isCancelled = true;

		await expect(orderOf().make()).rejects.toBe(CANCELLED);
	});

	it('is told as n8n tells it if n8n ends the look after the last try', async () => {
		script.maxTries = 1;
		script.lists = [list(), CANCELLED];
		script.isCancelled = true;

		await expect(orderOf().make()).rejects.toBe(CANCELLED);
		expect(script.log).toEqual(['LIST 123', 'POST', 'pause 5000', 'LIST 123']);
	});

	it('by an earlier try has been looked for before the order is sent again', async () => {
		attempt = { sentAt: -MINUTE };
		script.answers = [answered(404)];

		const error = await failureOf(orderOf(OWN_ID));

		expect(error.message).toMatch(/does not know the listing, or the Products URL is wrong$/);
		expect(script.log).toEqual(['LIST OUR-1', 'POST', 'LIST OUR-1']);
	});
});

describe('an order behind one that does not end', () => {
	beforeEach(() => {
		const othersAreOver = new Promise<never>(() => {});
		jest.spyOn(sameListing, 'behindOthers').mockReturnValue({ othersAreOver, leave: () => {} });
	});

	it('was not sent', async () => {
		const error = await failureOf(orderOf());

		expect(error.helpCode).toBe('orderNotSent');
		expect(error.details.cost).toBe('No order was sent, so no credit was spent.');
	});

	it('is looked for once more if it may have been sent before, and its outcome is not known', async () => {
		attempt = { sentAt: 0 };

		const error = await failureOf(orderOf());

		expect(error.message).toMatch(/Another run is still ordering this listing$/);
		expect(error.helpCode).toBe('orderUnknown');
		expect(error.details.cost).toBe('A credit may have been spent.');
		expect(script.log.at(-1)).toBe('LIST 123');
	});
});

describe('an order that another one’s POST may have been for', () => {
	const another = (its: Attempt) =>
		new CarefulOrder(
			script.products,
			{ listing: { customerListingId: 'EX-1' } },
			{ isSent: (its.sentAt ?? its.takenAt) !== undefined, ...its },
		);

	it('is looked for before it is sent', async () => {
		script.lists = [list(shown('a', 'ACTIVATED'))];

		const order = orderOf();
		order.heed([another({ sentAt: 0, shownFrom: 5 * SECOND })]);

		expect(await order.make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log).toEqual(['pause 5000', 'LIST 123']);
	});

	it('is looked for once what each of several may have made is shown', async () => {
		script.answers = [taken(shown('a', 'PENDING'))];
		const order = orderOf();
		order.heed([
			another({ sentAt: 2, shownFrom: 30 * SECOND }),
			another({ takenAt: 1, shownFrom: 5 * SECOND }),
			another({}),
		]);

		await order.make();

		expect(script.log).toEqual(['pause 30000', 'LIST 123', 'POST']);
	});

	it('waits for none of them that surely was not taken', async () => {
		script.answers = [taken(shown('a', 'PENDING'))];
		const order = orderOf();
		order.heed([another({}), another({ isSent: true, shownFrom: 5 * SECOND })]);

		expect(attempt).toEqual({});
		expect(await order.make()).toMatchObject({ own: { id: 'a' } });
		expect(script.log).toEqual(['LIST 123', 'POST']);
	});

	it('is what one of them has made, even if that has failed', async () => {
		const made = shown('b', 'ERROR');
		script.lists = [list(shown('a', 'ERROR'), made)];
		const order = orderOf();
		order.heed([another({ takenAt: 0, shownFrom: 5 * SECOND, made: shown('b', 'PENDING') })]);

		expect(await order.make()).toEqual({ own: made });
		expect(script.log).toEqual(['pause 5000', 'LIST 123']);
	});

	it('is what one of them has made, if the service leads to it (303)', async () => {
		const made = shown(ID, 'SCHEDULED');
		script.answers = [answered(303, made)];
		script.looks = [answered(200, made)];
		const order = orderOf();
		order.heed([another({ takenAt: -MINUTE, made: { id: ID } })]);

		expect(await order.make()).toEqual({ own: made });
	});

	it.each([
		['is in doubt', { sentAt: 0 }],
		['has made what is known', { takenAt: 0, made: { id: 'b' } }],
	])('is not known if nobody can look, and that one %s', async (_, its) => {
		script.lists = [answered(400)];
		const order = orderOf();
		order.heed([another(its)]);

		const { message, details } = await failureOf(order);

		expect(message).toMatch(/It is not known whether it was activated/);
		expect(details.cost).toBe('A credit may have been spent.');
	});

	it.each([
		[
			'what that one has made need not be shown to its client',
			{ sentAt: 0, sentBy: 'another' },
			'missing',
			'an order that may have been for this listing was sent with another credential',
			'Check with Get Many and that credential, then run the workflow again: the node checks first, and does not order again what the service shows.',
		],
		[
			'that one may have made what has failed',
			{ sentAt: 0 },
			'failed',
			'an order of this run, which may have been for this listing, may have failed',
			'Ask the operator of the service before you run the workflow again: what has failed is then ordered again.',
		],
	])('is not sent if %s', async (_, its, kind, why, remedy) => {
		script.knowsTime = true;
		script.lists = [list(shown('a', 'ERROR', { createdAt: ago(MINUTE) }))];
		const order = orderOf();
		order.heed([another(its)]);

		expect(await failureOf(order)).toMatchObject({
			kind,
			message: `Premium listing for listing 123: It is not known whether it was activated: ${why}`,
			details: { cost: 'A credit may have been spent.', helpCode: 'orderUnknown', remedy },
		});
		expect(script.log).toEqual(['LIST 123']);
	});

	it('is known once somebody could look', async () => {
		script.lists = [answered(500), list()];
		script.answers = [refused(1_011_008)];
		const order = orderOf();
		order.heed([another({ sentAt: 0 })]);

		const { message, details } = await failureOf(order);

		expect(message).toMatch(/^Premium listing for listing 123 was not activated: /);
		expect(details.cost).toMatch(/^The service did not accept the order\./);
	});

	it('is not what one by the portal’s ID of another listing may have made', async () => {
		const theirs = shown('b', 'SCHEDULED');
		script.lists = [list(theirs)];
		const order = orderOf(OWN_ID);
		const portal: Listing = { listingId: 7 };
		order.heed([
			new CarefulOrder(script.products, { listing: portal }, { isSent: true, sentAt: 0 }),
		]);

		expect(await order.make()).toEqual({ existing: theirs });
	});

	it('is not what another listing has, in a list without IDs', async () => {
		const theirs = shown('b', 'SCHEDULED', { id: undefined });
		script.lists = [list(theirs)];
		const order = orderOf();
		order.heed([another({ takenAt: 0, made: { id: 'b', listingId: 7 } })]);

		expect(await order.make()).toEqual({ existing: theirs });
	});

	it('is not what somebody else has ordered since they were', async () => {
		const theirs = shown('c', 'SCHEDULED', { createdAt: ago(-SECOND) });
		script.lists = [list(theirs)];
		const order = orderOf();
		order.heed([another({ takenAt: 0, shownFrom: 5 * SECOND, made: shown('b', 'PENDING') })]);

		expect(await order.make()).toEqual({ existing: theirs });
		expect(attempt).not.toHaveProperty('sentAt');
	});

	it('is what one of them has made, if its own POST is in doubt as well', async () => {
		const made = shown('b', 'SCHEDULED', { createdAt: ago(MINUTE) });
		attempt = { sentAt: -SECOND, shownFrom: 2 * SECOND };
		script.lists = [list(made)];
		const order = orderOf();
		order.heed([another({ takenAt: 0, shownFrom: 5 * SECOND, made })]);

		expect(await order.make()).toEqual({ own: made });
		expect(script.log).toEqual(['pause 5000', 'LIST 123']);
	});

	it('keeps what is known of itself, and waits until both can be shown', async () => {
		attempt = { sentAt: 1, shownFrom: 2 * SECOND };
		script.lists = [answered(400)];
		const order = orderOf();
		order.heed([another({ sentAt: 0, shownFrom: 5 * SECOND })]);

		await failureOf(order);

		expect(attempt).toEqual({ sentAt: 1, shownFrom: 2 * SECOND });
		expect(script.log).toEqual(['pause 5000', 'LIST 123']);
	});

	it('is none if that one’s was not sent, but only waits for a third', () => {
		const order = orderOf();
		order.heed([another({ isSent: false, sentAt: 0, shownFrom: 5 * SECOND })]);

		expect(attempt).toEqual({});
	});

	it.each([
		['just now', 0, 'own'],
		['some minutes before', 6 * MINUTE, 'existing'],
	])('is told by its time, %s, in a list without IDs', async (_, agoMs, whose) => {
		const made = shown('b', 'SCHEDULED', { id: undefined, createdAt: ago(agoMs) });
		script.lists = [list(made)];
		script.knowsTime = true;
		const order = orderOf();
		order.heed([another({ takenAt: 0, shownFrom: 5 * SECOND, made: shown('b', 'PENDING') })]);

		expect(await order.make()).toEqual({ [whose]: made });
	});

	it('is not what has no ID and was there before, if nobody knows what that one has made', async () => {
		const there = shown('b', 'SCHEDULED', { id: undefined, createdAt: ago(HOUR) });
		script.lists = [list(there)];
		const order = orderOf();
		order.heed([another({ sentAt: 0, shownFrom: 5 * SECOND })]);

		expect(await order.make()).toEqual({ existing: there });
	});

	it.each([
		['ended by its term', 'ACTIVATED', 8 * DAY],
		['failed months ago', 'ERROR', 90 * DAY],
	])('is not one that has %s, if the service does not tell its time', async (_, result, agoMs) => {
		const times = { createdAt: ago(agoMs), expiryAt: ago(DAY) };
		script.knowsTime = false;
		script.lists = [list(shown('old', result, times))];
		script.answers = [taken(shown('a', 'PENDING'))];
		const order = orderOf();
		order.heed([another({ sentAt: 0, shownFrom: 5 * SECOND })]);

		expect(await order.make()).toMatchObject({ own: { id: 'a' } });
	});

	it.each(['ACTIVATED', 'DEACTIVATED', 'ERROR'])(
		'is none that has ended long ago, though the list before did not show it: %s',
		async (result) => {
			const times = { createdAt: ago(90 * DAY), expiryAt: ago(62 * DAY) };
			script.lists = [list(), list(shown('old', result, times))];
			script.answers = [lost, taken(shown('a', 'PENDING'))];

			expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		},
	);

	it.each([
		['just now', 0, 'is not'],
		['minutes ago', 4 * MINUTE, 'is'],
	])(
		'is not sent if that one was looked for in vain, and something failed %s',
		async (_, agoMs, what) => {
			script.knowsTime = true;
			script.lists = [list(shown('a', 'ERROR', { createdAt: ago(agoMs) }))];
			script.answers = [taken(shown('c', 'PENDING'))];
			const order = orderOf();
			order.heed([another({ sentAt: 0, isMissed: true })]);

			await order.make().catch(() => undefined);

			expect(script.log).toEqual(what === 'is' ? ['LIST 123', 'POST'] : ['LIST 123']);
		},
	);

	it.each([
		['is in doubt', { sentAt: 0 }],
		['has made what is known', { takenAt: 0, made: shown('b', 'PENDING') }],
		['was looked for in vain', { sentAt: 0, isMissed: true }],
		['was taken after it had been missed', { sentAt: 0, isMissed: true, made: { id: 'b' } }],
	])('is perhaps paid for, if that one %s', (_, its) => {
		const order = orderOf();

		expect(order.isUnpaid).toBe(true);

		order.heed([another(its)]);

		expect(order.isUnpaid).toBe(false);
	});
});

describe('an order that is refused', () => {
	it('spends nothing if n8n itself fails before it is sent, be it like a lost connection', async () => {
		const locked = new ServiceError('unavailable', 'The connection failed', {
			requestKind: 'data',
		});
		script.maxTries = 1;
		Object.assign(script.products.session, {
			write: jest.fn<Session['write']>().mockRejectedValue(locked),
		});

		const error = await failureOf(orderOf());

		expect(error.details.cost).toBe('No order was sent, so no credit was spent.');
		expect(attempt).not.toHaveProperty('sentAt');
	});

	it('spends nothing if no token was to be had', async () => {
		script.answers = [NO_TOKEN];

		const error = await failureOf(orderOf());

		expect(error.message).toBe('Premium listing for listing 123 was not activated: No token');
		expect(error.details.cost).toBe('No order was sent, so no credit was spent.');
		expect(script.log).toEqual(['LIST 123', 'POST']);
		expect(attempt).not.toHaveProperty('sentAt');
	});

	it('by being stopped on its way is told as it is', async () => {
		script.answers = [CANCELLED];
		script.isCancelled = true;

		await expect(orderOf().make()).rejects.toBe(CANCELLED);
		expect(script.log).toEqual(['LIST 123', 'POST']);
	});

	it('was not taken, as far as is known', async () => {
		script.answers = [refused(1_011_007)];

		const error = await failureOf(orderOf());

		expect(error.details.cost).toBe(
			'The service did not accept the order. It does not report credits: if in doubt, ask the operator of the service.',
		);
		expect(script.log).toEqual(['LIST 123', 'POST']);
	});

	it.each([200, 202])('by %i may have been taken all the same', async (status) => {
		script.answers = [answered(status, { errors: [{ code: 1_011_904 }] })];

		const error = await failureOf(orderOf());

		expect(error.details.cost).toBe('A credit may have been spent.');
		expect(attempt.sentAt).toBe(0);
	});

	it('by a fault that speaks of one that is there may be what is there', async () => {
		const made = shown('a', 'SCHEDULED');
		script.lists = [list(), list(made)];
		script.answers = [refused(1_011_004, 500)];

		expect(await orderOf().make()).toEqual({ own: made });
	});

	it.each([1_011_003, 1_011_004])(
		'by a fault that speaks of one that is there (%i) may have cost a credit if nobody can look',
		async (code) => {
			script.lists = [list(), answered(503)];
			script.answers = [refused(code, 500)];

			const { details } = await failureOf(orderOf());

			expect(details.cost).toBe('A credit may have been spent.');
			expect(script.log.filter((line) => line === 'POST')).toHaveLength(1);
		},
	);

	it('may have cost a credit if an earlier one was taken', async () => {
		attempt = { takenAt: -MINUTE };
		script.answers = [answered(400)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: The service refused the request (400)',
		);
		expect(error.details.cost).toBe('A credit may have been spent.');
	});

	it('by what is no failure of the service, after it left, may have been taken', async () => {
		script.answers = [new TypeError('Something else broke')];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: It is not known whether it was activated: Something else broke',
		);
		expect(error.details).toMatchObject({
			cost: 'A credit may have been spent.',
			helpCode: 'orderUnknown',
			remedy:
				'Run the workflow again in a few minutes: the node checks first, and does not order again what the service shows.',
		});
		expect(attempt).toMatchObject({ sentAt: 0, shownFrom: 30 * SECOND });
	});

	it('by what is no failure of the service, at the look after it was taken, was taken all the same', async () => {
		const made = { listingId: 123 };
		script.lists = [list(), new TypeError('Something else broke')];
		script.answers = [taken(made)];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(attempt.made).toEqual(made);
	});

	it('by what is no failure of the service, before it left, was not', async () => {
		script.beforeDeparture = () => {
			throw new TypeError('Something else broke');
		};

		await expect(orderOf().make()).rejects.toThrow('Something else broke');

		expect(attempt).not.toHaveProperty('sentAt');
	});

	it('as often as it may be sent is told as it is, and not by a code that may pass', async () => {
		script.maxTries = 2;
		script.answers = [refused(1_011_007, 429)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123 was not activated: The service is busy: too many requests (429)',
		);
	});

	it.each([
		[413, /^Premium listing for your listing OUR-1 was not activated: the custom details are too/],
		[404, /not know the listing, or the Products URL is wrong$/],
		[
			400,
			/^Premium listing for your listing OUR-1 was not activated: The service refused the request \(400\)$/,
		],
	])(
		'with %d is not taken for an own ID that is not known, as its list is',
		async (status, message) => {
			script.answers = [answered(status)];

			expect((await failureOf(orderOf(OWN_ID))).message).toMatch(message);
		},
	);
});

describe('an order that another credential has sent without hearing of it', () => {
	beforeEach(() => {
		attempt = { isSent: true, sentAt: 0, sentBy: 'another', before: new Set() };
	});

	it('is not sent if nothing is shown: what that has made need not be shown to this one', async () => {
		script.lists = [list()];

		const { message, details } = await failureOf(orderOf());

		expect(message).toBe(
			'Premium listing for listing 123: It is not known whether it was activated: it was sent with another credential',
		);
		expect(details).toMatchObject({
			cost: 'A credit may have been spent.',
			helpCode: 'orderUnknown',
		});
		expect(script.log).toEqual(['LIST 123']);
	});

	it('is not what failed some time before, and was not shown to that one', async () => {
		attempt.isMissed = true;
		script.lists = [list(shown('a', 'ERROR', { createdAt: ago(20 * MINUTE) }))];
		script.answers = [taken(shown('b', 'PENDING'))];
		script.knowsTime = true;

		expect(await orderOf().make()).toMatchObject({ own: { id: 'b' } });
	});

	it('is not what that one was shown before', async () => {
		attempt = { ...attempt, isMissed: true, before: new Set(['a']) };
		script.lists = [list(shown('a', 'ERROR', { createdAt: ago(SECOND) }))];
		script.answers = [taken(shown('b', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'b' } });
	});

	it('is sent if that one has looked since, and was shown nothing', async () => {
		attempt = {};
		script.maxTries = 2;
		script.lists = [list(), list()];
		script.answers = [lost, refused(1_011_008)];

		await failureOf(orderOf());

		attempt.sentBy = 'another';
		script.log.length = 0;
		script.answers = [taken(shown('b', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'b' } });
		expect(script.log).toContain('POST');
	});

	it('is its own again if it is sent by this one', async () => {
		attempt.isMissed = true;
		script.maxTries = 1;
		script.lists = [list(shown('there', 'ERROR', { createdAt: ago(20 * MINUTE) })), list()];
		script.answers = [lost];

		await failureOf(orderOf());

		expect(attempt).toMatchObject({
			sentBy: script.products.session.clientId,
			before: new Set(['there']),
		});
	});

	it('is in doubt again once it is sent again, until somebody has looked', async () => {
		attempt.isMissed = true;
		script.maxTries = 1;
		script.lists = [list(), answered(400)];
		script.answers = [lost];

		await failureOf(orderOf());

		expect(attempt.isMissed).toBe(false);
	});

	it('is what is shown', async () => {
		script.lists = [list(shown('a', 'ACTIVATED'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
	});

	it('is known by the client that sent it', async () => {
		attempt = {};
		script.answers = [lost, taken(shown('a', 'PENDING'))];

		await orderOf().make();

		expect(attempt.sentBy).toBe(script.products.session.clientId);
	});
});

describe('an order in doubt that is led to what does not tell when it was made (303)', () => {
	it.each([
		['is its own', 200, 'own'],
		['is not, if this client cannot read it', 404, 'existing'],
	])('%s', async (_, status, whose) => {
		const untold = shown(ID, 'SCHEDULED', { createdAt: undefined });
		script.answers = [lost, answered(303, untold)];
		script.looks = [answered(status, untold)];

		expect(await orderOf().make()).toEqual({ [whose]: untold });
	});
});

describe('what an order by the listing’s other ID has found', () => {
	const finderOf = () => new CarefulOrder(script.products, { listing: OWN_ID }, {});
	const found = () => shown('a', 'SCHEDULED');
	const untold = () => shown('a', 'SCHEDULED', { createdAt: undefined });
	const doubt = () => ({ isSent: true, sentAt: 0, sentBy: script.products.session.clientId });

	it.each<[string, Attempt, () => Activation, boolean]>([
		['was made since its POST in doubt', {}, found, true],
		['was made before', {}, () => shown('a', 'SCHEDULED', { createdAt: ago(HOUR) }), false],
		['does not tell when it was made, and nobody has looked', {}, untold, false],
		['does not tell that, and was not there before', { before: new Set() }, untold, true],
		['does not tell that to another client', { before: new Set(), sentBy: 'b' }, untold, false],
		['was made since, and nothing was sent', { isSent: false }, found, false],
		['was made since, and its POST was refused', { sentAt: undefined }, found, false],
	])('%s: is its own or not', (_, more, make, isOwn) => {
		attempt = { ...doubt(), ...more };
		const existing = make();

		expect(orderOf().claim({ existing }, finderOf())).toEqual(isOwn ? existing : undefined);
		expect(attempt.made).toEqual(isOwn ? existing : undefined);
	});

	it.each([{ own: found() }, { already: 'alreadyActive' as const }])(
		'is not in question: %j',
		(result) => {
			attempt = doubt();

			expect(orderOf().claim(result, finderOf())).toBeUndefined();
		},
	);
});

describe('an order that is taken without an ID', () => {
	const nameless = () => shown('a', 'PENDING', { id: undefined });

	it('has the ID that the list shows', async () => {
		const made = shown('a', 'PENDING');
		script.lists = [list(), list(shown('b', 'ERROR', { createdAt: ago(HOUR) }), made)];
		script.answers = [taken(nameless())];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual(['LIST 123', 'POST', 'LIST 123']);
	});

	it('has the ID that the list shows a little later', async () => {
		const made = shown('a', 'PENDING');
		script.lists = [list(), list(), list(made)];
		script.answers = [taken(nameless())];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(script.log).toEqual(['LIST 123', 'POST', 'LIST 123', 'pause 5000', 'LIST 123']);
	});

	it.each([
		['shows nothing', list(), ['LIST 123', 'pause 5000', 'LIST 123']],
		['cannot be read', answered(400), ['LIST 123']],
	])('is made all the same if the list %s', async (_, answer, looks) => {
		const made = nameless();
		script.lists = [list(), answer];
		script.answers = [taken(made)];

		expect(await orderOf().make()).toEqual({ own: made });
		expect(attempt).toMatchObject({ takenAt: 0, made });
		expect(script.log).toEqual(['LIST 123', 'POST', ...looks]);
	});

	it('may be what a POST before it has made', async () => {
		script.lists = [
			list(),
			list(),
			() => list(shown('a', 'ACTIVATED', { createdAt: ago(MINUTE) })),
		];
		script.answers = [
			lost,
			() => {
				passTime(MINUTE);
				return taken(nameless());
			},
		];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'a' } });
		expect(attempt.sentAt).toBe(0);
	});
});

describe('an order that leads to what is there (303)', () => {
	const leadsTo = (id: string) => answered(303, '', { location: `/premium-listings/${id}` });

	it('is that one as it stands now', async () => {
		const existing = shown(ID, 'ACTIVATED', { createdAt: ago(HOUR) });
		script.answers = [leadsTo(ID)];
		script.looks = [answered(200, existing)];

		expect(await orderOf().make()).toEqual({ existing });
		expect(script.log).toEqual(['LIST 123', 'POST', `GET ${ID}`]);
	});

	it('is its own if a lost POST has made it', async () => {
		const own = shown(ID, 'ACTIVATED');
		script.answers = [lost, leadsTo(ID)];
		script.looks = [answered(200, own)];

		expect(await orderOf().make()).toEqual({ own });
		expect(attempt.made).toEqual(own);
		expect(script.log).toEqual([
			...['LIST 123', 'POST', 'pause 5000', 'LIST 123', 'POST', `GET ${ID}`],
		]);
	});

	it('is what the answer shows of it if it cannot be read', async () => {
		const existing = shown(ID, 'ACTIVATED', { createdAt: ago(HOUR) });
		script.answers = [answered(303, existing)];

		expect(await orderOf().make()).toEqual({ existing });
	});

	it.each<[string, Activation]>([
		['of another listing', shown(ID, 'ACTIVATED', { listingId: 777 })],
		['of which nothing is known', shown(ID, '')],
	])('is looked for in the list if that is one %s', async (_, pointed) => {
		const existing = shown('b', 'ACTIVATED', { createdAt: ago(HOUR) });
		script.answers = [leadsTo(ID)];
		script.looks = [answered(200, pointed)];
		script.lists = [list(), list(existing)];

		expect(await orderOf().make()).toEqual({ existing });
		expect(script.log).toEqual(['LIST 123', 'POST', `GET ${ID}`, 'LIST 123']);
	});

	it('is looked for once more if the list does not show it yet', async () => {
		const existing = shown('b', 'PENDING', { createdAt: ago(HOUR) });
		script.answers = [answered(303)];
		script.lists = [list(), list(), list(existing)];

		expect(await orderOf().make()).toEqual({ existing });
		expect(script.log).toEqual(['LIST 123', 'POST', 'LIST 123', 'pause 5000', 'LIST 123']);
	});

	it('leads nowhere if nothing is to be seen', async () => {
		script.answers = [answered(303)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: The order was redirected, but not to an activation (303)',
		);
		expect(error.kind).toBe('foreign');
		expect(error.details).toMatchObject({
			status: 303,
			remedy: 'Check with Get Many what the listing has, and the Products URL in the credential.',
			helpCode: 'orderUnknown',
		});
	});

	it('is a passing failure if the look after it fails for a while', async () => {
		script.maxTries = 2;
		script.answers = [answered(303)];
		script.lists = [list(), answered(503)];

		const error = await failureOf(orderOf());

		expect(error.message).toBe(
			'Premium listing for listing 123: The service cannot answer just now (503)',
		);
		expect(error.kind).toBe('unavailable');
	});

	it.each([
		['is read', list()],
		['cannot be read', answered(500)],
	])('is believed by its code if the list %s, and nothing is to be seen', async (_, answer) => {
		script.answers = [answered(303, { errors: [{ code: 2_011_004 }] })];
		script.lists = [list(), answer];

		expect(await orderOf().make()).toEqual({ already: 'alreadyPending' });
		expect(attempt).not.toHaveProperty('made');
	});

	it.each([
		['reads what that is', () => (script.looks = [CANCELLED]), leadsTo(ID)],
		['looks for it', () => (script.lists = [list(), CANCELLED]), answered(303)],
	])('is told as n8n tells it if n8n ends what %s', async (_, prepare, answer) => {
		script.answers = [answer];
		prepare();

		await expect(orderOf().make()).rejects.toBe(CANCELLED);
	});
});

describe('an order that is refused as a duplicate', () => {
	it('is the one that the list shows', async () => {
		const existing = shown('a', 'ACTIVATED', { createdAt: ago(HOUR) });
		script.answers = [refused(1_011_004)];
		script.lists = [list(), list(existing)];

		expect(await orderOf().make()).toEqual({ existing });
	});

	it('is believed if nothing is to be seen', async () => {
		script.answers = [refused(1_011_004)];

		expect(await orderOf().make()).toEqual({ already: 'alreadyActive' });
	});

	it('by a code with two meanings is a refusal if nothing is to be seen', async () => {
		script.answers = [refused(1_011_003)];

		const error = await failureOf(orderOf());

		expect(error.message).toMatch(/an order for the listing is pending, but shows none$/);
		expect(script.log.filter((line) => line === 'POST')).toHaveLength(1);
	});

	it('by a code with two meanings is the failure of the look if that fails', async () => {
		script.maxTries = 1;
		script.answers = [refused(1_011_003)];
		script.lists = [list(), answered(500)];

		expect((await failureOf(orderOf())).message).toMatch(/cannot answer just now \(500\)$/);
	});
});

describe('a list that shows more than the listing', () => {
	const nameless = (id: string, result: string, more: Activation = {}) =>
		shown(id, result, { listingId: undefined, createdAt: ago(HOUR), ...more });
	const others = (result: string) => shown('z', result, { listingId: 777, createdAt: ago(HOUR) });
	const UNCLEAR = 'The service shows activations of other listings as well';

	it('orders nothing if nobody can tell whose a current one is', async () => {
		script.lists = [list(nameless('a', 'ACTIVATED'), others('ERROR'))];

		const error = await failureOf(orderOf());

		expect(error.message).toContain(UNCLEAR);
		expect(error.kind).toBe('foreign');
		expect(error.details.remedy).toBe(
			'Nothing shows which of them belong to this listing. Use the portal listing ID, and tell the operator of the service.',
		);
		expect(script.log).toEqual(['LIST 123']);
	});

	it('matters not if what is unclear is over', async () => {
		script.lists = [list(nameless('a', 'ERROR'), others('ACTIVATED'))];
		script.answers = [taken(shown('b', 'PENDING'))];

		expect(await orderOf().make()).toMatchObject({ own: { id: 'b' } });
	});

	it('matters if what is unclear and has failed may be of the order', async () => {
		attempt = { sentAt: 0 };
		script.lists = [list(nameless('a', 'ERROR', { createdAt: ago(0) }), others('ERROR'))];

		expect((await failureOf(orderOf())).message).toContain(UNCLEAR);
	});

	it.each([
		['keeps to listings', list(), true],
		['shows everything whatever it is asked for', list(others('ERROR')), false],
	])('is no listing’s own if it names none and the service %s', async (_, nobodys, isOwn) => {
		script.lists = [list(nameless('a', 'ACTIVATED'))];
		script.nobodys = nobodys;

		const made = await orderOf().make().catch(String);

		if (isOwn) expect(made).toMatchObject({ existing: { id: 'a' } });
		else expect(made).toContain(UNCLEAR);
		expect(script.log).toEqual(['LIST 123', 'LIST 2147483647']);
	});

	it.each([
		['names the listing', shown('a', 'ACTIVATED')],
		['has failed', nameless('a', 'ERROR')],
	])('is not asked about if what it shows %s', async (_, activation) => {
		script.lists = [list(activation)];
		script.answers = [taken(shown('b', 'PENDING'))];

		await orderOf().make();

		expect(script.log).not.toContain('LIST 2147483647');
	});
});
