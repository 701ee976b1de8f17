import { describe, expect, it } from '@jest/globals';

import type { RunEnd } from '../../../../../nodes/common/runs/emitter';
import type { QueuedTask, StoredRuns, Task } from '../../../../../nodes/common/runs/queue';
import { RunQueue } from '../../../../../nodes/common/runs/queue';
import { MINUTE, SECOND } from '../../../../lab/times';

const NOON = Date.UTC(2026, 5, 30, 12);

interface NamedTask extends Task {
	name: string;
}

/** A queue by a clock that the test sets. */
function bench({ runAgain = 0, stored }: { runAgain?: number; stored?: StoredRuns } = {}) {
	const clock = { now: NOON };
	const closed: Array<[string, boolean]> = [];
	const queue = new RunQueue<NamedTask>(
		stored,
		{ runAgain, mostWaiting: 2, now: () => clock.now },
		({ name }, isRefused) => closed.push([name, isRefused]),
	);
	const add = (...names: string[]) => {
		for (const name of names) queue.add(name, { name, time: NOON });
	};
	/** Starts all that may be started now. */
	const start = () => {
		const started: Array<QueuedTask<NamedTask>> = [];
		for (let next = queue.next(); next; next = queue.next()) {
			queue.noteStart(next);
			started.push(next);
		}
		return started;
	};
	const names = () => start().map(({ task }) => task.name);
	/** Starts the only task, which ends so. */
	const end = (how: RunEnd) => {
		const [queued] = start();
		if (!queued) throw new Error('No task may be started');
		const report = queue.settle(queued, how);
		return { report, queued };
	};
	return { clock, closed, queue, add, start, names, end };
}

describe('the queue', () => {
	it('starts the oldest first, five at a time', () => {
		const { queue, names } = bench();
		for (const [index, name] of ['f', 'e', 'd', 'c', 'b', 'a'].entries()) {
			queue.add(name, { name, time: NOON - index });
		}

		expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
		expect([queue.waitingCount, queue.waitMs]).toEqual([1, 0]);
		expect([...queue.tasks()].map(({ name }) => name)).toEqual(['f', 'e', 'd', 'c', 'b', 'a']);
	});

	it('does not count a run that takes a minute, even if the clock is set back', () => {
		const { clock, add, names } = bench();
		add('a', 'b', 'c', 'd', 'e', 'f', 'g');
		names();

		clock.now += MINUTE - 1;
		expect(names()).toEqual([]);
		clock.now += 1;
		expect(names()).toEqual(['f', 'g']);
		clock.now = NOON - MINUTE;
		add('h');
		expect(names()).toEqual(['h']);
	});

	it.each<[RunEnd, boolean]>([
		['succeeded', false],
		['stopped', false],
		['taken', false],
		['failed', false],
		['refused', true],
	])('is over with a task whose run is %s', (how, isRefused) => {
		const { queue, add, end, closed } = bench();
		add('a');

		expect(end(how).report).toBeUndefined();

		expect(closed).toEqual([['a', isRefused]]);
		expect([queue.get('a'), queue.waitingCount, queue.waitMs]).toEqual([undefined, 0, undefined]);
	});
});

describe('a run that has failed', () => {
	it('is repeated after 1, 2, 4, 8 and 16 minutes, then reported once', () => {
		const { clock, queue, add, end, names } = bench({ runAgain: 5 });
		add('a');

		for (const minutes of [1, 2, 4, 8, 16]) {
			expect(end('failed').report).toBeUndefined();
			expect(queue.waitMs).toBe(minutes * MINUTE);
			clock.now += minutes * MINUTE - 1;
			expect(names()).toEqual([]);
			clock.now += 1;
		}

		expect(end('failed').report).toEqual({ kind: 'givenUp', runs: 6 });
		expect(queue.get('a')).toBeUndefined();
	});

	it('is repeated at once if the clock goes back by more than any pause', () => {
		const { clock, add, end, names } = bench({ runAgain: 1 });
		add('a');
		end('failed');

		clock.now -= 16 * MINUTE;

		expect(names()).toEqual(['a']);
	});

	it('holds up no other', () => {
		const { add, end, names } = bench({ runAgain: 1 });
		add('a');
		end('failed');

		add('b');

		expect(names()).toEqual(['b']);
	});
});

describe('a run that n8n does not start', () => {
	it.each<[RunEnd, number]>([
		['notStored', 1],
		['notStarted', 7],
	])('is tried again for ever, with one backoff: %s', (how, attempt) => {
		const { clock, add, end, queue, closed } = bench();
		add('a');

		for (const [index, minutes] of [1, 2, 4, 8, 16, 16].entries()) {
			expect(end(how).report).toEqual({ kind: 'notStarted', tries: index + 1 });
			expect(queue.waitMs).toBe(minutes * MINUTE);
			clock.now += minutes * MINUTE;
		}

		const { queued } = end('succeeded');
		expect([queued.key, queued.failed]).toEqual([attempt, 0]);
		expect(closed).toEqual([['a', false]]);
	});

	it('is tried again soon after the workflow is published, with short pauses again', () => {
		const { clock, add, end, queue } = bench();
		add('a');
		for (let tries = 0; tries < 5; tries++) {
			end('notStarted');
			clock.now += 16 * MINUTE;
		}
		end('notStarted');

		queue.retryNow();

		expect(queue.waitMs).toBe(10 * SECOND);
		clock.now += 10 * SECOND;
		end('notStarted');
		expect(queue.waitMs).toBe(MINUTE);
	});

	it('does not count as one of the repeats', () => {
		const { clock, add, end } = bench({ runAgain: 1 });
		add('a');
		end('notStarted');
		clock.now += MINUTE;
		end('failed');
		clock.now += MINUTE;

		const { queued, report } = end('failed');

		expect([queued.key, report]).toEqual([3, { kind: 'givenUp', runs: 2 }]);
	});
});

describe('what is stored of the runs', () => {
	it('is the attempt of each task whose run was asked for, if it may be run again', () => {
		const { clock, add, start, end, queue } = bench({ runAgain: 2 });
		add('a');
		end('failed');
		clock.now += MINUTE;
		start();
		add('b');

		expect(queue.stored).toEqual({ a: { key: 2, failed: 1 } });
	});

	it('is in any case which keys n8n has used up without a run', () => {
		const { add, end, queue } = bench();
		add('a');
		end('notStarted');

		expect(queue.stored).toEqual({ a: { key: 2, failed: 0 } });
	});
});

describe('a task that a process before this one had under way', () => {
	const stored: StoredRuns = { a: { key: 2, failed: 0 } };

	it('is asked for with its key, and has failed if n8n refuses it', () => {
		const { clock, add, end, queue, closed } = bench({ runAgain: 1, stored });
		expect(queue.stored).toEqual(stored);
		add('a');

		const { queued } = end('refused');
		expect([queued.key, queued.failed, closed]).toEqual([3, 1, []]);
		clock.now += MINUTE;

		expect(end('refused').report).toBeUndefined();
		expect(closed).toEqual([['a', true]]);
	});

	it('is reported if n8n refuses the last of its runs, and nobody knows when that was', () => {
		const { add, end } = bench({ runAgain: 1, stored: { a: { key: 2, failed: 1 } } });
		add('a');

		expect(end('refused').report).toEqual({ kind: 'givenUp', runs: 2 });
	});

	it('is forgotten once it is known to have ended', () => {
		const { queue } = bench({ runAgain: 1, stored });

		queue.forget('a');

		expect(queue.stored).toEqual({});
	});

	it('is one of a thousand at most', () => {
		const many = Array.from(
			{ length: 1_001 },
			(_, index) => [`lead ${index}`, { key: 2, failed: 0 }] as const,
		);

		const { queue } = bench({ stored: Object.fromEntries(many) });

		expect(Object.keys(queue.stored)).toHaveLength(1_000);
		expect(queue.stored).not.toHaveProperty('lead 1000');
	});
});

describe('a workflow that is published again, or whose tasks have no runs of their own any more', () => {
	it.each<[RunEnd, string[]]>([
		['failed', ['a']],
		['notStored', []],
		['notStarted', []],
	])('keeps what has begun, and counts as delivered what has run: %s', (how, hasRun) => {
		const { add, end, queue, closed } = bench({ runAgain: 1 });
		add('a');
		end(how);
		add('waiting');

		expect(queue.dropUnbegun()).toMatchObject([{ name: 'waiting' }]);
		expect([queue.get('a')?.name, queue.get('waiting')]).toEqual(['a', undefined]);
		expect([...queue.started()].map(({ name }) => name)).toEqual(hasRun);

		queue.endStarted();
		expect(closed).toEqual(hasRun.map((name) => [name, false]));
	});

	it('counts a run that is under way', () => {
		const { add, start, queue } = bench();
		add('a');
		start();

		expect([...queue.started()]).toMatchObject([{ name: 'a' }]);
	});

	it('hands over all that waits, the oldest first, if one run is to get it', () => {
		const { queue, closed } = bench();
		for (const [index, name] of ['b', 'a'].entries()) queue.add(name, { name, time: NOON - index });
		expect(queue.hasRoom).toBe(false);

		expect(queue.endAll().map(({ name }) => name)).toEqual(['a', 'b']);
		expect([closed.length, queue.hasRoom]).toEqual([2, true]);
	});
});
