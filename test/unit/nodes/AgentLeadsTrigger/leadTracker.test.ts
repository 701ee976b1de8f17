import { describe, expect, it } from '@jest/globals';

import { LeadTracker } from '../../../../nodes/AgentLeadsTrigger/leadTracker';
import { DeliveredLeads } from '../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { RunEnd } from '../../../../nodes/common/runs/emitter';
import { MINUTE } from '../../../lab/polling/leadsModel';
import { NOON, polledUpTo } from '../../../lab/polling/progress';

/** A tracker whose polls of two targets find leads. */
function bench(runAgain = 0) {
	const reached = new Map(['applicant', 'appraisal'].map((key) => [key, polledUpTo(NOON)]));
	const stored = { polls: 3, targets: reached, delivered: new DeliveredLeads() };
	const tracker = new LeadTracker(stored, { runAgain, now: () => NOON });
	/** A poll of one of them, a minute later than the one before. */
	const poll = (target: 'applicant' | 'appraisal', ...keys: string[]) => {
		const before = tracker.reached.get(target) ?? polledUpTo(NOON);
		for (const key of keys.filter((each) => tracker.claim(target, each, NOON))) {
			tracker.add({ lead: { id: key }, key, time: NOON, leadType: target, target, before });
		}
		const next = polledUpTo(before.watermark + MINUTE);
		tracker.notePoll(new Map([...tracker.reached, [target, next]]));
	};
	const start = () => {
		const queued = tracker.queue.next();
		if (!queued) throw new Error('No lead waits');
		tracker.queue.noteStart(queued);
		return { settle: (end: RunEnd) => tracker.queue.settle(queued, end) };
	};
	const minutes = () =>
		[...tracker.progress.targets.values()].map(({ watermark }) => (watermark - NOON) / MINUTE);
	return { tracker, poll, start, minutes };
}

describe('what is stored of a target', () => {
	it('never passes a lead whose run has not ended, and does not hold back other targets', () => {
		const { poll, start, minutes } = bench();
		poll('applicant', 'a');
		const first = start();
		poll('applicant', 'b');
		const second = start();
		poll('appraisal');
		expect(minutes()).toEqual([0, 1]);

		second.settle('succeeded');
		expect(minutes()).toEqual([0, 1]);
		first.settle('succeeded');

		expect(minutes()).toEqual([2, 1]);
	});

	it('goes back to that lead when the workflow is published again', () => {
		const { tracker, poll, start } = bench();
		poll('applicant', 'a', 'b');
		const begun = start();
		poll('applicant');

		tracker.restart();
		begun.settle('succeeded');
		poll('applicant', 'a', 'b');

		expect([...tracker.queue.tasks()].map(({ key }) => key)).toEqual(['b']);
		expect(tracker.progress.polls).toBe(6);
	});
});

describe('a lead', () => {
	it('is taken in once until it has ended, and not again then', () => {
		const { tracker, poll, start } = bench();
		poll('applicant', 'a');
		expect(tracker.claim('applicant', 'a', NOON)).toBe(false);

		start().settle('succeeded');

		expect(tracker.claim('applicant', 'a', NOON)).toBe(false);
		expect(tracker.claim('appraisal', 'a', NOON)).toBe(true);
	});

	it('counts as delivered if it has had a run and has no run of its own any more', () => {
		const { tracker, poll, start } = bench(1);
		poll('applicant', 'failed', 'waits');
		start().settle('failed');

		const { delivered, targets, runs } = tracker.leave();

		const isNew = ['failed', 'waits'].map((key) => delivered.claim('applicant', key, NOON));
		expect([isNew, runs]).toEqual([[false, true], undefined]);
		expect(targets.get('applicant')?.watermark).toBe(NOON);
	});
});

it('what another process has stored meanwhile is taken over', () => {
	const { tracker } = bench();
	const delivered = new DeliveredLeads();
	delivered.claim('applicant', 'a', NOON);
	const targets = new Map([['applicant', polledUpTo(NOON + 5 * MINUTE)]]);

	tracker.adopt({ polls: 9, targets, delivered });

	expect(tracker.claim('applicant', 'a', NOON)).toBe(false);
	expect(tracker.progress).toMatchObject({ polls: 9, targets });
});
