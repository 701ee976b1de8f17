import { describe, expect, it } from '@jest/globals';

import type { RunEnd } from '../../../../../nodes/common/runs/runOutcome';
import type { StoredRuns } from '../../../../../nodes/common/runs/storedRuns';
import { TaskQueue } from '../../../../../nodes/common/runs/taskQueue';
import type { Task } from '../../../../../nodes/common/runs/taskRuns';
import { DAY, MINUTE } from '../../../../lab/polling/leadsModel';
import { NOON } from '../../../../lab/polling/progress';
import { namesOf, queueBench } from '../../../../lab/polling/runs/queueBench';

/** What a process left that was killed during the first run of a task. */
const underWay = (isElsewhere?: boolean): StoredRuns => ({
	started: new Map([['a', 1]]),
	...(isElsewhere !== undefined && { isElsewhere }),
});

const begunOf = ({ queue }: ReturnType<typeof queueBench>) =>
	[...queue.begun()].map(({ name }) => name);

it('a run of more than a day no longer holds up the progress', () => {
	const { clock, add, start, queue } = queueBench();
	add('a');
	start();
	const before = queue.firstHeldUp;
	clock.now += DAY - 1;
	const during = queue.firstHeldUp;
	clock.now += 1;

	expect([before, during, queue.firstHeldUp]).toEqual([1, 1, Infinity]);
});

it('a task whose runs n8n began has no count of those that it did not', () => {
	const { add, start, queue } = queueBench({ runAgain: 1 });
	add('a');

	start();

	expect(queue.stored).toMatchObject({ started: new Map([['a', 1]]), barred: new Map() });
});

describe('a task', () => {
	it('that waits for its first run does not count as delivered', () => {
		const bench = queueBench();
		bench.add('a');

		expect(begunOf(bench)).toEqual([]);
	});

	it('whose first run is under way counts as delivered', () => {
		const bench = queueBench();
		bench.add('a');

		bench.start();

		expect(begunOf(bench)).toEqual(['a']);
	});

	it('that waits for its second run counts as delivered', () => {
		const bench = queueBench({ runAgain: 1 });
		bench.add('a');

		bench.startAll('failed');

		expect(begunOf(bench)).toEqual(['a']);
	});

	it('whose first run n8n could not store does not count as delivered', () => {
		const bench = queueBench();
		bench.add('a');

		bench.startAll('unstored');

		expect(begunOf(bench)).toEqual([]);
	});

	it('that a process before this one may have started does not count as delivered before it is tried', () => {
		const bench = queueBench({ runAgain: 1 }, underWay());
		bench.add('a');

		expect(begunOf(bench)).toEqual([]);
	});

	it('whose first run a process before this one saw fail counts as delivered', () => {
		const bench = queueBench({ runAgain: 1 }, { started: new Map([['a', 2]]) });
		bench.add('a');

		expect(begunOf(bench)).toEqual(['a']);
	});

	it('whose first run n8n did not begin counts as delivered once another one is under way', () => {
		const bench = queueBench();
		bench.add('a');
		bench.startAll('barred');
		bench.clock.now += MINUTE;

		bench.start();

		expect(begunOf(bench)).toEqual(['a']);
	});
});

describe('when the workflow is published again, a task whose run could not be planned', () => {
	/** Whether it stays in the queue. */
	const staysOf = ({ start, queue }: ReturnType<typeof queueBench>) => {
		for (const runs of start()) queue.postpone(runs);
		queue.dropUnbegun();
		return queue.has('a');
	};

	it('is left out if it had none before', () => {
		const bench = queueBench({ runAgain: 1 });
		bench.add('a');

		expect(staysOf(bench)).toBe(false);
	});

	it('stays if an earlier run of it has failed', () => {
		const bench = queueBench({ runAgain: 1 });
		bench.add('a');
		bench.startAll('failed');
		bench.clock.now += MINUTE;

		expect(staysOf(bench)).toBe(true);
	});

	it('stays if a process before this one may have started it', () => {
		const bench = queueBench({ runAgain: 1 }, underWay());
		bench.add('a');

		expect(staysOf(bench)).toBe(true);
	});
});

it.each<[string, boolean, number, boolean | undefined, boolean]>([
	['unless a process before this one may have started the task', false, 1, undefined, false],
	['unless the task is not run again', true, 0, undefined, false],
	['unless it is known', true, 1, false, false],
	['otherwise', true, 1, undefined, true],
])(
	'where runs are carried out has to be known before a refusal counts, %s',
	(_name, isInherited, runAgain, isElsewhere, expected) => {
		const { add, start, queue } = queueBench({ runAgain }, underWay(isElsewhere));
		add(isInherited ? 'a' : 'b');

		expect(start().map((runs) => queue.hasToKnowWhere(runs))).toEqual([expected]);
	},
);

describe('the end of a task', () => {
	/** Whether n8n refused each task that has come to its end. */
	function endsOf(end: RunEnd, stored?: StoredRuns, before?: RunEnd): boolean[] {
		const clock = { now: NOON };
		const refusals: boolean[] = [];
		const terms = { runAgain: 0, now: () => clock.now, random: () => 0 };
		const queue = new TaskQueue<Task>(stored, terms, (_task, isRefused) => {
			refusals.push(isRefused);
		});
		queue.add('a', { time: NOON });
		for (const each of before ? [before, end] : [end]) {
			const runs = queue.next();
			if (!runs) throw new Error('The task was due');
			queue.noteStart(runs);
			queue.settle(runs, each);
			clock.now += MINUTE;
		}
		return refusals;
	}

	it.each<[string, RunEnd, boolean, StoredRuns | undefined, RunEnd | undefined]>([
		['has succeeded', 'succeeded', false, undefined, undefined],
		['has failed', 'failed', false, undefined, undefined],
		['was started by another process', 'refused', true, undefined, undefined],
		['is carried on by a queue worker', 'refused', true, underWay(true), undefined],
		['was lost with the process before', 'refused', true, underWay(false), undefined],
		['was stored although n8n said otherwise', 'refused', true, undefined, 'unstored'],
	])('says whether n8n refused its run, which %s', (_name, end, expected, stored, before) => {
		expect(endsOf(end, stored, before)).toEqual([expected]);
	});
});

it('a workflow that is published again does not shorten the pause after a run that failed', () => {
	const { clock, add, start, queue } = queueBench({ runAgain: 1 });
	add('failed', 'barred');
	const [failed, barred] = start();
	if (!failed || !barred) throw new Error('Two tasks were due');
	queue.settle(failed, 'failed');
	queue.settle(barred, 'barred');

	queue.retryBarred();
	clock.now += MINUTE / 6;

	expect(namesOf(start())).toEqual(['barred']);
	expect(queue.waitMs).toBe((5 * MINUTE) / 6);
});
