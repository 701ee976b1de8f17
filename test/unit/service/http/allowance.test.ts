import { describe, expect, it } from '@jest/globals';

import type { Departure } from '../../../../service/http/allowance';
import { Allowance } from '../../../../service/http/allowance';
import { Width } from '../../../../service/http/width';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** When each history begins, in milliseconds. */
const T = 1_000_000;

/** What a service allows, with the requests that it was sent. */
class Client {
	readonly width = new Width();

	readonly allowance = new Allowance(this.width);

	depart(at: number): Departure {
		return this.allowance.depart(at, 0);
	}

	/** A request that is answered well at once. */
	good(at: number): void {
		this.allowance.comeBack(this.depart(at), 'good', at);
	}

	/** A request that is refused at once. */
	busy(at: number, retryAfterMs?: number): void {
		this.allowance.comeBack(this.depart(at), 'busy', at, retryAfterMs);
	}

	/** How long the next request waits, if nothing is under way. */
	waitMs(now: number): number {
		return this.allowance.waitMs(now, [], false);
	}

	/** Takes requests evenly for a second, the last one at a time. */
	takes(count: number, until: number): void {
		for (let each = count - 1; each >= 0; each--) this.good(until - each * (SECOND / count));
	}
}

describe('a client that was not refused', () => {
	it('may send at any time', () => {
		const client = new Client();
		const { allowance } = client;

		expect(client.waitMs(T)).toBe(0);
		expect(allowance).toMatchObject({ isJammed: false, isTold: false, isSure: false });
		expect([allowance.jammedSince, allowance.jammedFor(T)]).toEqual([Infinity, 0]);
	});

	it('may have as many under way as the service bears, and one more that is alone', () => {
		const { allowance } = new Client();
		const underWay = Array.from({ length: 4 }, () => allowance.depart(T, 0));

		expect(allowance.waitMs(T, underWay.slice(1), false)).toBe(0);
		expect(allowance.waitMs(T, underWay, false)).toBe(Infinity);
		expect(allowance.waitMs(T, underWay, true)).toBe(0);
	});

	it.each([
		['trouble', 2],
		['none', 4],
		['good', 5],
	] as const)('is not in a jam after an answer of the kind %s', (verdict, most) => {
		const { allowance, width } = new Client();
		const departures = Array.from({ length: 4 }, (_, count) => allowance.depart(T, count));

		for (const departure of departures) allowance.comeBack(departure, verdict, T + 100);

		expect(allowance.isJammed).toBe(false);
		expect(width.most).toBe(most);
	});
});

describe('a 429', () => {
	it('keeps the next request back for a moment', () => {
		const client = new Client();
		const { allowance } = client;
		const departure = client.depart(T);

		allowance.comeBack(departure, 'busy', T + 100);

		expect(client.width.most).toBe(2);
		expect(allowance).toMatchObject({ isJammed: true, isTold: false, isSure: false });
		expect([allowance.jammedSince, allowance.jammedFor(T + 110)]).toEqual([T + 100, 15]);
		expect([client.waitMs(T + 110), client.waitMs(T + 200)]).toEqual([15, 0]);
	});

	it.each([
		['together with it', 25, true],
		['later', 26, false],
	])('is over with a good answer to a request that departed %s', (_name, ms, isJammed) => {
		const client = new Client();
		const refused = client.depart(T);
		const other = client.depart(T + ms);
		client.allowance.comeBack(refused, 'busy', T + 100);

		client.allowance.comeBack(other, 'good', T + 120);

		expect(client.allowance.isJammed).toBe(isJammed);
	});

	it('by itself is a whim, and teaches nothing', () => {
		const client = new Client();
		client.takes(10, T);
		client.busy(T + 10);
		client.good(T + 100);

		expect(client.waitMs(T + 100)).toBe(0);
	});

	it('keeps back for as long as it says, the longest counts, and a minute at most', () => {
		const client = new Client();
		const { allowance } = client;
		client.busy(T, 5 * SECOND);
		expect([allowance.jammedFor(T), allowance.isTold]).toEqual([5 * SECOND, true]);

		client.busy(T + SECOND, SECOND);
		expect([allowance.jammedFor(T + SECOND), allowance.isTold]).toEqual([4 * SECOND, true]);

		client.busy(T + SECOND);
		expect(allowance.isTold).toBe(true);

		client.busy(T + 2 * SECOND, 90 * MINUTE);
		expect(allowance.jammedFor(T + 2 * SECOND)).toBe(MINUTE);
	});

	it('is sure once a request that departed since was refused as well', () => {
		const client = new Client();
		const { allowance } = client;
		const [first, second] = [client.depart(T), client.depart(T)];
		allowance.comeBack(first, 'busy', T + 100);
		allowance.comeBack(second, 'busy', T + 110);
		expect(allowance.isSure).toBe(false);

		client.busy(T + 200);
		expect(allowance.isSure).toBe(true);
	});

	it('lets one request at a time find out whether it is over, of its client alone', () => {
		const client = new Client();
		const { allowance, width } = client;
		const other = new Allowance(width);
		const before = client.depart(T);
		client.busy(T);
		const probe = client.depart(T + 100);
		const ofOther = other.depart(T + 100, 0);

		expect(allowance.mayProbe([before, ofOther])).toBe(true);
		expect(allowance.mayProbe([before, probe])).toBe(false);
		expect(allowance.waitMs(T + 200, [probe], false)).toBe(Infinity);
		expect(allowance.waitMs(T + 200, [probe], true)).toBe(0);
		expect(other.mayProbe([probe, ofOther])).toBe(true);
	});
});

describe('a client that is refused', () => {
	const jammed = () => {
		const client = new Client();
		client.busy(T);
		return client;
	};

	it('is so from the first 429 to the first good answer', () => {
		const client = new Client();
		const seen = [client.allowance.isRefusing];
		client.busy(T);
		seen.push(client.allowance.isRefusing);
		client.good(T + SECOND);
		seen.push(client.allowance.isRefusing);

		expect(seen).toEqual([false, true, false]);
	});

	it('is so no longer once another request fails, but again once one is refused', () => {
		const client = jammed();
		client.allowance.comeBack(client.depart(T + SECOND), 'trouble', T + 2 * SECOND);
		expect(client.allowance).toMatchObject({ isJammed: true, isRefusing: false });

		client.busy(T + 3 * SECOND);

		expect(client.allowance).toMatchObject({ isJammed: true, isRefusing: true });
	});

	it('still is so if what fails departed before', () => {
		const client = new Client();
		const before = client.depart(T);
		client.busy(T + 100);

		client.allowance.comeBack(before, 'trouble', T + SECOND);

		expect(client.allowance.isRefusing).toBe(true);
	});

	it('still is so if a request is not sent', () => {
		const client = jammed();

		client.allowance.comeBack(client.depart(T + SECOND), 'none', T + 2 * SECOND);

		expect(client.allowance.isRefusing).toBe(true);
	});
});

describe('more than one 429', () => {
	it('keep back until the service may take one again: a second after the first that it took', () => {
		const client = new Client();
		client.takes(10, T);
		client.busy(T + 10);
		client.busy(T + 20);

		// The first of the ten was 900 ms before, and may have taken 40 ms longer to arrive.
		expect(client.waitMs(T + 20)).toBe(120);
	});

	it('keep back longer and longer if it has taken nothing, up to half a minute', () => {
		const client = new Client();
		const waits: number[] = [];
		for (let now = T, count = 0; count < 10; count++) {
			client.busy(now);
			waits.push(client.waitMs(now));
			now += client.waitMs(now);
		}

		expect(waits).toEqual([25, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
	});

	it('do so as well once what it took is long past', () => {
		const client = new Client();
		client.takes(10, T);
		client.busy(T + 10);
		client.busy(T + 2 * SECOND);

		expect(client.waitMs(T + 2 * SECOND)).toBe(250);
	});
});

describe('the time between two requests', () => {
	it('goes by what was taken before, if nothing was taken before a request that found out', () => {
		const client = new Client();
		client.takes(10, T);
		client.busy(T + 10);
		client.busy(T + 20);
		client.busy(T + 2 * SECOND);
		client.good(T + 4 * SECOND);

		expect(client.waitMs(T + 4 * SECOND)).toBeGreaterThanOrEqual(100);
	});

	/** A service that took so many in a second, and then refused at once. */
	function counted(perSecond: number, refusals = 2): Client {
		const client = new Client();
		client.takes(perSecond, T);
		const refused = Array.from({ length: refusals }, () => client.depart(T + 10));
		for (const departure of refused) client.allowance.comeBack(departure, 'busy', T + 20);
		return client;
	}

	/** From a departure to the next one. */
	function gapAt(client: Client, at: number): number {
		client.depart(at);
		return client.waitMs(at);
	}

	it.each([
		[1, 1_030],
		[10, 103],
		[50, 20.6],
	])('is a little more than that of a service that takes %s a second', (perSecond, ms) => {
		const client = counted(perSecond);
		client.good(T + 2 * SECOND);

		expect(gapAt(client, T + 2 * SECOND)).toBeCloseTo(ms, 6);
		expect(client.waitMs(T + 2 * SECOND + 5)).toBeCloseTo(ms - 5, 6);
	});

	it('is nothing if the service took nothing before it refused, or not for a minute', () => {
		const idle = new Client();
		idle.busy(T);
		idle.busy(T + 10);
		idle.good(T + SECOND);
		const late = counted(10);
		late.good(T + 20 + MINUTE + 1);
		const inTime = counted(10);
		inTime.good(T + 20 + MINUTE);

		expect(gapAt(idle, T + 2 * SECOND)).toBe(0);
		expect(gapAt(late, T + 2 * MINUTE)).toBe(0);
		expect(gapAt(inTime, T + 20 + MINUTE)).toBeCloseTo(103, 6);
	});

	it('is longer if requests had to find out when the service takes more', () => {
		const client = counted(10);
		client.busy(T + 500);
		client.good(T + 2 * SECOND);

		// Of the ten a second, five were within the second before the refusal, and one since.
		expect(gapAt(client, T + 2 * SECOND)).toBeCloseTo((SECOND / 4) * 1.03, 6);
	});

	it('is as long as what was taken since shows', () => {
		const client = counted(10, 1);
		client.busy(T + 25);
		const { allowance } = client;
		allowance.comeBack({ ...client.depart(T + 30), at: T + 30 }, 'good', T + 40);
		client.busy(T + 500);
		client.good(T + 1_005);

		// Six were taken within the second before the last refusal, two within the second before it was over.
		expect(gapAt(client, T + 2 * SECOND)).toBeCloseTo((SECOND / (6 - (6 - 2) / 4)) * 1.03, 6);
	});

	it.each([
		['with the first one that was refused', T + 10, 11],
		['after it', T + 11, 10],
	])('counts what departed %s, or does not', (_name, at, perSecond) => {
		const client = new Client();
		client.takes(10, T);
		const refused = [client.depart(T + 10), client.depart(T + 10)];
		client.good(at);
		for (const departure of refused) client.allowance.comeBack(departure, 'busy', T + 20);
		client.good(T + 2 * SECOND);

		expect(gapAt(client, T + 2 * SECOND)).toBeCloseTo((SECOND / perSecond) * 1.03, 6);
	});

	it('is at least a tenth longer after each jam, also after a whim, until it is a second', () => {
		const client = counted(10);
		client.good(T + 2 * SECOND);
		const gaps: number[] = [];
		for (let now = T + 4 * SECOND, count = 0; count < 60; count++, now += 2 * SECOND) {
			client.takes(10, now);
			client.busy(now + 5);
			client.good(now + 60);
			gaps.push(gapAt(client, now + 60));
		}

		expect(gaps[0]).toBeCloseTo(103 * 1.1, 6);
		expect(gaps[1]).toBeCloseTo(103 * 1.1 ** 2, 6);
		expect(gaps.at(-1)).toBeGreaterThanOrEqual(SECOND);
		expect(gaps.at(-1)).toBeLessThan(1.1 * SECOND);
	});

	it('stays for ten seconds, and is then shorter by a twentieth each second', () => {
		const client = counted(10);
		client.good(T + 2 * SECOND);

		client.good(T + 20 + 10 * SECOND - 1);
		expect(gapAt(client, T + 11 * SECOND)).toBeCloseTo(103, 6);
		client.good(T + 20 + 10 * SECOND);
		client.good(T + 20 + 11 * SECOND - 1);
		expect(gapAt(client, T + 11 * SECOND)).toBeCloseTo(103 * 0.95, 6);
		client.good(T + 20 + 11 * SECOND);
		expect(gapAt(client, T + 12 * SECOND)).toBeCloseTo(103 * 0.95 ** 2, 6);
	});

	it('is forgotten after a minute', () => {
		const client = counted(10);
		client.good(T + 2 * SECOND);

		client.good(T + 20 + MINUTE);
		expect(gapAt(client, T + 2 * MINUTE)).toBeGreaterThan(0);
		client.good(T + 20 + MINUTE + 1);
		expect(gapAt(client, T + 2 * MINUTE)).toBe(0);
	});
});

describe('the time between two requests to a service that takes less than one a second', () => {
	/**
	 * Asks one after the other, as soon as the client may.
	 *
	 * @param isTaken by the time since it took one before, in milliseconds, and the number of the request
	 * @param retryAfterMs what the service asks for if it takes none
	 * @returns for each whether it was refused
	 */
	function ask(
		client: Client,
		count: number,
		isTaken: (sinceMs: number, number: number) => boolean,
		retryAfterMs?: number,
	): boolean[] {
		let [now, tookAt] = [T, -Infinity];
		return Array.from({ length: count }, (_, number) => {
			now += client.waitMs(now);
			const isRefused = !isTaken(now - tookAt, number);
			if (isRefused) client.busy(now, retryAfterMs);
			else client.good((tookAt = now));
			now += 50;
			return isRefused;
		});
	}

	const oneEach = (ms: number) => (sinceMs: number) => sinceMs >= ms;

	let later = T;

	/** From a departure, a day later, to the next one. */
	function gapOf(client: Client): number {
		const at = (later += 24 * 60 * MINUTE);
		client.depart(at);
		return client.waitMs(at);
	}

	it.each([1_200, 2_000, 3_000, 4_500])('is found if it takes one each %s ms', (ms) => {
		const client = new Client();

		const refusals = ask(client, 200, oneEach(ms));

		expect(refusals.slice(0, 60).filter(Boolean).length).toBeLessThan(40);
		expect(refusals.slice(60).filter(Boolean).length).toBeLessThan(25);
		expect(gapOf(client)).toBeGreaterThan(0.9 * ms);
		expect(gapOf(client)).toBeLessThan(1.2 * ms);
	});

	it.each([
		[500, 15],
		[1_500, 15],
		[2_000, 20],
		[3_000, 10],
	])('is found if it takes one each %i ms and asks for %i s each time', (ms, seconds) => {
		const client = new Client();

		const refusals = ask(client, 120, oneEach(ms), seconds * SECOND);

		expect(refusals.slice(0, 60).filter(Boolean).length).toBeLessThan(25);
		expect(refusals.slice(60).filter(Boolean).length).toBeLessThan(10);
		expect(gapOf(client)).toBeGreaterThan(0.9 * ms);
		expect(gapOf(client)).toBeLessThan(Math.max(1.6 * ms, 1_100));
	});

	it('is five seconds at most', () => {
		const client = new Client();

		ask(client, 300, oneEach(20_000));

		expect(gapOf(client)).toBe(5 * SECOND);
	});

	it('does not grow if it refuses one in three, however long it was not asked', () => {
		const client = new Client();
		ask(client, 100, oneEach(1_500));
		const before = gapOf(client);

		ask(client, 300, (_, number) => number % 3 > 0);

		expect(before).toBeGreaterThan(1.4 * SECOND);
		expect(gapOf(client)).toBeLessThan(before / 0.94);
	});

	describe('of which each second request is refused', () => {
		/** One request that was taken, after which so many are refused; one of before is late. */
		function jam(client: Client, at: number, refusals: number): number {
			const late = client.depart(at - 10);
			for (let each = 0; each < refusals; each++) client.busy(at + each * SECOND);
			client.allowance.comeBack(late, 'good', at + refusals * SECOND - 500);
			client.good(at + refusals * SECOND);
			return gapOf(client);
		}

		const begun = () => {
			const client = new Client();
			client.good(T);
			return { client, first: jam(client, T + 100, 2) };
		};

		it('grows with the fourth time in a row, and faster if it is refused twice', () => {
			const { client, first } = begun();

			const gaps = [2, 2, 2, 2, 2, 1].map((refusals, index) =>
				jam(client, T + (index + 1) * 10 * SECOND, refusals),
			);

			expect(first).toBeCloseTo(1_030, 6);
			const times = [1, 1, 1, 1.5, 1.5 ** 2, 1.5 ** 2 * 1.1];
			gaps.forEach((gap, index) => expect(gap).toBeCloseTo(first * (times[index] ?? NaN), 6));
		});

		it('is none until the fourth time in a row that one is taken and the next one refused', () => {
			const client = new Client();
			client.good(T - 2 * SECOND);
			client.good(T);

			const gaps = [1, 2, 3, 4, 5].map((number) => {
				client.busy(T + number * 100, 50);
				client.good(T + number * 100 + 50);
				return gapOf(client);
			});

			expect(gaps.slice(0, 4)).toEqual([0, 0, 0, 0]);
			expect(gaps[4]).toBeGreaterThan(0);
		});

		it('grows faster also if the wait that is asked for is more than twice as long', () => {
			const grownAfter = (waitS: number) => {
				const { client, first } = begun();
				for (const number of [1, 2, 3]) jam(client, T + number * 10 * SECOND, 1);
				client.busy(T + 40 * SECOND, waitS * SECOND);
				client.good(T + 40 * SECOND + waitS * SECOND);
				return gapOf(client) / first;
			};

			expect(grownAfter(2)).toBeCloseTo(1.1, 6);
			expect(grownAfter(3)).toBeCloseTo(1.5, 6);
		});

		it('does not grow if two were taken in between', () => {
			const { client, first } = begun();

			client.good(T + 2_600);
			const gaps = [1, 2, 3, 4, 5].map((number) => {
				const gap = jam(client, T + number * 10 * SECOND, 2);
				client.good(T + number * 10 * SECOND + 2_500);
				return gap;
			});

			expect(new Set(gaps)).toEqual(new Set([first]));
		});
	});

	it('shrinks again once it is not limited, though a 429 comes by chance each twenty seconds', () => {
		const client = new Client();
		ask(client, 60, oneEach(3_000));
		const before = gapOf(client);
		let since = 20 * SECOND;

		ask(client, 200, (sinceMs) => {
			since += Math.min(sinceMs, 5 * SECOND);
			if (since < 20 * SECOND) return true;
			since = 0;
			return false;
		});

		expect(before).toBeGreaterThan(2.5 * SECOND);
		expect(gapOf(client)).toBeLessThan(before / 2);
	});

	it('is what it was before it shrank last, if it is too small then', () => {
		const client = new Client();
		ask(client, 60, oneEach(3_000));
		const begin = T + 60 * MINUTE;
		client.busy(begin);
		client.good(begin + 50);
		client.good(begin + 30 * SECOND - 1);
		const gaps = [gapOf(client)];
		for (let second = 31; second < 34; second++) {
			client.good(begin + second * SECOND);
			gaps.push(gapOf(client));
		}
		const [first = NaN, second, third, fourth] = gaps;
		expect(second).toBeCloseTo(first * 0.95, 6);
		expect(third).toBeCloseTo(first * 0.95 ** 2, 6);
		expect(fourth).toBeCloseTo(first * 0.95 ** 3, 6);

		client.busy(begin + 34 * SECOND);
		client.good(begin + 35 * SECOND);

		expect(gapOf(client)).toBeCloseTo(first * 0.95 ** 2, 6);
	});
});
