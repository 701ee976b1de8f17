import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IPollFunctions } from 'n8n-workflow';

import type { LeadsMemory } from '../../../../../nodes/AgentLeadsTrigger/leadsMemory';
import type { LeadToRun } from '../../../../../nodes/AgentLeadsTrigger/leadTracker';
import { trackLeads } from '../../../../../nodes/AgentLeadsTrigger/leadTracker';
import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { Progress } from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import { memories, NodeMemory } from '../../../../../nodes/common/polling/nodeMemory';
import { EVERYTHING_BUT_DATE } from '../../../../lab/engine/bench';
import { MINUTE } from '../../../../lab/polling/leadsModel';
import { NOON, polledUpTo } from '../../../../lab/polling/progress';

const TARGET = 'applicant';

const terms = { runAgain: 0, now: () => NOON };

const targetsUpTo = (watermark: number): Progress['targets'] =>
	new Map([[TARGET, polledUpTo(watermark)]]);

const NOTHING_STORED: Progress = {
	polls: 0,
	targets: targetsUpTo(NOON),
	delivered: new DeliveredLeads(),
};

const lead = (key: string): LeadToRun => ({
	...{ lead: { id: key }, key, time: NOON, leadType: 'applicant' },
	...{ target: TARGET, before: polledUpTo(NOON) },
});

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
	const { tracker } = memory.runsFrom(NOTHING_STORED, true, terms, trackLeads);
	tracker.add(lead('begun'));
	const runs = tracker.queue.next();
	if (runs) tracker.queue.noteStart(runs);
	tracker.add(lead('waiting'));
	tracker.notePoll(targetsUpTo(NOON + MINUTE));
	return { memory, tracker };
}

describe('what a process remembers of the runs', () => {
	it('is kept between polls, with the newest settings', () => {
		const { memory, tracker } = memoryWithRuns();

		const { tracker: next } = memory.runsFrom(
			NOTHING_STORED,
			false,
			{ ...terms, runAgain: 4 },
			trackLeads,
		);

		expect(next).toBe(tracker);
		expect(next.queue.waitingCount).toBe(1);
		expect(next.queue.terms.runAgain).toBe(4);
	});

	it('begins again when the workflow is published again', () => {
		const { memory, tracker } = memoryWithRuns();

		memory.runsFrom(NOTHING_STORED, true, terms, trackLeads);

		expect(tracker.queue.waitingCount).toBe(0);
		expect(tracker.claim('applicant', 'begun', NOON)).toBe(false);
	});

	it('goes on from what another process has stored since', () => {
		const { memory, tracker } = memoryWithRuns();
		const targets = targetsUpTo(NOON + 5 * MINUTE);

		memory.runsFrom({ ...NOTHING_STORED, polls: 1 }, false, terms, trackLeads);
		expect(tracker.reached).toEqual(targetsUpTo(NOON + MINUTE));
		memory.runsFrom({ ...NOTHING_STORED, polls: 9, targets }, false, terms, trackLeads);

		expect(tracker.reached).toEqual(targets);
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

		const { tracker } = memory.runsFrom({ ...NOTHING_STORED, polls: 1 }, false, terms, trackLeads);

		expect(tracker.claim('applicant', 'a', NOON)).toBe(false);
	});

	/** What n8n hands to a poll after one that has delivered a lead. */
	const afterHandOver = (stored: { polls: number; isEmpty: boolean }, afterMs: number) => {
		const memory = newMemory();
		const delivered = NOTHING_STORED.delivered.copy();
		delivered.claim('applicant', 'a', NOON);
		memory.noteHandOver({ ...NOTHING_STORED, polls: 2, delivered });
		jest.setSystemTime(NOON + afterMs);
		const targets: Progress['targets'] = stored.isEmpty
			? new Map<string, never>()
			: targetsUpTo(NOON);
		const progress = { ...NOTHING_STORED, polls: stored.polls, targets };
		return memory.runsFrom(progress, false, terms, trackLeads).tracker;
	};

	it.each([
		['nothing, as under a new name', { polls: 0, isEmpty: true }, 10_000, false],
		['what is from before', { polls: 1, isEmpty: false }, 0, false],
		['what is as new', { polls: 2, isEmpty: false }, 0, true],
		['what is from before, for long', { polls: 1, isEmpty: false }, 10_000, true],
	])('counts what was delivered last if n8n has stored %s', (_, stored, afterMs, isNew) => {
		expect(afterHandOver(stored, afterMs).claim('applicant', 'a', NOON)).toBe(isNew);
	});

	it('is stored every quarter of an hour at most', () => {
		const memory = newMemory();
		expect(memory.isToPersist()).toBe(true);

		jest.setSystemTime(NOON + 15 * MINUTE - 1);
		expect(memory.isToPersist()).toBe(false);
		jest.setSystemTime(NOON + 15 * MINUTE);

		expect(memory.isToPersist()).toBe(true);
	});
});

describe('the progress that a poll is handed', () => {
	const at = (polls: number) => ({ ...NOTHING_STORED, polls });

	it.each([
		[1, 0, true],
		[2, 0, false],
		[3, 0, false],
		[1, 9_999, true],
		[1, 10_000, false],
		[1, -10_000, false],
	])('is behind: of poll %d, %d ms after poll 2 delivered: %s', (polls, afterMs, isBehind) => {
		const memory = newMemory();
		memory.noteHandOver(at(2));
		jest.setSystemTime(NOON + afterMs);

		expect(memory.isBehind(at(polls))).toBe(isBehind);
	});

	it('is never behind if nothing was delivered', () => {
		expect(newMemory().isBehind(at(0))).toBe(false);
	});
});

describe('what a poll goes on from', () => {
	const at = (polls: number) => ({ ...NOTHING_STORED, polls });
	const [stored, reached] = [at(1), at(2)];

	/** A memory whose last poll found nothing, and what n8n has stored of its polls. */
	const afterQuiet = (storedPolls = 1) => {
		const memory = newMemory();
		memory.noteStored(at(storedPolls));
		memory.noteQuiet(stored, reached);
		return memory;
	};

	it.each([false, true])(
		'is how far the last one came, if it found nothing: %s',
		(isActivation) => {
			expect(afterQuiet().goOnFrom(stored, isActivation)).toBe(reached);
		},
	);

	it.each([false, true])('is how far one that has failed had come: %s', (isActivation) => {
		const memory = newMemory();
		memory.noteStored(stored);
		memory.noteBegun(stored, reached);

		expect(memory.goOnFrom(stored, isActivation)).toBe(reached);
	});

	it.each([0, 5])('is what is stored if that is another than before: of poll %d', (polls) => {
		const other = at(polls);

		expect(afterQuiet().goOnFrom(other, false)).toBe(other);
		expect(afterQuiet(9).goOnFrom(at(9), true)).toMatchObject({ polls: 9 });
	});

	it('is what another process has stored since, at a publication', () => {
		expect(afterQuiet(0).goOnFrom(stored, true)).toBe(stored);
	});

	it.each([0, 2])('is how far this process came, if n8n loads poll %d again', (polls) => {
		expect(afterQuiet(5).goOnFrom(at(polls), true)).toBe(reached);
	});

	it('is what is stored where this process came less far', () => {
		const newer = at(3);

		expect(afterQuiet(5).goOnFrom(newer, true)).toBe(newer);
	});

	it('is what is stored once items were delivered', () => {
		const memory = afterQuiet(5);
		memory.noteHandOver(at(3));
		const before = at(0);

		expect(memory.goOnFrom(before, true)).toBe(before);
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
