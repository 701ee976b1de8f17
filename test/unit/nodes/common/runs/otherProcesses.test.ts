import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { MINUTE_MS, SECOND_MS } from '../../../../../service/basics/times';
import { Runner } from '../../../../../nodes/common/runs/runner';
import type { RunEnd } from '../../../../../nodes/common/runs/runOutcome';
import { TaskQueue } from '../../../../../nodes/common/runs/taskQueue';

const BEGIN = Date.parse('2026-06-30T12:00:00Z');

/** A process of n8n, whose random choices are all in the middle. */
class Process {
	now = BEGIN;

	readonly queue = new TaskQueue(
		undefined,
		{ runAgain: 0, now: () => this.now, random: () => 0.5 },
		() => {},
	);

	private tasks = 0;

	/** A task that is found now, of a time before or after now. */
	find(time = this.now): void {
		this.queue.add(`task-${++this.tasks}`, { time });
	}

	/** Starts what may be started within this time, each with this end; how long each had to wait. */
	start(withinMs: number, end: RunEnd): number[] {
		const from = this.now;
		const waits: number[] = [];
		for (; this.now <= from + withinMs; this.now += 10) {
			for (let runs = this.queue.next(); runs; runs = this.queue.next()) {
				this.queue.noteStart(runs);
				this.queue.settle(runs, end);
				waits.push(this.now - from);
			}
		}
		return waits;
	}

	/** Starts tasks that nobody else starts, until it takes itself to be alone. */
	settleIn(): void {
		for (let task = 0; task < 3; task++) this.find();
		this.start(20 * SECOND_MS, 'succeeded');
	}
}

describe('a process that starts tasks', () => {
	it('waits a moment before its first one: another one may have begun at the same time', () => {
		const process = new Process();

		process.find();

		const [wait = 0] = process.start(20 * SECOND_MS, 'succeeded');
		expect(wait).toBeGreaterThan(SECOND_MS);
	});

	it('starts one at a time until it is known to be alone, then all at once', () => {
		const process = new Process();
		for (let task = 0; task < 8; task++) process.find();

		const waits = process.start(30 * SECOND_MS, 'succeeded');

		const [first = 0, second = 0, third = 0, ...later] = waits;
		expect(second - first).toBeGreaterThan(500);
		expect(third - second).toBeGreaterThan(500);
		expect(new Set(later)).toEqual(new Set([third]));
	});

	it('is not held up by what a process before it had started', () => {
		const process = new Process();
		for (let task = 0; task < 100; task++) process.find(BEGIN - MINUTE_MS);

		const refused = process.start(20 * SECOND_MS, 'refused');

		expect(refused).toHaveLength(100);
		process.settleIn();
		process.find();
		expect(process.start(0, 'succeeded')).toEqual([0]);
	});

	it('starts the oldest first as long as it has met no other', () => {
		const process = new Process();
		for (const age of [2, 1, 3]) process.find(BEGIN - age * MINUTE_MS);
		process.now += 20 * SECOND_MS;

		expect(process.queue.next()?.task.time).toBe(BEGIN - 3 * MINUTE_MS);
	});

	it.each([
		['older than all that it has started: one before it had it', BEGIN - 3 * MINUTE_MS, false],
		['younger than one that it has started: another one is at work', BEGIN - MINUTE_MS, true],
	])('is refused a task that is %s', (_name, time, isMet) => {
		const process = new Process();
		process.find(BEGIN - 2 * MINUTE_MS);
		process.start(20 * SECOND_MS, 'succeeded');
		process.find(time);
		process.start(20 * SECOND_MS, 'refused');

		process.find();

		const [wait = 0] = process.start(MINUTE_MS, 'succeeded');
		expect(wait > 5 * SECOND_MS).toBe(isMet);
	});

	describe('once another one was faster', () => {
		it('leaves each task to that one for seconds, even if tasks are rare', () => {
			const process = new Process();
			process.settleIn();
			for (let hour = 0; hour < 5; hour++) {
				process.now += 60 * MINUTE_MS;
				process.find();

				const [wait = 0] = process.start(MINUTE_MS, 'refused');

				if (hour > 0) expect(wait).toBeGreaterThan(2 * SECOND_MS);
			}
		});

		it('never leaves a task for longer than half a minute', () => {
			const process = new Process();
			process.settleIn();
			for (let task = 0; task < 50; task++) {
				process.find();

				const [wait = Infinity] = process.start(MINUTE_MS, 'refused');

				expect(wait).toBeLessThan(30 * SECOND_MS);
			}
		});

		it('starts one at a time', () => {
			const process = new Process();
			process.settleIn();
			process.find();
			process.start(MINUTE_MS, 'refused');
			for (let task = 0; task < 5; task++) process.find();

			const waits = process.start(MINUTE_MS, 'succeeded');

			expect(waits).toHaveLength(5);
			expect(new Set(waits).size).toBe(5);
		});

		it('does not start the oldest first, as the other one does', () => {
			const process = new Process();
			process.settleIn();
			process.find();
			process.start(MINUTE_MS, 'refused');
			for (let task = 0; task < 5; task++) process.find(process.now + task * SECOND_MS);
			process.now += MINUTE_MS;

			expect(process.queue.next()?.task.time).toBeGreaterThan(process.now - MINUTE_MS);
		});

		it('is alone again when it has started three tasks and ten minutes have passed', () => {
			const process = new Process();
			process.settleIn();
			process.find();
			process.start(MINUTE_MS, 'refused');
			process.now += 10 * MINUTE_MS;
			process.settleIn();

			process.find();

			expect(process.start(0, 'succeeded')).toEqual([0]);
			for (const age of [2, 1, 3]) process.find(process.now - age * MINUTE_MS);
			expect(process.queue.next()?.task.time).toBe(process.now - 3 * MINUTE_MS);
		});
	});
});

describe('the runner', () => {
	beforeEach(() => void jest.useFakeTimers({ now: BEGIN }));
	afterEach(() => void jest.useRealTimers());

	it('starts a task when it is due, not at full seconds: two processes polled at the same time', async () => {
		const startedAt: number[] = [];
		const terms = { runAgain: 0, now: () => Date.now(), random: () => 0.25 };
		const queue = new TaskQueue(undefined, terms, () => {});
		queue.add('task', { time: BEGIN });
		const due = BEGIN + (queue.waitMs ?? 0);

		const work = new Runner(queue).work({
			start: async () => {
				startedAt.push(Date.now());
				return await Promise.resolve({ end: 'succeeded' });
			},
			store: async () => {},
			isOpen: () => true,
			noteEnd: () => {},
			seal: async () => {},
		});
		await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
		await work;

		expect(due % SECOND_MS).not.toBe(0);
		expect(startedAt).toEqual([due]);
	});
});
