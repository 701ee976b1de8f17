import { describe, expect, it } from '@jest/globals';

import { NOON } from '../../../../lab/polling/progress';
import { MINUTE } from '../../../../lab/polling/leadsModel';
import { handOverBench, NOTHING_STORED } from '../../../../lab/polling/runs/handOverBench';

/** What a process had under way that was killed. */
const leftBy = (attempt: number, isElsewhere = false) => ({
	...NOTHING_STORED,
	runs: { started: new Map([['applicant a', attempt]]), isElsewhere },
});

describe('after a process that was killed', () => {
	it('a lead goes on with the run that was under way', () => {
		const { poll, start, planned } = handOverBench({ runAgain: 3 }, leftBy(2));
		expect(planned()).toEqual({ 'applicant a': 2 });

		poll(['a', 'b']);

		expect(planned()).toEqual({ 'applicant a': 2 });
		expect(start()).toMatchObject([{ attempt: 2 }, { attempt: 1 }]);
	});

	it('a run that n8n knows was lost, and the next one is due', () => {
		const { clock, poll, start, startAll } = handOverBench({ runAgain: 3 }, leftBy(2));
		poll(['a']);

		startAll('refused');
		clock.now += 2 * MINUTE;

		expect(start()).toMatchObject([{ attempt: 3 }]);
	});

	it('a queue worker carries on the run that n8n knows', () => {
		const { handOver, poll, startAll } = handOverBench({ runAgain: 3 }, leftBy(2, true));
		poll(['a']);

		startAll('refused');

		expect(handOver.waitingCount).toBe(0);
		expect(handOver.progress.runs?.isElsewhere).toBe(true);
	});

	it('it is noted where runs are carried out', () => {
		const { handOver } = handOverBench({ runAgain: 1 });
		expect(handOver.progress.runs?.isElsewhere).toBeUndefined();

		handOver.noteElsewhere(true);

		expect(handOver.progress.runs?.isElsewhere).toBe(true);
	});

	it('a lead that had begun is kept when the workflow is published again', () => {
		const { handOver, poll } = handOverBench({ runAgain: 1 }, leftBy(1));
		poll(['a']);

		handOver.restart();

		expect(handOver.waitingCount).toBe(1);
	});

	it('what was under way is kept of the newest thousand leads: the service may never show them again', () => {
		const ids = Array.from({ length: 3_000 }, (_, index) => `applicant lead ${index}`);
		const runs = { started: new Map(ids.map((id) => [id, 1])) };
		const { poll, start, planned } = handOverBench({ runAgain: 1 }, { ...NOTHING_STORED, runs });

		poll(['new']);
		start();

		const known = Object.keys(planned());
		expect(known).toHaveLength(1_001);
		expect(known.slice(0, 2)).toEqual(['applicant new', 'applicant lead 0']);
	});

	it('what was under way is forgotten once the lead is known to have ended', () => {
		const stored = leftBy(1);
		const delivered = stored.delivered.copy();
		delivered.claim('applicant', 'a', NOON);
		const { handOver, planned } = handOverBench({ runAgain: 1 }, { ...stored, delivered });

		expect(handOver.claim('applicant', 'a', NOON)).toBe(false);

		expect(planned()).toEqual({});
	});
});
