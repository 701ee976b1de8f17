import { getEventListeners } from 'node:events';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import range from 'lodash/range';

import { Clocks } from '../../../lab/clocks';
import type { Fate } from '../../../lab/pacing';
import { BUSY, GOOD, HANGING, isSent, Pacing, turnOf } from '../../../lab/pacing';

const TOLD: Fate = { ...BUSY, retryAfter: 20 };

afterEach(() => {
	jest.restoreAllMocks();
});

/** How long it has slept for, each time, without the answers that take so long as well. */
function napsOf(pacing: Pacing): () => number[] {
	const sleep = jest.spyOn(pacing.time, 'sleep');
	const answers = [GOOD.takesMs, HANGING.takesMs];
	return () => sleep.mock.calls.map(([ms]) => ms).filter((ms) => !answers.includes(ms));
}

/** As many as may be under way once a service has shown what it can bear. */
async function grown(): Promise<Pacing> {
	const pacing = new Pacing();
	pacing.askMany(200);
	await pacing.time.pass(10_000);
	return pacing;
}

describe('a request that waits', () => {
	it('goes after those that came before it', async () => {
		const pacing = new Pacing();
		pacing.askMany(4);
		const waiting = [...pacing.askMany(6), ...pacing.askMany(2, GOOD, { crew: {} })];

		await pacing.time.pass(1_000);

		expect(pacing.sent.slice(4)).toEqual(waiting);
	});

	it('goes after other repeats that came before it, if it is one', async () => {
		const pacing = new Pacing();
		pacing.askMany(4);
		const repeats = range(3).map(() => pacing.ask(GOOD, { place: { tries: 1 } }));

		await pacing.time.pass(1_000);

		expect(pacing.sent.slice(4)).toEqual(repeats);
	});

	it('goes before repeats in a jam, which would use up their tries', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const repeat = pacing.ask(GOOD, { place: { tries: 1 } });
		const other = pacing.ask(GOOD);

		await pacing.time.pass(30_000);

		expect(pacing.sent.slice(1)).toEqual([other, repeat]);
	});

	it('goes as soon as a place is free, once it is known what the service can bear', async () => {
		const pacing = await grown();
		const now = pacing.time.now();
		pacing.askMany(16);
		const waiting = pacing.ask();

		await pacing.time.pass(1_000);

		expect(waiting.sentAt).toBe(now + GOOD.takesMs);
	});

	it('is kept back by a 429 that comes together with a good answer', async () => {
		const pacing = new Pacing();
		pacing.askMany(3);
		pacing.ask(TOLD);
		const waiting = pacing.ask();

		await pacing.time.pass(1_000);

		expect(isSent(waiting)).toBe(false);
	});

	it('has a place soon, even if a long wait of another client began before', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD, { client: 'one' });
		await pacing.time.pass(150);
		pacing.ask(GOOD, { client: 'one' });
		pacing.askMany(2, GOOD, { client: 'two' });
		const waiting = pacing.ask(GOOD, { client: 'two' });

		await pacing.time.pass(110);

		expect(isSent(waiting)).toBe(true);
	});

	it('waits for a place even if it was kept back before for longer than it may be', async () => {
		const pacing = new Pacing();
		pacing.askMany(4, HANGING);
		const waiting = pacing.ask(GOOD, { keptMs: 100_000 });

		await pacing.time.pass(1_000);

		expect(isSent(waiting)).toBe(false);
	});

	it('knows how long it was kept back, and that it was sent', async () => {
		const pacing = new Pacing();
		const turn = turnOf({}, new AbortController().signal);
		pacing.ask({ ...BUSY, retryAfter: 4 });
		await pacing.time.pass(150);
		const sent = pacing.pace.send(
			turn,
			async () => await Promise.resolve({ answer: { statusCode: 200, headers: {}, body: {} } }),
		);

		await pacing.time.pass(10_000);
		await sent;

		expect(turn).toMatchObject({ place: { tries: 1 }, keptMs: 3_950 });
	});
});

describe('a wait that the service asks for', () => {
	it('may be exactly as long as a request can wait', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const waiting = pacing.ask(GOOD, { limits: { maxWaitMs: 19_950 } });

		await pacing.time.pass(1_000);

		expect(isSent(waiting)).toBe(false);
	});

	it('may end exactly with the deadline of a request', async () => {
		const now = Date.now();
		jest.spyOn(Date, 'now').mockReturnValue(now);
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		const waiting = pacing.ask(GOOD, { limits: { deadline: now + 19_950 } });

		await pacing.time.pass(1_000);

		expect(isSent(waiting)).toBe(false);
	});

	it('counts with what a request has waited since the jam began', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD);
		await pacing.time.pass(150);
		pacing.ask({ ...BUSY, retryAfter: 10 });
		const waiting = pacing.ask(GOOD, { limits: { maxWaitMs: 25_000 } });

		await pacing.time.pass(20_300);

		expect(waiting.settled).toMatchObject({ kind: 'busy', details: { retryAfterMs: 10_000 } });
	});

	it('does not count with what a request has waited for a place before', async () => {
		const pacing = new Pacing();
		pacing.askMany(3, HANGING);
		pacing.ask({ ...TOLD, takesMs: 50_000 });
		const waiting = pacing.ask(GOOD, { limits: { maxWaitMs: 30_000 } });

		await pacing.time.pass(50_100);

		expect(isSent(waiting)).toBe(false);
	});

	it('counts with a 429 alone', async () => {
		const pacing = new Pacing();
		pacing.ask({ ...TOLD, status: 503 });
		await pacing.time.pass(150);
		const next = pacing.ask();

		await pacing.time.pass(1_000);

		expect(isSent(next)).toBe(true);
	});

	it('counts from the time of the service, if it names a moment', async () => {
		const pacing = new Pacing();
		const date = 'Wed, 10 Mar 2027 09:00:00 GMT';
		pacing.ask({ ...BUSY, retryAfter: 'Wed, 10 Mar 2027 09:00:20 GMT', date });
		await pacing.time.pass(150);
		const waiting = pacing.ask();

		await pacing.time.pass(19_900);

		expect(isSent(waiting)).toBe(false);

		await pacing.time.pass(1_000);

		expect(isSent(waiting)).toBe(true);
	});

	it('is not made up for those who may not wait, if the service said nothing of it', async () => {
		const pacing = new Pacing();
		pacing.askMany(20, BUSY);
		const impatient = pacing.ask(GOOD, { limits: { maxWaitMs: 0 } });

		await pacing.time.pass(60_000);

		expect(impatient.settled).toMatchObject({ kind: 'busy' });
		expect(impatient.settled).toHaveProperty('details', {
			requestKind: 'data',
			isUnsent: true,
			hadNoTurn: true,
		});
	});

	it.each([
		['remembered while there are no more than a thousand clients', 999, false],
		['forgotten with its client, after a thousand others', 1_000, true],
	])('is %s', async (_name, others, expected) => {
		const pacing = new Pacing();
		pacing.ask({ ...BUSY, retryAfter: 50 }, { client: 'first' });
		await pacing.time.pass(150);
		for (let each = 0; each < others; each++) {
			pacing.ask({ takesMs: 1 }, { client: String(each) });
			await pacing.time.pass(1);
		}
		const again = pacing.ask(GOOD, { client: 'first' });

		await pacing.time.pass(1_000);

		expect(isSent(again)).toBe(expected);
	});
});

describe('the timers of a pace', () => {
	it('are none if nothing waits', async () => {
		const pacing = new Pacing();
		const naps = napsOf(pacing);
		pacing.askMany(4);

		await pacing.time.pass(1_000);

		expect(naps()).toEqual([]);
	});

	it('are none while all have to wait for others to come back', async () => {
		const pacing = new Pacing();
		const naps = napsOf(pacing);
		pacing.askMany(6, HANGING);

		await pacing.time.pass(5_000);

		expect(naps()).toEqual([]);
	});

	it('are one at a time, even if others came to an end sooner', async () => {
		const pacing = new Pacing();
		pacing.ask(TOLD, { client: 'one' });
		await pacing.time.pass(150);
		pacing.ask(GOOD, { client: 'one' });
		pacing.askMany(3, GOOD, { client: 'two' });
		await pacing.time.pass(1_000);
		const naps = napsOf(pacing);

		await pacing.time.pass(5_000);

		expect(naps()).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
	});

	it('are one, however many come back together', async () => {
		const pacing = new Pacing();
		const naps = napsOf(pacing);
		pacing.askMany(5);

		await pacing.time.pass(101);

		expect(naps()).toEqual([2]);
	});
});

describe('what a request leaves behind', () => {
	it('is nothing on the signal that cancels it, once it was sent', async () => {
		const pacing = new Pacing();
		pacing.askMany(4);
		const { signal } = new AbortController();
		const sent = pacing.pace.send(
			turnOf({}, signal),
			async () => await Promise.resolve({ answer: { statusCode: 200, headers: {}, body: {} } }),
		);

		expect(getEventListeners(signal, 'abort')).toHaveLength(1);

		await pacing.time.pass(1_000);
		await sent;

		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('is no clock, if it goes at once or has no deadline', async () => {
		const clocks = new Clocks();
		const pacing = new Pacing();
		pacing.askMany(4, HANGING, { limits: { deadline: Date.now() + 90_000 } });
		pacing.ask();

		await pacing.time.pass(100);

		expect(clocks.started).toEqual([]);
	});

	it('is no idle pace, while one is under way and as many wait', () => {
		const pacing = new Pacing();
		pacing.askMany(8, HANGING);

		expect(pacing.pace.isIdle).toBe(false);
	});
});
