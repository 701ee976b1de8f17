import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IPollFunctions } from 'n8n-workflow';

import { handOverFrom } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import type { LeadsMemory } from '../../../../../nodes/AgentLeadsTrigger/leadsMemory';
import { memories, NodeMemory } from '../../../../../nodes/common/polling/nodeMemory';
import { EVERYTHING_BUT_DATE } from '../../../../lab/engine/bench';
import { MINUTE } from '../../../../lab/polling/leadsModel';
import { NOON } from '../../../../lab/polling/progress';
import {
	handOverBench,
	NOTHING_STORED,
	targetsUpTo,
} from '../../../../lab/polling/runs/handOverBench';

const { terms, lead } = handOverBench();

beforeEach(() => {
	jest.useFakeTimers({ now: NOON, doNotFake: [...EVERYTHING_BUT_DATE] });
});

afterEach(() => {
	jest.useRealTimers();
});

const newMemory = (): LeadsMemory =>
	new NodeMemory({
		read: () => NOTHING_STORED,
		write: () => {},
		isEmpty: ({ targets }) => targets.size === 0,
	});

/** A memory that has a lead under way, and one that it has not started. */
function memoryWithRuns() {
	const memory = newMemory();
	const { handOver } = memory.runsFrom(NOTHING_STORED, true, terms, handOverFrom);
	handOver.add(lead('begun'));
	const runs = handOver.queue.next();
	if (runs) handOver.queue.noteStart(runs);
	handOver.add(lead('waiting'));
	handOver.notePoll(targetsUpTo(NOON + MINUTE), new Map());
	return { memory, handOver };
}

describe('what a process remembers of the runs', () => {
	it('is kept between polls, with the newest settings', () => {
		const { memory, handOver } = memoryWithRuns();

		const { handOver: next } = memory.runsFrom(
			NOTHING_STORED,
			false,
			{ ...terms, runAgain: 4 },
			handOverFrom,
		);

		expect(next).toBe(handOver);
		expect(next.queue.waitingCount).toBe(1);
		expect(next.queue.terms.runAgain).toBe(4);
	});

	it('begins again when the workflow is published again', () => {
		const { memory, handOver } = memoryWithRuns();

		memory.runsFrom(NOTHING_STORED, true, terms, handOverFrom);

		expect(handOver.queue.waitingCount).toBe(0);
		expect(handOver.claim('applicant', 'begun', NOON)).toBe(false);
	});

	it('goes on from what another process has stored since', () => {
		const { memory, handOver } = memoryWithRuns();
		const targets = targetsUpTo(NOON + 5 * MINUTE);

		memory.runsFrom({ ...NOTHING_STORED, polls: 1 }, false, terms, handOverFrom);
		expect(handOver.reached).toEqual(targetsUpTo(NOON + MINUTE));
		memory.runsFrom({ ...NOTHING_STORED, polls: 9, targets }, false, terms, handOverFrom);

		expect(handOver.reached).toEqual(targets);
	});

	it('is left with the leads that have begun, if the person has them delivered together', () => {
		const { memory } = memoryWithRuns();

		memory.leaveRuns();

		const { delivered, targets } = memory.goOnFrom(NOTHING_STORED, true);
		expect(memory.runs).toBeUndefined();
		expect(delivered.copy().recall('applicant', 'begun', NOON)).toBe(true);
		expect(delivered.copy().recall('applicant', 'waiting', NOON)).toBe(false);
		expect(targets).toEqual(NOTHING_STORED.targets);
	});

	it('has nothing to leave where leads had no runs of their own', () => {
		const memory = newMemory();

		memory.leaveRuns();

		expect(memory.goOnFrom(NOTHING_STORED, true)).toBe(NOTHING_STORED);
	});

	it('knows what was delivered last, even if n8n has not stored it yet', () => {
		const memory = newMemory();
		const delivered = NOTHING_STORED.delivered.copy();
		delivered.claim('applicant', 'a', NOON);
		memory.noteHandOver({ ...NOTHING_STORED, polls: 2, delivered });

		const { handOver } = memory.runsFrom(
			{ ...NOTHING_STORED, polls: 1 },
			false,
			terms,
			handOverFrom,
		);

		expect(handOver.claim('applicant', 'a', NOON)).toBe(false);
	});

	it('is sealed every quarter of an hour at most', () => {
		const memory = newMemory();
		expect(memory.isToSeal()).toBe(true);

		jest.setSystemTime(NOON + 15 * MINUTE - 1);
		expect(memory.isToSeal()).toBe(false);
		jest.setSystemTime(NOON + 15 * MINUTE);

		expect(memory.isToSeal()).toBe(true);
	});
});

it('each node of each workflow has a memory of its own, which stays', () => {
	const memoryOf = memories(newMemory);
	const contextOf = (workflow: string, node: string) =>
		({ getWorkflow: () => ({ id: workflow }), getNode: () => ({ id: node }) }) as IPollFunctions;

	const [first, again] = [1, 2].map(() => memoryOf(contextOf('one', 'a')));
	const others = [contextOf('one', 'b'), contextOf('two', 'a')].map(memoryOf);

	expect(again).toBe(first);
	expect(new Set([first, ...others]).size).toBe(3);
});
