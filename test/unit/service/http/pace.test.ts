import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import { Pace } from '../../../../service/http/pace';
import { Clocks } from '../../../lab/clocks';
import type { Asked, Fate } from '../../../lab/pacing';
import { BUSY, GOOD, HANGING, isSent, Pacing } from '../../../lab/pacing';

const DOWN: Fate = { takesMs: 100, status: 503 };

/** How many were sent within each span of so many milliseconds. */
function sentPer(ms: number, { sent }: Pacing): number[] {
	const counts: number[] = [];
	for (const { sentAt = 0 } of sent) {
		const span = Math.floor(sentAt / ms);
		while (counts.length <= span) counts.push(0);
		counts[span] = (counts[span] ?? 0) + 1;
	}
	return counts;
}

afterEach(() => {
	jest.restoreAllMocks();
});

describe('how many requests are under way', () => {
	it('are 4 at first, and one more after each round that went well, up to 16', async () => {
		const pacing = new Pacing();
		const most: number[] = [];
		pacing.askMany(200);

		for (let round = 0; round < 15; round++) {
			await pacing.time.pass(50);
			most.push(pacing.underWay);
			await pacing.time.pass(54);
		}

		expect(most).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16]);
	});

	it.each([
		['a 503', DOWN],
		['a 500', { ...DOWN, status: 500 }],
		['a lost connection', { ...GOOD, error: lost() }],
	])('are half as many after %s, once for all that were under way', async (_, trouble) => {
		const pacing = new Pacing();
		pacing.askMany(4, trouble);
		pacing.askMany(10, HANGING);

		await pacing.time.pass(1_000);

		expect(pacing.underWay).toBe(2);
	});

	it('are half as many after a 429', async () => {
		const pacing = new Pacing();
		pacing.ask(BUSY);
		pacing.askMany(3);
		await pacing.time.pass(500);
		pacing.ask();
		await pacing.time.pass(500);
		pacing.askMany(8, HANGING);

		await pacing.time.pass(1_000);

		expect(pacing.underWay).toBe(2);
	});

	it('are no more if there were free places', async () => {
		const pacing = new Pacing();
		for (let each = 0; each < 20; each++) {
			pacing.ask();
			await pacing.time.pass(200);
		}
		pacing.askMany(8, HANGING);

		await pacing.time.pass(1_000);

		expect(pacing.underWay).toBe(4);
	});

	it('are never fewer than one', async () => {
		const pacing = new Pacing();
		pacing.askMany(20, DOWN);

		await pacing.time.pass(10_000);

		expect(pacing.sent).toHaveLength(20);
	});

	it.each([
		['was refused by us', new TypeError('bug')],
		['was never sent', new ServiceError('unavailable', 'late', { requestKind: 'token' })],
		['is given up because of another one', lost().afterTries(5, 0)],
		['is refused', new ServiceError('forbidden', 'no', { requestKind: 'data' })],
	])('do not change if a request %s, and its place is given to the next one', async (_, error) => {
		const pacing = new Pacing();
		pacing.askMany(4, { ...GOOD, error });
		pacing.askMany(8, HANGING);

		await pacing.time.pass(1_000);

		expect(pacing.underWay).toBe(4);
	});

	it('are no more than the limits of their node allow, while others have the rest', async () => {
		const pacing = new Pacing();
		const settings = { crew: {}, limits: { requestsAtOnce: 1 } };
		const limited = pacing.askMany(3, HANGING, settings);
		const others = pacing.askMany(8, HANGING);

		await pacing.time.pass(1_000);

		expect(limited.filter(isSent)).toHaveLength(1);
		expect(others.filter(isSent)).toHaveLength(3);
	});

	it('do not hold up another lane, even if all of them hang', async () => {
		const pacing = new Pacing();
		pacing.askMany(8, HANGING);
		const others = pacing.askMany(3, GOOD, { lane: 'appraisals' });

		await pacing.time.pass(1_000);

		expect(others.filter(isSent)).toHaveLength(3);
		expect(pacing.underWay).toBe(4);
	});

	it('are shared by the lanes', async () => {
		const pacing = new Pacing();
		pacing.askMany(20);
		const others = pacing.askMany(20, GOOD, { lane: 'appraisals' });

		await pacing.time.pass(250);

		expect(others.filter(isSent).length).toBeGreaterThanOrEqual(5);
	});
});

describe('a service that counts', () => {
	/** Takes so many in each second. */
	function limited(pacing: Pacing, perSecond: number, retryAfter?: number): () => Fate {
		const taken: number[] = [];
		return () => {
			const now = pacing.time.now();
			const isFree = taken.filter((at) => at > now - 1_000).length < perSecond;
			if (isFree) taken.push(now);
			return isFree ? GOOD : { ...BUSY, retryAfter };
		};
	}

	it.each([
		[5, undefined],
		[5, 0],
		[5, 1],
		[10, undefined],
		[10, 1],
		[20, undefined],
		[20, 1],
	])(
		'to %d a second, with Retry-After %s, is soon sent no more than that',
		async (perSecond, retryAfter) => {
			const pacing = new Pacing();
			const fate = limited(pacing, perSecond, retryAfter);
			const asked = pacing.askMany(80, fate);

			await pacing.time.pass(30_000);

			const outcomes = await Promise.all(asked.map(async ({ outcome }) => await outcome));
			const refused = outcomes.filter((each) => 'statusCode' in each && each.statusCode === 429);
			expect(outcomes).toHaveLength(80);
			expect(refused.length).toBeLessThanOrEqual(8);
			expect(Math.max(...sentPer(1_000, pacing).slice(3))).toBeLessThanOrEqual(perSecond);
		},
	);

	it('is forgotten after a quiet minute', async () => {
		const pacing = new Pacing();
		pacing.askMany(40, limited(pacing, 5));
		await pacing.time.pass(30_000);
		await pacing.time.pass(61_000);
		pacing.ask();
		await pacing.time.pass(200);
		const later = pacing.askMany(2);

		await pacing.time.pass(0);

		expect(later.filter(isSent)).toHaveLength(2);
	});

	it('has not counted if it took nothing before it refused', async () => {
		const pacing = new Pacing();
		pacing.askMany(4, BUSY);
		await pacing.time.pass(1_000);
		pacing.ask();
		await pacing.time.pass(1_000);
		const later = pacing.askMany(2);

		await pacing.time.pass(0);

		expect(later.filter(isSent)).toHaveLength(2);
	});
});

describe('a Retry-After', () => {
	const TOLD: Fate = { ...BUSY, retryAfter: 20 };

	it('holds the requests of its own client alone', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD, { client: 'one' });
		await pacing.time.pass(200);
		const own = pacing.ask(GOOD, { client: 'one' });
		const other = pacing.ask(GOOD, { client: 'two' });

		await pacing.time.pass(5_000);

		expect(isSent(own)).toBe(false);
		expect(isSent(other)).toBe(true);
	});

	it('keeps all back until then', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const others = pacing.askMany(3);

		await pacing.time.pass(19_900);

		expect(others.filter(isSent)).toEqual([]);

		await pacing.time.pass(1_000);

		expect(others.filter(isSent)).toHaveLength(3);
	});

	it('of an hour keeps the others back for a minute', async () => {
		const pacing = new Pacing();
		pacing.ask({ ...BUSY, retryAfter: 3_600 });
		await pacing.time.pass(150);
		const other = pacing.ask(GOOD, { limits: { maxWaitMs: 7_200_000 } });

		await pacing.time.pass(59_000);

		expect(isSent(other)).toBe(false);

		await pacing.time.pass(2_000);

		expect(isSent(other)).toBe(true);
	});

	it('of a few seconds keeps back even who may not wait between two tries', async () => {
		const pacing = new Pacing();
		pacing.ask({ ...BUSY, retryAfter: 4 });
		await pacing.time.pass(150);
		const other = pacing.ask(GOOD, { limits: { maxWaitMs: 0 } });

		await pacing.time.pass(3_500);

		expect(isSent(other)).toBe(false);

		await pacing.time.pass(1_000);

		expect(isSent(other)).toBe(true);
	});

	it('is too long for a request that was kept back before, if both together are', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const other = pacing.ask(GOOD, { keptMs: 45_000 });

		await pacing.time.pass(1_000);

		expect(isSent(other)).toBe(true);
	});

	it('that ends after the deadline keeps nobody back', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const other = pacing.ask(GOOD, { limits: { deadline: Date.now() + 10_000 } });

		await pacing.time.pass(1_000);

		expect(isSent(other)).toBe(true);
	});

	it('that was meant for one request keeps nobody back who may not wait', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const others = pacing.askMany(10, GOOD, { limits: { maxWaitMs: 10_000 } });

		await pacing.time.pass(2_000);

		expect(others.filter(isSent)).toHaveLength(10);
	});

	it('is told to those who may not wait, once another one was refused as well', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const others = pacing.askMany(10, TOLD, { limits: { maxWaitMs: 10_000 } });

		await pacing.time.pass(150);

		expect(others.filter(isSent)).toHaveLength(1);
		const [, told] = await Promise.all(others.map(async ({ outcome }) => await outcome));
		expect(told).toMatchObject({ kind: 'busy', details: { retryAfterMs: 20_000, isUnsent: true } });
	});
});

describe('whoever waits', () => {
	it('goes before others if it is a repeat', async () => {
		const pacing = new Pacing();
		pacing.askMany(12);
		const repeat = pacing.ask(GOOD, { place: { tries: 1 } });

		await pacing.time.pass(150);

		expect(pacing.sent.indexOf(repeat)).toBe(4);
	});

	it('ends at once when it is cancelled, is not sent, and leaves its place to the next one', async () => {
		const pacing = new Pacing();
		const under = pacing.askMany(4, HANGING);
		const [first, second] = pacing.askMany(2);
		first?.cancel();
		await pacing.time.pass(0);

		expect(first?.settled).toMatchObject({ message: expect.stringContaining('canceled') });

		under[0]?.cancel();
		await pacing.time.pass(200);

		expect(first && isSent(first)).toBe(false);
		expect(second && isSent(second)).toBe(true);
	});

	it('is not sent if it was cancelled before', async () => {
		const pacing = new Pacing();
		const send = jest.fn(
			async () => await Promise.resolve({ answer: { statusCode: 200, headers: {}, body: {} } }),
		);
		const turn = {
			client: '',
			lane: '',
			crew: {},
			place: { tries: 0 },
			keptMs: 0,
			limits: { maxTries: 1, maxWaitMs: 0 },
		};

		const outcome = pacing.pace.send({ ...turn, signal: AbortSignal.abort() }, send);

		await expect(outcome).rejects.toThrow('canceled');
		expect(send).not.toHaveBeenCalled();
		expect(pacing.pace.isIdle).toBe(true);
	});

	it('ends with its deadline', async () => {
		const clocks = new Clocks();
		const pacing = new Pacing();
		pacing.askMany(4, HANGING);
		const waiting = pacing.ask(GOOD, { limits: { deadline: Date.now() + 5_000 } });

		await clocks.pass((ms) => ms <= 5_000);

		expect(await waiting.outcome).toMatchObject({
			kind: 'unavailable',
			details: { isUnsent: true },
		});
		expect(isSent(waiting)).toBe(false);
	});
});

describe('a request that is to depart soon', () => {
	it('keeps its place if it comes again for the same', async () => {
		const clocks = new Clocks();
		const pacing = new Pacing();
		const place = { tries: 0 };
		pacing.askMany(4, HANGING);
		const early = pacing.ask(GOOD, { departBy: Date.now() + 5_000, place });
		const others = pacing.askMany(4);
		await clocks.pass((ms) => ms <= 5_000);
		expect(isSent(early)).toBe(false);

		const again = pacing.ask(GOOD, { place });
		await pacing.time.pass(61_000);

		expect(pacing.sent.slice(4)).toEqual([again, ...others]);
	});

	it('leaves the queue when that moment has passed, and is not sent again', async () => {
		const clocks = new Clocks();
		const pacing = new Pacing();
		pacing.askMany(4, HANGING);
		const waiting = pacing.ask(GOOD, { departBy: Date.now() + 5_000 });

		await clocks.pass((ms) => ms <= 5_000);

		const outcome = await waiting.outcome;
		expect(outcome).toMatchObject({ kind: 'unavailable', details: { isUnsent: true } });
		expect(outcome).toMatchObject({ isFinal: true, tries: 0 });
		expect(isSent(waiting)).toBe(false);
	});
});

describe('a deadline', () => {
	it('may be further away than a timer of Node can be', async () => {
		const clocks = new Clocks();
		const pacing = new Pacing();
		pacing.askMany(4);
		const waiting = pacing.ask(GOOD, { limits: { deadline: Date.now() + 2 ** 40 } });

		await pacing.time.pass(1_000);

		expect(clocks.started).toEqual([2 ** 31 - 1]);
		expect(isSent(waiting)).toBe(true);
	});
});

describe('a probe for those who may not wait', () => {
	it('is no request too many for its node', async () => {
		const pacing = new Pacing();
		const settings = { crew: {}, limits: { maxWaitMs: 0, requestsAtOnce: 1 } };
		const hanging = pacing.ask(HANGING, settings);
		pacing.ask({ ...BUSY, retryAfter: 20 });
		await pacing.time.pass(150);
		const next = pacing.ask(GOOD, settings);

		await pacing.time.pass(1_000);

		expect(isSent(hanging)).toBe(true);
		expect(isSent(next)).toBe(false);
	});
});

describe('the places', () => {
	it('that become free go first to a node that has none', async () => {
		const pacing = new Pacing();
		const busy = {};
		pacing.askMany(16, { takesMs: 10_000 }, { crew: busy });
		const other = pacing.ask();

		await pacing.time.pass(10_100);

		expect(isSent(other)).toBe(true);
	});
});

describe('nodes that wait while one request at a time goes', () => {
	async function narrowed(): Promise<{ pacing: Pacing; sentNow: () => Asked[] }> {
		const pacing = new Pacing();
		pacing.askMany(12, DOWN);
		await pacing.time.pass(10_000);
		return { pacing, sentNow: () => pacing.sent.slice(12) };
	}

	it('take turns', async () => {
		const { pacing, sentNow } = await narrowed();
		const [a0, a1, a2] = pacing.askMany(3, DOWN, { crew: {} });
		const [b0, b1, b2] = pacing.askMany(3, DOWN, { crew: {} });

		await pacing.time.pass(10_000);

		expect(sentNow()).toEqual([a0, a1, b0, a2, b1, b2]);
	});

	it('let the one go first whose last turn was the longest ago', async () => {
		const { pacing, sentNow } = await narrowed();
		const crew = {};
		const c0 = pacing.ask(DOWN, { crew });
		await pacing.time.pass(DOWN.takesMs + 10);
		const [a0, a1, a2] = pacing.askMany(3, DOWN, { crew: {} });
		await pacing.time.pass(DOWN.takesMs + 10);

		const c1 = pacing.ask(DOWN, { crew });
		await pacing.time.pass(10_000);

		expect(sentNow()).toEqual([c0, a0, a1, c1, a2]);
	});

	it('do not let a new one go first', async () => {
		const { pacing, sentNow } = await narrowed();
		const [a0, a1, a2, a3] = pacing.askMany(4, DOWN, { crew: {} });
		await pacing.time.pass(DOWN.takesMs + 10);
		expect(sentNow()).toEqual([a0, a1]);

		const fresh = pacing.ask(DOWN, { crew: {} });
		await pacing.time.pass(10_000);

		expect(sentNow()).toEqual([a0, a1, a2, fresh, a3]);
	});
});

describe('the turns of nodes', () => {
	/** While it lasts, all of these wait. */
	async function jammed(): Promise<Pacing> {
		const pacing = new Pacing();
		pacing.ask({ ...BUSY, retryAfter: 1 });
		await pacing.time.pass(150);
		return pacing;
	}

	it('are taken in a jam by those that had as many tries', async () => {
		const pacing = await jammed();
		const [first, ...more] = pacing.askMany(3, BUSY, { crew: {} });
		const other = pacing.ask(BUSY);

		await pacing.time.pass(30_000);

		expect(pacing.sent.slice(1)).toEqual([first, other, ...more]);
	});

	it('are taken by all in a jam once a request was not refused but failed, by repeats as well', async () => {
		const pacing = await jammed();
		const crew = {};
		const [first, ...more] = pacing.askMany(3, DOWN, { crew });
		const repeat = pacing.ask(DOWN, { crew, place: { tries: 1, after: 0 } });
		const other = pacing.ask(DOWN, { place: { tries: 1 } });

		await pacing.time.pass(30_000);

		expect(pacing.sent.slice(1)).toEqual([first, other, repeat, ...more]);
	});

	it('come after the fewest tries again, once a request in a jam is refused again', async () => {
		const pacing = await jammed();
		const failing = pacing.ask(DOWN);
		const refused = pacing.ask(BUSY);
		const repeat = pacing.ask(BUSY, { place: { tries: 1 } });
		const more = pacing.askMany(2, BUSY, { crew: {} });

		await pacing.time.pass(30_000);

		expect(pacing.sent.slice(1)).toEqual([failing, repeat, refused, ...more]);
	});

	it('are not taken in a jam by whoever had more tries, which would use them up', async () => {
		const pacing = new Pacing();
		pacing.ask(BUSY);
		await pacing.time.pass(150);
		const many = pacing.askMany(3, BUSY, { crew: {} });
		const repeat = pacing.ask(BUSY, { crew: {}, place: { tries: 1 } });

		await pacing.time.pass(30_000);

		expect(pacing.sent.slice(1)).toEqual([...many, repeat]);
	});

	it('are not waited for again by a repeat', async () => {
		const pacing = new Pacing();
		pacing.askMany(12, DOWN);
		await pacing.time.pass(10_000);
		const [crew, place] = [{}, { tries: 0 }];
		const first = pacing.ask(DOWN, { crew, place });
		const second = pacing.ask(DOWN, { crew });
		const others = [pacing.ask(DOWN), pacing.ask(DOWN)];
		await pacing.time.pass(DOWN.takesMs + 10);
		expect(pacing.sent.slice(12)).toEqual([first, second]);

		const repeat = pacing.ask(DOWN, { crew, place });
		await pacing.time.pass(10_000);

		expect(pacing.sent.slice(14)).toEqual([repeat, ...others]);
	});
});

describe('the paces of a process', () => {
	it('are one for each address', () => {
		expect(Pace.of('https://one.example.com')).toBe(Pace.of('HTTPS://One.Example.com:443'));
		expect(Pace.of('https://one.example.com')).not.toBe(Pace.of('https://two.example.com'));
	});

	it('are kept for a thousand addresses', () => {
		const kept = Pace.of('https://kept.example.com');

		for (let each = 1; each < 1_000; each++) Pace.of(`https://kept-${each}.example.com`);

		expect(Pace.of('https://kept.example.com')).toBe(kept);
	});

	it('count the good answers to each client', async () => {
		const pacing = new Pacing();
		pacing.askMany(3, GOOD, { client: 'a' });
		pacing.ask(DOWN, { client: 'a' });
		pacing.ask(GOOD, { client: 'b' });

		await pacing.time.pass(10_000);

		expect(['a', 'b', 'c'].map((client) => pacing.pace.answersTo(client))).toEqual([3, 1, 0]);
	});

	it('are forgotten after a thousand other addresses, but not while something is under way', () => {
		const [idle, used] = [Pace.of('https://idle.example.com'), Pace.of('https://used.example.com')];
		const turn = {
			client: '',
			lane: '',
			crew: {},
			place: { tries: 0 },
			keptMs: 0,
			limits: { maxTries: 1, maxWaitMs: 0 },
		};
		const { signal } = new AbortController();
		void used.send({ ...turn, signal }, async () => await new Promise<never>(() => undefined));

		for (let each = 0; each < 1_001; each++) Pace.of(`https://${each}.example.com`);

		expect(Pace.of('https://idle.example.com')).not.toBe(idle);
		expect(Pace.of('https://used.example.com')).toBe(used);
	});
});

function lost(): ServiceError {
	return new ServiceError('unavailable', 'The connection was lost', { requestKind: 'data' });
}
