import { describe, expect, it } from '@jest/globals';

import { NOON } from '../../../../lab/polling/progress';
import { MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { handOverBench, keysOf, NOTHING_STORED } from '../../../../lab/polling/runs/handOverBench';

const MANY = Array.from({ length: 1_000 }, (_, index) => `lead ${index}`);

describe('while n8n can store no runs', () => {
	it('few leads are tried, not one after another', () => {
		const { clock, handOver, poll, startAll } = handOverBench();
		poll(MANY);

		let tries = startAll('unstored').length;
		expect(tries).toBe(5);
		expect(handOver.next()).toBeUndefined();
		expect(handOver.waitMs).toBe(10 * SECOND);
		for (const end = clock.now + MINUTE; clock.now < end; clock.now += SECOND) {
			tries += startAll('unstored').length;
		}

		expect(tries).toBeLessThanOrEqual(35);
	});

	it('a clock that goes back holds up none', () => {
		const { clock, handOver, poll, startAll } = handOverBench();
		poll(['a', 'b', 'c', 'd', 'e', 'f']);
		startAll('unstored');

		clock.now -= 60 * MINUTE;

		expect(handOver.next()).toBeDefined();
	});
});

describe('a lead whose run n8n can never store', () => {
	it('is tried after pauses that double up to 16 minutes, without an end', () => {
		const { clock, poll, startAll } = handOverBench({ runAgain: 1 });
		poll(['a']);
		startAll('unstored');

		for (const pause of [1, 2, 4, 8, 16, 16, 16]) {
			clock.now += pause * MINUTE - 1;
			expect(startAll('unstored')).toEqual([]);
			clock.now += 1;
			expect(startAll('unstored')).toEqual(['a']);
		}
	});

	it('is told of once, after the fifth time', () => {
		const { clock, handOver, poll, startAll } = handOverBench();
		poll(['a']);
		const told: string[][] = [];

		for (let tries = 1; tries <= 7; tries++) {
			startAll('unstored');
			told.push(handOver.takeStuck().map(({ key }) => key));
			clock.now += 16 * MINUTE;
		}

		expect(told).toEqual([[], [], [], [], ['a'], [], []]);
	});

	it('does not hold up the others', () => {
		const { clock, poll, start, handOver } = handOverBench();
		poll(['a', 'b']);
		const [a, b] = start();
		if (!a || !b) throw new Error('Two leads were found');
		handOver.settle(a, 'unstored');
		handOver.settle(b, 'succeeded');
		poll(['c']);

		clock.now += 10 * SECOND;

		expect(keysOf(start())).toEqual(['c']);
	});

	it('begins with a pause of a minute again once a run was stored', () => {
		const { clock, handOver, poll, startAll } = handOverBench({ runAgain: 1 });
		poll(['a']);
		for (const end of ['unstored', 'unstored', 'failed', 'unstored'] as const) {
			startAll(end);
			clock.now += 16 * MINUTE;
		}
		clock.now -= 15 * MINUTE;

		expect(handOver.next()).toBeDefined();
	});
});

describe('with queue workers, a run that n8n refuses', () => {
	const elsewhere = { started: new Map(), isElsewhere: true };

	it('has failed if n8n has said before that it could not start it', () => {
		const { clock, poll, start, startAll } = handOverBench(
			{ runAgain: 1 },
			{ ...NOTHING_STORED, runs: elsewhere },
		);
		poll(['a']);
		startAll('unstored');
		clock.now += MINUTE;

		startAll('refused');
		clock.now += MINUTE;

		expect(start()).toMatchObject([{ attempt: 2 }]);
	});

	it('is carried on by a worker if a process before began it, whatever n8n said since', () => {
		const { clock, handOver, poll, startAll, hasEnded } = handOverBench(
			{ runAgain: 1 },
			{ ...NOTHING_STORED, runs: { ...elsewhere, started: new Map([['applicant a', 1]]) } },
		);
		poll(['a']);
		startAll('unstored');
		clock.now = NOON + MINUTE;

		startAll('refused');

		expect(handOver.waitingCount).toBe(0);
		expect(hasEnded('a')).toBe(true);
	});
});
