import { describe, expect, it } from '@jest/globals';

import { NOON } from '../../../../lab/polling/progress';
import { MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { namesOf, queueBench } from '../../../../lab/polling/runs/queueBench';

const MANY = Array.from({ length: 1_000 }, (_, index) => `task ${index}`);

describe('while n8n can store no runs', () => {
	it('few tasks are tried, not one after another', () => {
		const { clock, queue, add, startAll } = queueBench();
		add(...MANY);

		let tries = startAll('unstored').length;
		expect(tries).toBe(5);
		expect(queue.next()).toBeUndefined();
		expect(queue.waitMs).toBe(10 * SECOND);
		for (const end = clock.now + MINUTE; clock.now < end; clock.now += SECOND) {
			tries += startAll('unstored').length;
		}

		expect(tries).toBeLessThanOrEqual(35);
	});

	it('a clock that goes back holds up none', () => {
		const { clock, queue, add, startAll } = queueBench();
		add('a', 'b', 'c', 'd', 'e', 'f');
		startAll('unstored');

		clock.now -= 60 * MINUTE;

		expect(queue.next()).toBeDefined();
	});
});

describe('a task whose run n8n can never store', () => {
	it('is tried after pauses that double up to 16 minutes, without an end', () => {
		const { clock, add, startAll } = queueBench({ runAgain: 1 });
		add('a');
		startAll('unstored');

		for (const pause of [1, 2, 4, 8, 16, 16, 16]) {
			clock.now += pause * MINUTE - 1;
			expect(startAll('unstored')).toEqual([]);
			clock.now += 1;
			expect(startAll('unstored')).toEqual(['a']);
		}
	});

	it('is told of once, after the fifth time', () => {
		const { clock, queue, add, startAll } = queueBench();
		add('a');
		const told: string[][] = [];

		for (let tries = 1; tries <= 7; tries++) {
			startAll('unstored');
			told.push(queue.takeStuck().map(({ name }) => name));
			clock.now += 16 * MINUTE;
		}

		expect(told).toEqual([[], [], [], [], ['a'], [], []]);
	});

	it('does not hold up the others', () => {
		const { clock, add, start, queue } = queueBench();
		add('a', 'b');
		const [a, b] = start();
		if (!a || !b) throw new Error('Two tasks were found');
		queue.settle(a, 'unstored');
		queue.settle(b, 'succeeded');
		add('c');

		clock.now += 10 * SECOND;

		expect(namesOf(start())).toEqual(['c']);
	});

	it('begins with a pause of a minute again once a run was stored', () => {
		const { clock, queue, add, startAll } = queueBench({ runAgain: 1 });
		add('a');
		for (const end of ['unstored', 'unstored', 'failed', 'unstored'] as const) {
			startAll(end);
			clock.now += 16 * MINUTE;
		}
		clock.now -= 15 * MINUTE;

		expect(queue.next()).toBeDefined();
	});
});

describe('with queue workers, a run that n8n refuses', () => {
	const elsewhere = { started: new Map(), isElsewhere: true };

	it('has failed if n8n has said before that it could not start it', () => {
		const { clock, add, start, startAll } = queueBench({ runAgain: 1 }, elsewhere);
		add('a');
		startAll('unstored');
		clock.now += MINUTE;

		startAll('refused');
		clock.now += MINUTE;

		expect(start()).toMatchObject([{ attempt: 2 }]);
	});

	it('is carried on by a worker if a process before began it, whatever n8n said since', () => {
		const { clock, queue, add, startAll, hasEnded } = queueBench(
			{ runAgain: 1 },
			{ ...elsewhere, started: new Map([['a', 1]]) },
		);
		add('a');
		startAll('unstored');
		clock.now = NOON + MINUTE;

		startAll('refused');

		expect(queue.waitingCount).toBe(0);
		expect(hasEnded('a')).toBe(true);
	});
});
