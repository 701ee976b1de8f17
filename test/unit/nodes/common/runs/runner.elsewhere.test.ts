import { describe, expect, it } from '@jest/globals';

import type { RunHost } from '../../../../../nodes/common/runs/runner';
import { Runner } from '../../../../../nodes/common/runs/runner';
import type { RunOutcome } from '../../../../../nodes/common/runs/runOutcome';
import type { NamedTask } from '../../../../lab/polling/runs/queueBench';
import { queueBench } from '../../../../lab/polling/runs/queueBench';
import { settled } from '../../../../lab/polling/runsHost';

/** Where the runs of a process are carried out, as far as it can tell from the end of one. */
async function learnt(outcome: RunOutcome, isElsewhere: boolean): Promise<boolean | undefined> {
	const { add, queue } = queueBench({ runAgain: 1 }, { started: new Map(), isElsewhere });
	add('a');
	const host: RunHost<NamedTask> = {
		start: async () => await Promise.resolve(outcome),
		store: async () => await Promise.resolve(),
		isOpen: () => true,
		noteEnd: () => {},
		seal: async () => await Promise.resolve(),
	};
	await new Runner(queue).work(host);
	await settled();
	return queue.stored.isElsewhere;
}

describe('whether other processes carry out the runs', () => {
	it.each([
		['a queue worker has carried out one', { end: 'succeeded', isElsewhere: true }, false, true],
		['this process has', { end: 'succeeded', isElsewhere: false }, true, false],
		// n8n does not always say who carried out a run that failed.
		['one has failed', { end: 'failed' }, true, true],
	] as const)('is known once %s', async (_when, outcome, before, after) => {
		expect(await learnt(outcome, before)).toBe(after);
	});
});
