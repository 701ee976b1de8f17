import { describe, expect, it } from '@jest/globals';

import { MINUTE } from '../../../../lab/polling/leadsModel';
import { queueBench } from '../../../../lab/polling/runs/queueBench';

/** What a process had under way that was killed. */
const leftBy = (attempt: number, isElsewhere = false) => ({
	started: new Map([['a', attempt]]),
	isElsewhere,
});

describe('after a process that was killed', () => {
	it('a task goes on with the run that was under way', () => {
		const { add, start, planned } = queueBench({ runAgain: 3 }, leftBy(2));
		expect(planned()).toEqual({ a: 2 });

		add('a', 'b');

		expect(planned()).toEqual({ a: 2 });
		expect(start()).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
	});

	it('a run that n8n knows was lost, and the next one is due', () => {
		const { clock, add, start, startAll } = queueBench({ runAgain: 3 }, leftBy(2));
		add('a');

		startAll('refused');
		clock.now += 2 * MINUTE;

		expect(start()).toMatchObject([{ attempt: 3 }]);
	});

	it('a queue worker carries on the run that n8n knows', () => {
		const { queue, add, startAll } = queueBench({ runAgain: 3 }, leftBy(2, true));
		add('a');

		startAll('refused');

		expect(queue.waitingCount).toBe(0);
		expect(queue.stored.isElsewhere).toBe(true);
	});

	it('it is noted where runs are carried out', () => {
		const { queue } = queueBench({ runAgain: 1 });
		expect(queue.stored.isElsewhere).toBeUndefined();

		queue.noteElsewhere(true);

		expect(queue.stored.isElsewhere).toBe(true);
	});

	it('a task that had begun is kept when the workflow is published again', () => {
		const { queue, add } = queueBench({ runAgain: 1 }, leftBy(1));
		add('a');

		queue.dropUnbegun();

		expect(queue.waitingCount).toBe(1);
	});

	it('what was under way is kept of the newest thousand tasks: the service may never show them again', () => {
		const ids = Array.from({ length: 3_000 }, (_, index) => `task ${index}`);
		const stored = { started: new Map(ids.map((id) => [id, 1])) };
		const { add, start, planned } = queueBench({ runAgain: 1 }, stored);

		add('new');
		start();

		const known = Object.keys(planned());
		expect(known).toHaveLength(1_001);
		expect(known.slice(0, 2)).toEqual(['new', 'task 0']);
	});

	it('what was under way is forgotten once the task is known to have ended', () => {
		const { queue, planned } = queueBench({ runAgain: 1 }, leftBy(1));

		queue.forget('a');

		expect(planned()).toEqual({});
	});
});
