import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import countBy from 'lodash/countBy';
import range from 'lodash/range';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Products } from '../../../../service/products/products';
import type { Wait } from '../../../../service/products/settlement';
import { untilSettled } from '../../../../service/products/settlement';
import type { RetryLimits } from '../../../../service/http/retry';
import { DEFAULT_LIMITS } from '../../../../service/session';
import { mostListeners } from '../../../lab/listeners';
import { playedProducts } from '../../../lab/playedProducts';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

/* Looks at many orders, with the real session: the pace decides when each of them departs. */

jest.setTimeout(120_000);

type Shown = 'PENDING' | 'ACTIVATED';
type Answer = Shown | { status: number; retryAfter?: number };

let services = 0;
/** With which status the service answers who asks for a token, and how often it was asked for one. */
let token: { status: number; asked: number };
/** When a look was sent, in milliseconds from the start, and for which order. */
let sent: Array<{ id: string; at: number }>;
let start: number;

const elapsed = () => performance.now() - start;
const order = (id: string, result: Shown) => ({ id, status: { result } });

const headersOf = ({ retryAfter }: { retryAfter?: number }) =>
	retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };

/** @param number the service's; that of a new one if none is given */
function productsOf(
	look: (id: string) => Promise<Answer>,
	{ limits, number = ++services }: { limits?: RetryLimits; number?: number } = {},
): Products {
	const issue = async () => {
		token.asked++;
		const body = { access_token: 'token', expires_in: 36_000 };
		return await Promise.resolve(
			token.status === 200
				? { statusCode: 200, headers: {}, body }
				: { statusCode: token.status, headers: {}, body: '' },
		);
	};
	const answer = async ({ url }: IHttpRequestOptions) => {
		const id = url.split('/').at(-1) ?? '';
		sent.push({ id, at: elapsed() });
		const shown = await look(id);
		return typeof shown === 'string'
			? { statusCode: 200, headers: {}, body: order(id, shown) }
			: { statusCode: shown.status, headers: headersOf(shown), body: '' };
	};
	return playedProducts({ number, issue, answer }, { limits });
}

function waitsFor(count: number, waitMs: number, look: (id: string) => Promise<Answer>): Wait[] {
	return waitsOf(productsOf(look), range(count), waitMs);
}

function waitsOf(products: Products, ids: number[], waitMs: number): Wait[] {
	const listing = { customerListingId: 'OUR-1' };
	return ids.map((id) => ({ products, listing, activation: order(String(id), 'PENDING'), waitMs }));
}

/** Of those with such an id, how often the one was looked at that was looked at most often. */
function mostLooks(isMeant: (id: number) => boolean = () => true): number {
	const meant = sent.filter(({ id }) => isMeant(Number(id)));
	return Math.max(...Object.values(countBy(meant, 'id')));
}

/** How many were seen to be activated, and when all was known, in milliseconds from the start. */
async function outcomeOf(waits: Wait[]): Promise<{ activated: number; endedAt: number }> {
	let endedAt = NaN;
	const settling = untilSettled(waits).finally(() => (endedAt = elapsed()));
	await jest.advanceTimersByTimeAsync(2 * HOUR);
	const seen = [...(await settling).values()].map(({ activation }) => activation);
	const activated = seen.filter(({ status }) => (status as { result: Shown }).result !== 'PENDING');
	return { activated: activated.length, endedAt };
}

const slowly = (ms: number) => async (): Promise<Answer> => {
	await sleep(ms);
	return 'ACTIVATED';
};

const never = async (): Promise<Answer> => await new Promise<never>(() => undefined);

beforeEach(() => {
	jest.useFakeTimers({ now: Date.UTC(2026, 2, 2, 9, 15, 30) });
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const over = new AbortController();
		setTimeout(() => over.abort(new DOMException('over', 'TimeoutError')), ms);
		return over.signal;
	});
	let drawn = 0;
	// The same pauses each time, spread evenly.
	jest.spyOn(Math, 'random').mockImplementation(() => (++drawn * 0.618) % 1);
	sent = [];
	token = { status: 200, asked: 0 };
	start = performance.now();
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('many orders, which the service shows as activated', () => {
	it.each([
		[8, 3 * SECOND, 0],
		[16, 3 * SECOND, 0],
		[100, SECOND / 2, 0],
		[100, 1.5 * SECOND, 0],
		[100, 2 * SECOND, 10 * SECOND],
		[100, 4 * SECOND, 30 * SECOND],
		[8, 7 * SECOND, 0],
		[100, 9 * SECOND, 2 * MINUTE],
	])(
		'%i of them are all seen so, though a look takes %i ms and the wait %i ms',
		async (count, takesMs, waitMs) => {
			expect(await outcomeOf(waitsFor(count, waitMs, slowly(takesMs)))).toMatchObject({
				activated: count,
			});
			expect(sent).toHaveLength(count);
		},
	);

	it.each([
		[3, 0],
		[4, 0],
		[4, 20 * SECOND],
		[4, 40 * SECOND],
	])('are seen so but for %i whose looks are never answered; wait %i ms', async (hang, waitMs) => {
		const look = async (id: string) => (Number(id) < hang ? await never() : await slowly(300)());

		expect(await outcomeOf(waitsFor(100, waitMs, look))).toMatchObject({ activated: 100 - hang });
	});

	it.each([
		[20, 60, SECOND],
		[20, 100, 3 * SECOND],
	])(
		'%i of them are seen so after one look each, though %i others are waited for longer; a look takes %i ms',
		async (count, others, takesMs) => {
			const look = async (id: string): Promise<Answer> => {
				await sleep(takesMs);
				return Number(id) < others && elapsed() < 4 * MINUTE ? 'PENDING' : 'ACTIVATED';
			};
			const waits = waitsFor(others + count, 5 * MINUTE, look);
			const short = waits.map((wait, id) => (id < others ? wait : { ...wait, waitMs: 2 * SECOND }));

			expect(await outcomeOf(short)).toMatchObject({ activated: others + count });
			// In the order in which they came: the second looks at the others come after them.
			const firstLooks = sent.slice(0, 1.2 * (others + count)).map(({ id }) => Number(id));
			expect(firstLooks.filter((id) => id >= others)).toHaveLength(count);
		},
	);

	it('are seen so after a wait that the service asks for', async () => {
		let freeAt = Infinity;
		const look = async (): Promise<Answer> => {
			const isBusy = elapsed() > 8 * SECOND && elapsed() < freeAt;
			if (isBusy && freeAt === Infinity) freeAt = elapsed() + 7 * SECOND;
			await sleep(SECOND);
			return isBusy ? { status: 429, retryAfter: 7 } : 'ACTIVATED';
		};

		const { activated } = await outcomeOf(waitsFor(100, 0, look));

		// Those that are told of the wait themselves may not wait so long.
		expect(activated).toBe(100 - sent.filter(({ at }) => at > 8 * SECOND && at < freeAt).length);
		expect(new Set(sent.map(({ id }) => id)).size).toBe(100);
	});

	it('are seen so, though it knows nothing of most others yet', async () => {
		const look = async (id: string): Promise<Answer> => {
			await sleep(1.5 * SECOND);
			return Number(id) < 70 ? { status: 404 } : 'ACTIVATED';
		};

		expect(await outcomeOf(waitsFor(100, 0, look))).toMatchObject({ activated: 30 });
		expect(sent).toHaveLength(100);
	});

	it.each([
		[500, 0, 10],
		[429, 0, 10],
		[500, 20 * SECOND, 5],
		[429, 20 * SECOND, 5],
		[500, 30 * SECOND, 3],
	])('are seen so, though it says %i at times; wait %i ms', async (status, waitMs, every) => {
		let looks = 0;
		const look = async (): Promise<Answer> => {
			await sleep(SECOND);
			return ++looks % every === 0 ? { status } : 'ACTIVATED';
		};

		expect(await outcomeOf(waitsFor(50, waitMs, look))).toMatchObject({ activated: 50 });
	});

	it.each([
		[20, 2, 0, 0],
		[100, 5, 10, 0],
		[50, 2, 120, 110],
		[100, 5, 120, 118],
	])(
		'%i of them are all seen so by a service that takes %i looks a second; wait %i s, activated after %i s',
		async (count, perSecond, waitS, afterS) => {
			let taken: number[] = [];
			const look = async (): Promise<Answer> => {
				taken = taken.filter((at) => at > elapsed() - SECOND);
				const isTaken = taken.length < perSecond;
				if (isTaken) taken.push(elapsed());
				await sleep(100);
				if (!isTaken) return { status: 429 };
				return elapsed() < afterS * SECOND ? 'PENDING' : 'ACTIVATED';
			};

			expect(await outcomeOf(waitsFor(count, waitS * SECOND, look))).toMatchObject({
				activated: count,
			});
		},
	);
});

describe('a service that does not answer', () => {
	it.each([
		[16, 0],
		[100, 0],
		[500, 0],
		[100, 2 * MINUTE],
	])('does not hold up %i orders for much longer than their wait, %i ms', async (count, waitMs) => {
		const { activated, endedAt } = await outcomeOf(waitsFor(count, waitMs, never));

		expect(activated).toBe(0);
		expect(endedAt).toBeLessThanOrEqual(waitMs + 20 * SECOND);
	});
});

describe('a service that cannot answer', () => {
	it.each([
		[40, 503],
		[300, 503],
		[300, 429],
	])('looks at none of %i orders for long, if it is the token: %i', async (count, status) => {
		token.status = status;

		const { endedAt } = await outcomeOf(waitsFor(count, 0, slowly(0)));

		expect(endedAt).toBeLessThanOrEqual(20 * SECOND);
		expect(token.asked).toBeLessThanOrEqual(20);
		expect(sent).toEqual([]);
	});

	it('has no more looks than those under way, if it falls silent', async () => {
		const look = async (id: string) => (Number(id) < 20 ? await slowly(SECOND)() : await never());

		const { activated, endedAt } = await outcomeOf(waitsFor(200, 0, look));

		expect(activated).toBe(20);
		expect(endedAt).toBeLessThanOrEqual(30 * SECOND);
	});

	it('is looked at once for each order, if its certificate is not to be trusted', async () => {
		const look = async () =>
			await Promise.reject(Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' }));

		expect(await outcomeOf(waitsFor(20, 0, look))).toMatchObject({ activated: 0 });
		expect(sent).toHaveLength(20);
	});

	it('is asked no more than the limits allow, if its host refuses connections, though another answers', async () => {
		const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
		const dead = waitsFor(20, 0, async () => await Promise.reject(refused));
		const sound = waitsFor(1, 5 * MINUTE, async () => {
			await sleep(100);
			return 'PENDING';
		});

		await outcomeOf([...dead, ...sound]);

		// The sound one, which shares an ID with one of the others, is looked at some 25 times.
		expect(sent.filter(({ id }) => id !== '0').length).toBeLessThanOrEqual(
			19 * DEFAULT_LIMITS.maxTries,
		);
	});

	it('is asked about each order no more often than the limits allow', async () => {
		const limits = { ...DEFAULT_LIMITS, maxTries: 2 };
		const look = async () => {
			await sleep(SECOND);
			return { status: 500 };
		};

		await outcomeOf(waitsOf(productsOf(look, { limits }), range(10), 0));

		expect(mostLooks()).toBe(2);
	});

	it('is left alone, though another service that is waited for answers', async () => {
		const failing = productsOf(async () => {
			await sleep(SECOND);
			return { status: 500 };
		});
		const sound = productsOf(async () => {
			await sleep(100);
			return 'PENDING';
		});
		const waits = range(100, 103).flatMap((id) => waitsOf(sound, [id], 5 * MINUTE - id * SECOND));

		await outcomeOf([...waitsOf(failing, range(5), 0), ...waits]);

		const ofFailing = sent.filter(({ id }) => Number(id) < 5);
		expect(mostLooks((id) => id < 5)).toBeLessThanOrEqual(DEFAULT_LIMITS.maxTries);
		expect(ofFailing.at(-1)?.at).toBeLessThan(MINUTE);
		expect(sent.at(-1)?.at).toBeGreaterThan(3 * MINUTE);
	});

	it.each([4, 8, 16])(
		'is looked at for the other orders, if it cannot answer for the first %i',
		async (count) => {
			const look = async (id: string): Promise<Answer> => {
				await sleep(SECOND);
				return Number(id) < count ? { status: 500 } : 'ACTIVATED';
			};

			expect(await outcomeOf(waitsFor(100, 0, look))).toMatchObject({ activated: 100 - count });
		},
	);

	it.each([429, 503])('is not asked for long: %i', async (status) => {
		const look = async () => await Promise.resolve({ status });
		const { endedAt } = await outcomeOf(waitsFor(300, 0, look));

		expect(endedAt).toBeLessThanOrEqual(MINUTE);
	});
});

it.each([3 * MINUTE, -3 * MINUTE])(
	'a clock that is set by %i ms makes no wait longer or shorter',
	async (byMs) => {
		const waits = waitsFor(1, 2 * MINUTE, async () => {
			await sleep(100);
			return 'PENDING';
		});
		setTimeout(() => jest.setSystemTime(Date.now() + byMs), 2 * SECOND);

		const { endedAt } = await outcomeOf(waits);

		expect(endedAt).toBeGreaterThanOrEqual(2 * MINUTE);
		expect(endedAt).toBeLessThanOrEqual(2 * MINUTE + 10 * SECOND);
	},
);

describe('an execution with many orders, at a service that takes two requests a second', () => {
	let products: () => Products;
	let batch: ReturnType<typeof untilSettled>;

	beforeEach(async () => {
		let takenAt: number[] = [];
		const look = async (): Promise<Answer> => {
			takenAt = takenAt.filter((at) => at > elapsed() - SECOND);
			const isTaken = takenAt.length < 2;
			if (isTaken) takenAt.push(elapsed());
			await sleep(50);
			return isTaken ? 'ACTIVATED' : { status: 429 };
		};
		const number = ++services;
		products = () => productsOf(look, { number });
		batch = untilSettled(waitsOf(products(), range(100), 0));
		await jest.advanceTimersByTimeAsync(SECOND);
	});

	it('does not keep another one from looking at its order', async () => {
		expect(await outcomeOf(waitsOf(products(), [100], 0))).toMatchObject({ activated: 1 });
		expect(sent.find(({ id }) => id === '100')?.at).toBeLessThan(10 * SECOND);
	});

	it('does not keep another one from ordering', async () => {
		void products().order({ listing: { listingId: 7 } });
		await jest.advanceTimersByTimeAsync(HOUR);

		expect(sent.find(({ id }) => id === 'premium-listings')?.at).toBeLessThan(10 * SECOND);
	});

	it('sees all of them, though others have so many turns that its own are far apart', async () => {
		for (const id of range(100, 180)) void untilSettled(waitsOf(products(), [id], 0));
		await jest.advanceTimersByTimeAsync(10 * MINUTE);

		const seen = [...(await batch).values()].filter(({ trouble }) => !trouble);
		expect(seen).toHaveLength(100);
	});

	it('has its own turns, though more others come than there are turns', async () => {
		range(100, 220).forEach((id) =>
			setTimeout(() => void untilSettled(waitsOf(products(), [id], 0)), (id - 99) * 400),
		);
		await jest.advanceTimersByTimeAsync(10 * MINUTE);

		const own = sent.filter(({ id }) => Number(id) < 100);
		expect(new Set(own.map(({ id }) => id)).size).toBe(100);
	});
});

it('no look is sent once the execution is cancelled', async () => {
	const waits = waitsFor(40, 2 * MINUTE, async () => {
		await sleep(100);
		return { status: 503 };
	});
	const cancel = new AbortController();
	let endedAt = NaN;
	const ending = untilSettled(waits, cancel.signal).catch((error: Error) => {
		endedAt = elapsed();
		return error.message;
	});
	await jest.advanceTimersByTimeAsync(5 * SECOND);
	cancel.abort();
	await jest.advanceTimersByTimeAsync(HOUR);

	expect(await ending).toBe('The execution was canceled');
	expect(sent).not.toEqual([]);
	expect(sent.filter(({ at }) => at > endedAt)).toEqual([]);
});

it('no signal has more listeners than Node takes for usual', async () => {
	const most = mostListeners();

	await outcomeOf(waitsFor(100, 20 * SECOND, slowly(100)));

	expect(most()).toBeGreaterThan(0);
	expect(most()).toBeLessThanOrEqual(10);
});

it('of a client that nobody answers, looks do not go on because another client is answered', async () => {
	const dead = () => waitsOf(productsOf(never), range(40), 0);
	const pending = async (): Promise<Answer> => await Promise.resolve('PENDING');
	const lastAt = () => Math.max(...sent.filter(({ id }) => Number(id) < 40).map(({ at }) => at));
	await outcomeOf(dead());
	const alone = lastAt();
	sent = [];
	start = performance.now();

	await outcomeOf([...dead(), ...waitsOf(productsOf(pending), range(40, 44), 10 * MINUTE)]);

	expect(sent.length).toBeGreaterThan(40);
	expect(lastAt()).toBeLessThan(alone + 30 * SECOND);
});
