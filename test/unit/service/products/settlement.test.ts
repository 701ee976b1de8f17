import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import range from 'lodash/range';
import { sleep } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { HttpAnswer } from '../../../../service/http/answer';
import type { Activation } from '../../../../service/products/activation';
import type { Products } from '../../../../service/products/products';
import type { Wait } from '../../../../service/products/settlement';
import { untilSettled } from '../../../../service/products/settlement';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

const NOW = Date.UTC(2026, 2, 2, 9, 15, 30);

const shown = (id: string | undefined, result: string): Activation => ({ id, status: { result } });
const page = answered(200, '<html>Sign in</html>');

let script: ScriptedProducts;

const waitOf = (waitMs: number, activation = shown('a', 'PENDING')): Wait => ({
	products: script.products,
	listing: { listingId: 123 },
	activation,
	waitMs,
});

/** The last answer stays. @returns when the looks were taken, in seconds from the start */
function lookAt(...answers: HttpAnswer[]): number[] {
	const times: number[] = [];
	script.looks = answers.map((answer) => () => {
		times.push((Date.now() - NOW) / SECOND);
		return answer;
	});
	return times;
}

/** As long as it takes, in which an hour passes. */
async function settled(...waits: Wait[]) {
	const settling = untilSettled(waits);
	await jest.advanceTimersByTimeAsync(HOUR);
	const sights = await settling;
	return waits.map((wait) => sights.get(wait));
}

/** Pending activations with the IDs 0, 1, 2 and so on, which are looked at in this way. */
function waitsFor(count: number, activation: Products['activation'], waitMs: number): Wait[] {
	const products = Object.assign(new ScriptedProducts().products, { activation });
	return range(count).map((each) => ({
		products,
		listing: { listingId: 123 },
		activation: shown(String(each), 'PENDING'),
		waitMs,
	}));
}

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	script = new ScriptedProducts();
	script.maxTries = 1;
});

afterEach(() => {
	jest.useRealTimers();
});

describe('a look that never has a turn', () => {
	const noTurn = () =>
		new ServiceError('unavailable', 'late', { requestKind: 'data', hadNoTurn: true });

	it.each([
		['answers nobody', 3, 0],
		['answers others', 12, 1],
	])('is given up if the service %s, after %i times', async (_, times, answersMeanwhile) => {
		let [looks, answers] = [0, 0];
		const waits = waitsFor(
			1,
			async () => {
				looks++;
				answers += answersMeanwhile;
				return await Promise.reject(noTurn());
			},
			0,
		);
		const [{ products } = waitOf(0)] = waits;
		Object.defineProperty(products.session, 'answers', { get: () => answers });

		const [sight] = await settled(...waits);

		expect(sight).toMatchObject({ trouble: { message: 'late' } });
		expect(looks).toBe(times);
	});
});

describe('an activation that is waited for', () => {
	it('is looked at with growing pauses, and for the last time when its time is over', async () => {
		const times = lookAt(answered(200, shown('a', 'PENDING')));

		const [sight] = await settled(waitOf(50 * SECOND));

		expect(times).toEqual([0.5, 1.5, 3.5, 7.5, 15.5, 30.5, 45.5, 50]);
		expect(sight).toEqual({ activation: shown('a', 'PENDING') });
	});

	it('is not looked at again once it is settled', async () => {
		lookAt(answered(200, shown('a', 'PENDING')), answered(200, shown('a', 'ACTIVATED')));

		const [sight] = await settled(waitOf(MINUTE));

		expect(sight).toEqual({ activation: shown('a', 'ACTIVATED') });
		expect(script.log).toEqual(['GET a', 'GET a']);
	});

	it.each([
		['settled when it was ordered', shown('a', 'ACTIVATED')],
		['without an ID', shown(undefined, 'PENDING')],
	])('is not looked at if it is %s', async (_, activation) => {
		const [sight] = await settled(waitOf(MINUTE, activation));

		expect(sight).toBeUndefined();
		expect(script.log).toEqual([]);
	});

	it('is looked at once, and at once, if there is no time to wait', async () => {
		const times = lookAt(answered(200, shown('a', 'PENDING')));

		await settled(waitOf(0));

		expect(times).toEqual([0]);
	});

	it('has the rest of its time to depart, or a little at its end, and a little more to be answered', async () => {
		lookAt(answered(200, shown('a', 'PENDING')));

		await settled(waitOf(8 * SECOND));

		const left = script.deadlines.map((deadline = 0) => (deadline - NOW) / SECOND);
		// Taken after 0.5, 1.5, 3.5, 7.5 and 8 seconds.
		expect(left).toEqual([13, 13, 13.5, 17.5, 18]);
	});

	it('keeps its ID if a look shows none', async () => {
		lookAt(
			answered(200, { listingId: 123, status: { result: 'PENDING' } }),
			answered(200, { listingId: 123, status: { result: 'ACTIVATED' } }),
		);

		const [sight] = await settled(waitOf(MINUTE));

		expect(sight?.activation).toMatchObject({ id: 'a', status: { result: 'ACTIVATED' } });
		expect(script.log).toEqual(['GET a', 'GET a']);
	});

	it('is waited for beside the others, each for its own time', async () => {
		const times = lookAt(answered(200, { listingId: 123, status: { result: 'PENDING' } }));

		await settled(
			waitOf(SECOND, shown('short', 'PENDING')),
			waitOf(2 * SECOND, shown('long', 'PENDING')),
			waitOf(MINUTE, shown('done', 'ACTIVATED')),
		);

		expect(script.log).toEqual([
			...['GET short', 'GET long'],
			'GET short',
			...['GET long', 'GET long'],
		]);
		expect(times).toEqual([0.5, 0.5, 1, 1.5, 2]);
	});

	it('is seen in time, though a look at another one hangs', async () => {
		let hung = 0;
		const hanging: Products['activation'] = async (_, { deadline, departs } = {}) => {
			departs?.();
			hung++;
			await sleep((deadline ?? Infinity) - Date.now());
			throw new ServiceError('unavailable', 'The service did not answer in time');
		};
		const times = lookAt(
			answered(200, shown('a', 'PENDING')),
			answered(200, shown('a', 'ACTIVATED')),
		);
		const [sight, stuck] = await settled(waitOf(MINUTE), {
			...waitOf(MINUTE),
			products: Object.assign(new ScriptedProducts().products, { activation: hanging }),
			activation: shown('b', 'PENDING'),
		});

		expect(times).toEqual([0.5, 1.5]);
		expect(sight).toEqual({ activation: shown('a', 'ACTIVATED') });
		expect(hung).toBe(1);
		expect(stuck).toMatchObject({
			activation: shown('b', 'PENDING'),
			trouble: { kind: 'unavailable' },
		});
	});

	it.each<unknown>([new Error('n8n says no'), 'n8n says no'])(
		'is looked at again after an error of n8n itself, which costs the others nothing: %s',
		async (error) => {
			const broken = jest.fn<() => Promise<Activation>>().mockRejectedValue(error);
			const failing: Products['activation'] = async (id) => {
				if (id === '2' && Date.now() < NOW + 5 * SECOND) await broken();
				return await Promise.resolve(shown(id, id === '1' ? 'PENDING' : 'ACTIVATED'));
			};
			const sights = await settled(...waitsFor(3, failing, MINUTE), ...waitsFor(1, broken, MINUTE));

			expect(sights).toEqual([
				{ activation: shown('0', 'ACTIVATED') },
				{ activation: shown('1', 'PENDING') },
				{ activation: shown('2', 'ACTIVATED') },
				{
					activation: shown('0', 'PENDING'),
					trouble: expect.objectContaining({ kind: 'unavailable', message: 'n8n says no' }),
				},
			]);
		},
	);

	it('is not looked at again, if a look brings nothing new until its time is over', async () => {
		let looks = 0;
		const slow: Products['activation'] = async (id) => {
			looks++;
			await sleep(3 * SECOND);
			return shown(id, 'PENDING');
		};
		const products = Object.assign(new ScriptedProducts().products, { activation: slow });

		await settled({ ...waitOf(SECOND), products });

		expect(looks).toBe(1);
	});

	it.each([-HOUR, HOUR])('is looked at, though the host’s clock is set by %i ms', async (byMs) => {
		lookAt(answered(503, '', { 'retry-after': '20' }), answered(200, shown('a', 'ACTIVATED')));
		const settling = settled(waitOf(MINUTE));
		await jest.advanceTimersByTimeAsync(2 * SECOND);
		jest.setSystemTime(Date.now() + byMs);

		expect(await settling).toEqual([{ activation: shown('a', 'ACTIVATED') }]);
	});

	it('is no longer waited for when the execution is cancelled', async () => {
		lookAt(answered(200, shown('a', 'PENDING')));
		const execution = new AbortController();

		const settling = untilSettled([waitOf(MINUTE)], execution.signal).catch(String);
		await jest.advanceTimersByTimeAsync(2 * SECOND);
		execution.abort();
		await jest.advanceTimersByTimeAsync(HOUR);

		expect(await settling).toBe('Error: The execution was canceled');
		expect(script.log).toEqual(['GET a', 'GET a']);
	});

	it('is no longer waited for when it is cancelled during the last look', async () => {
		const execution = new AbortController();
		const waits = waitsFor(
			1,
			async () => {
				execution.abort();
				return await Promise.reject(new Error('The execution was canceled'));
			},
			0,
		);

		const settling = untilSettled(waits, execution.signal).catch(String);
		await jest.advanceTimersByTimeAsync(HOUR);

		expect(await settling).toBe('Error: The execution was canceled');
	});
});

describe('a look that fails', () => {
	it.each([
		['the service cannot answer', answered(500)],
		['the service is busy', answered(429)],
		['a page comes', page],
		['there is nothing yet', answered(404)],
	])('for a while, as %s, is no reason to fail', async (_, answer) => {
		lookAt(answer, answered(200, shown('a', 'ACTIVATED')));

		expect(await settled(waitOf(MINUTE))).toEqual([{ activation: shown('a', 'ACTIVATED') }]);
	});

	it.each([
		['a refusal', answered(403), 'forbidden'],
		['a wish for more patience', answered(429, '', { 'retry-after': '9999' }), 'busy'],
		['the same when there is nothing yet', answered(404, '', { 'retry-after': '99' }), 'missing'],
	])('for good, by %s, is the last one', async (_, answer, kind) => {
		lookAt(answer);

		const [sight] = await settled(waitOf(MINUTE));

		expect(sight).toMatchObject({ activation: shown('a', 'PENDING'), trouble: { kind } });
		expect(script.log).toEqual(['GET a']);
	});

	it.each(['0', '1', '20'])(
		'that asks for %s s, which fit, is followed by another one after that',
		async (retryAfter) => {
			const times = lookAt(answered(503, '', { 'retry-after': retryAfter }));

			await settled(waitOf(MINUTE));

			const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
			expect(times.length).toBeGreaterThan(2);
			expect(Math.min(...pauses)).toBeGreaterThanOrEqual(Math.min(Number(retryAfter), 15));
			if (retryAfter === '20') expect(times.length).toBeLessThanOrEqual(3);
		},
	);

	it('leaves what was seen before it', async () => {
		const seen = { ...shown('a', 'PENDING'), listingId: 123 };
		lookAt(answered(200, seen), answered(500));

		const [sight] = await settled(waitOf(2 * SECOND));

		expect(sight).toMatchObject({ activation: seen, trouble: { kind: 'unavailable' } });
	});
});
