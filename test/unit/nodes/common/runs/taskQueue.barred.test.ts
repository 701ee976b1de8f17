import { describe, expect, it } from '@jest/globals';

import { TaskQueue } from '../../../../../nodes/common/runs/taskQueue';
import { runNumber } from '../../../../../nodes/common/runs/taskRuns';
import { MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { namesOf, queueBench } from '../../../../lab/polling/runs/queueBench';

const MANY = Array.from({ length: 20 }, (_, index) => `task ${index}`);

describe('a task whose run n8n does not begin', () => {
	it('has another one with a key of its own, after pauses up to 16 minutes, without an end', () => {
		const { clock, add, start, queue } = queueBench();
		add('a');
		const attempts: number[] = [];

		for (const pause of [0.5, 1, 2, 4, 8, 16, 16, 16]) {
			for (const runs of start()) {
				attempts.push(runs.attempt);
				queue.settle(runs, 'barred');
			}
			clock.now += pause * MINUTE - 1;
			expect(start()).toEqual([]);
			clock.now += 1;
		}

		expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
		expect(queue.takeGivenUp()).toEqual([]);
	});

	it('is told of once', () => {
		const { clock, add, startAll, queue } = queueBench();
		add('a', 'b');
		const told: unknown[] = [];

		for (let tries = 1; tries <= 4; tries++) {
			startAll('barred');
			told.push(queue.takeBarred()?.name);
			clock.now += 16 * MINUTE;
		}

		expect(told).toEqual(['a', undefined, undefined, undefined]);
	});

	it('is not told of again if n8n began other runs meanwhile', () => {
		const { clock, add, startAll, queue } = queueBench();
		add('a');
		startAll('barred');
		const first = queue.takeBarred();
		clock.now += 20 * SECOND;
		add('b');
		startAll('succeeded');
		clock.now += MINUTE;
		startAll('barred');

		expect(first?.name).toBe('a');
		expect(queue.takeBarred()).toBeUndefined();
	});

	it('was started by another process if n8n refuses the next one, whatever was under way before', () => {
		const stored = { started: new Map([['a', 1]]), isElsewhere: false };
		const { clock, add, startAll, hasEnded } = queueBench({ runAgain: 3 }, stored);
		add('a');
		startAll('barred');
		clock.now += MINUTE;

		startAll('refused');

		expect(hasEnded('a')).toBe(true);
	});

	it('is not run a second time once a run has begun', () => {
		const { clock, add, startAll, hasEnded } = queueBench();
		add('a');
		startAll('barred');
		clock.now += MINUTE / 2;

		startAll('failed');

		clock.now += 60 * MINUTE;
		expect(startAll('succeeded')).toEqual([]);
		expect(hasEnded('a')).toBe(true);
	});

	it('has as many runs as any other if they fail', () => {
		const { clock, add, start, startAll, queue } = queueBench({ runAgain: 1 });
		add('a');
		startAll('barred');
		clock.now += MINUTE / 2;
		startAll('failed');
		clock.now += MINUTE;

		const [second] = start();
		if (!second) throw new Error('A second run was due');
		expect([second.attempt, runNumber(second)]).toEqual([3, 2]);
		const startedAt = clock.now;
		clock.now += MINUTE;
		queue.settle(second, 'failed');

		expect(queue.takeGivenUp()).toEqual([
			{ task: expect.objectContaining({ name: 'a' }), runs: 2, startedAt },
		]);
	});

	it('counts as not delivered if nobody is to run it again', () => {
		const { add, startAll, queue } = queueBench();
		add('a');

		startAll('barred');

		expect([...queue.begun()]).toEqual([]);
	});
});

describe('while n8n begins no runs', () => {
	/** A task that was tried four times. */
	function barredForLong() {
		const bench = queueBench();
		bench.add('a');
		for (let tries = 1; tries <= 4; tries++) {
			bench.startAll('barred');
			bench.clock.now += 4 * MINUTE;
		}
		return bench;
	}

	it('one task at a time shows whether it does again, not one after another', () => {
		const { clock, add, startAll } = queueBench();
		add(...MANY);

		const tries = [startAll('barred').length];
		for (const end = clock.now + 60 * MINUTE; clock.now < end; clock.now += MINUTE) {
			tries.push(startAll('barred').length);
		}

		expect(tries[0]).toBe(5);
		expect(tries.filter((count) => count > 0)).toEqual([5, 1, 1, 1, 1, 1, 1, 1, 1]);
	});

	it.each(['succeeded', 'failed', 'stopped'] as const)(
		'the first that it begins lets the others go on, even if it has %s',
		(end) => {
			const { clock, add, start, startAll, queue } = queueBench();
			add(...MANY);
			startAll('barred');
			clock.now += 15 * SECOND;

			const [probe, ...more] = start();
			if (!probe) throw new Error('One task was due');
			expect(more).toEqual([]);
			queue.settle(probe, end);

			expect(start()).toHaveLength(5);
		},
	);

	it('a workflow that is published again is tried as soon as n8n runs what was published', () => {
		const { clock, start, queue } = barredForLong();

		queue.retryBarred();

		expect(start()).toEqual([]);
		clock.now += 10 * SECOND;
		expect(namesOf(start())).toEqual(['a']);
	});

	it('a publication that was not enough is followed by short pauses again', () => {
		const { clock, start, startAll, queue } = barredForLong();
		queue.retryBarred();
		clock.now += 10 * SECOND;
		startAll('barred');

		clock.now += MINUTE / 2;

		expect(namesOf(start())).toEqual(['a']);
	});

	it('a task that n8n alone does not begin does not hold up the others for longer than a minute', () => {
		const { clock, add, start, queue } = queueBench();
		add(...MANY);
		const begun = new Set<string>();

		for (const end = clock.now + 10 * MINUTE; clock.now < end; clock.now += MINUTE) {
			for (let runs = start(); runs.length > 0; runs = start()) {
				for (const each of runs) {
					const isOdd = each.task.name === 'task 0';
					if (!isOdd) begun.add(each.task.name);
					queue.settle(each, isOdd ? 'barred' : 'succeeded');
				}
			}
		}

		expect(begun.size).toBe(MANY.length - 1);
	});

	it('a clock that goes back holds up none', () => {
		const { clock, add, start, startAll } = queueBench();
		add('a');
		startAll('barred');

		clock.now -= 60 * MINUTE;

		expect(namesOf(start())).toEqual(['a']);
	});
});

describe('the next process of n8n', () => {
	/** What a process stored of a task whose first run n8n did not begin. */
	function followed(runAgain: number) {
		const bench = queueBench({ runAgain });
		bench.add('a');
		bench.startAll('barred');
		const next = queueBench({ runAgain }, bench.queue.stored);
		next.add('a');
		return next;
	}

	it.each([0, 1])('goes on with the next key, with Run Again %s', (runAgain) => {
		const { start } = followed(runAgain);

		expect(start()).toMatchObject([{ attempt: 2, barred: 1 }]);
	});

	it('takes a key that n8n knows for the run of the task', () => {
		const { clock, startAll, hasEnded } = followed(0);

		startAll('refused');

		clock.now += 60 * MINUTE;
		expect(startAll('succeeded')).toEqual([]);
		expect(hasEnded('a')).toBe(true);
	});

	it('stores what it has not met yet', () => {
		const { add, startAll, queue, terms } = queueBench();
		add('a');
		startAll('barred');

		const next = new TaskQueue(queue.stored, terms, () => {});

		expect(next.stored).toEqual(queue.stored);
	});
});
