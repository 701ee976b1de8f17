import { describe, expect, it } from '@jest/globals';

import { NOON, polledUpTo } from '../../../../lab/polling/progress';
import { MINUTE } from '../../../../lab/polling/leadsModel';
import {
	handOverBench,
	keysOf,
	NOTHING_STORED,
	targetsUpTo,
} from '../../../../lab/polling/runs/handOverBench';

const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('leads on their way into runs', () => {
	it('are added once, until and after they have ended', () => {
		const { handOver, poll, startAll } = handOverBench();

		poll(['a', 'a']);

		expect(handOver.queue.waitingCount).toBe(1);
		expect(startAll('succeeded')).toEqual(['a']);
		expect(handOver.claim('applicant', 'a', NOON)).toBe(false);
		expect(handOver.claim('appraisal', 'a', NOON)).toBe(true);
		expect(handOver.queue.waitingCount).toBe(0);
	});

	it('are started five at a time, oldest first', () => {
		const { handOver, lead, poll, start } = handOverBench();
		handOver.add(lead('young', NOON + MINUTE));
		handOver.add(lead('old', NOON - MINUTE));
		poll(SIX);

		const started = start();

		expect(keysOf(started)).toEqual(['old', 'a', 'b', 'c', 'd']);
		expect(handOver.queue.next()).toBeUndefined();

		for (const runs of started.slice(0, 2)) handOver.queue.settle(runs, 'succeeded');

		expect(keysOf(start())).toEqual(['e', 'f']);
	});

	it('are not held up by a run that takes a minute', () => {
		const { clock, poll, start } = handOverBench();
		poll(SIX);
		start();

		clock.now += MINUTE - 1;
		expect(start()).toEqual([]);
		clock.now += 1;

		expect(keysOf(start())).toEqual(['f']);
	});

	it('say how long until the next one is due', () => {
		const { clock, handOver, poll, start } = handOverBench({ runAgain: 1 });
		expect(handOver.queue.waitMs).toBeUndefined();
		poll(['a', 'b']);
		expect(handOver.queue.waitMs).toBe(0);
		const [a] = start();
		expect(handOver.queue.waitMs).toBeUndefined();

		if (a) handOver.queue.settle(a, 'failed');
		expect(handOver.queue.waitMs).toBe(MINUTE);
		clock.now += 2 * MINUTE;

		expect(handOver.queue.waitMs).toBe(0);
	});

	it.each(['succeeded', 'stopped', 'taken', 'refused', 'failed'] as const)(
		'end if a run is %s and is not to be repeated',
		(end) => {
			const { handOver, poll, startAll, hasEnded } = handOverBench();
			poll(['a']);

			startAll(end);

			expect(handOver.queue.waitingCount).toBe(0);
			expect(hasEnded('a')).toBe(true);
			expect(handOver.queue.takeGivenUp()).toEqual([]);
		},
	);

	it.each(['succeeded', 'stopped', 'taken'] as const)(
		'are not run again after a run that is %s',
		(end) => {
			const { poll, startAll, hasEnded } = handOverBench({ runAgain: 5 });
			poll(['a']);

			startAll(end);

			expect(hasEnded('a')).toBe(true);
		},
	);
});

describe('a lead whose run fails', () => {
	it('is run again after pauses that double, and is told of once', () => {
		const { clock, handOver, poll, startAll, planned, hasEnded } = handOverBench({ runAgain: 2 });
		poll(['a']);

		expect(startAll('failed')).toEqual(['a']);
		expect(planned()).toEqual({ 'applicant a': 2 });
		for (const pause of [1, 2]) {
			clock.now += pause * MINUTE - 1;
			expect(startAll('failed')).toEqual([]);
			clock.now += 1;
			expect(startAll('failed')).toEqual(['a']);
		}

		expect(hasEnded('a')).toBe(true);
		expect(handOver.queue.takeGivenUp()).toMatchObject([{ task: { key: 'a' }, runs: 3 }]);
		expect(handOver.queue.takeGivenUp()).toEqual([]);
		expect(planned()).toEqual({});
	});

	it('is asked for again a minute after n8n could not store the run, as the same one', () => {
		const { clock, handOver, poll, start, startAll } = handOverBench({ runAgain: 1 });
		poll(['a']);
		startAll('unstored');

		clock.now += MINUTE - 1;
		expect(handOver.queue.next()).toBeUndefined();
		clock.now += 1;

		expect(start()).toMatchObject([{ attempt: 1 }]);
	});

	it('has failed if n8n refuses a run that it may have stored before', () => {
		const { clock, poll, start, startAll } = handOverBench({ runAgain: 1 });
		poll(['a']);
		startAll('unstored');
		clock.now += MINUTE;

		startAll('refused');
		clock.now += MINUTE;

		expect(start()).toMatchObject([{ attempt: 2 }]);
	});

	it('has not begun if its plan could not be stored, and is started a minute later', () => {
		const { clock, handOver, poll, start, planned } = handOverBench({ runAgain: 1 });
		poll(['a']);
		const [first] = start();
		if (!first) throw new Error('A lead was found');

		handOver.queue.postpone(first);

		expect(planned()).toEqual({});
		expect(handOver.queue.waitMs).toBe(MINUTE);
		clock.now += MINUTE;
		expect(start()).toMatchObject([{ attempt: 1, isInherited: false, unstored: 0 }]);
	});

	it('does not count its next run as one that may be stored', () => {
		const { clock, poll, startAll, hasEnded } = handOverBench({ runAgain: 5 });
		poll(['a']);
		startAll('unstored');
		clock.now += MINUTE;
		startAll('failed');
		clock.now += MINUTE;

		startAll('refused');

		expect(hasEnded('a')).toBe(true);
	});
});

describe('what may be stored', () => {
	it('passes no lead that has not ended, whatever the order in which they end', () => {
		const { clock, handOver, poll, start, watermark } = handOverBench();
		poll(['a', 'b']);
		clock.now += MINUTE;
		poll(['c']);
		const [a, b, c] = start();
		if (!a || !b || !c) throw new Error('Three leads were found');

		handOver.queue.settle(c, 'succeeded');
		handOver.queue.settle(b, 'succeeded');
		expect(watermark()).toBe(NOON);
		expect(handOver.progress).toMatchObject({ polls: 2 });
		expect(handOver.reached.get('applicant')?.watermark).toBe(NOON + MINUTE);
		handOver.queue.settle(a, 'succeeded');

		expect(watermark()).toBe(NOON + MINUTE);
	});

	it('goes as far as a poll without leads', () => {
		const { poll, watermark } = handOverBench();

		poll([], NOON + MINUTE);

		expect(watermark()).toBe(NOON + MINUTE);
	});

	it('names the runs that have begun, only if a lead is run again', () => {
		const { handOver, terms, poll, planned } = handOverBench({ runAgain: 1 });
		poll(['a', 'b']);
		expect(planned()).toEqual({});
		const first = handOver.queue.next();
		if (first) handOver.queue.noteStart(first);

		expect(planned()).toEqual({ 'applicant a': 1 });

		handOver.queue.terms = { ...terms, runAgain: 0 };
		expect(planned()).toEqual({});
	});

	it('names no run that was under way before a restart, once its lead is known to have ended', () => {
		const delivered = NOTHING_STORED.delivered.copy();
		delivered.claim('applicant', 'a', NOON);
		const runs = { started: new Map([['applicant a', 1]]) };
		const stored = { ...NOTHING_STORED, delivered, runs };
		const { handOver, planned } = handOverBench({ runAgain: 1 }, stored);

		expect(handOver.claim('applicant', 'a', NOON)).toBe(false);

		expect(planned()).toEqual({});
	});

	it('says where a target begins, even while leads of others go on', () => {
		const { clock, handOver, lead, poll, start } = handOverBench();
		poll(['a']);
		poll(['b']);
		const begun = polledUpTo(NOON);
		const reached = polledUpTo(NOON + MINUTE);
		handOver.add(lead('c'));
		handOver.notePoll(new Map([['new', reached]]), new Map([['new', begun]]));
		const stored = () => handOver.progress.targets.get('new');
		expect(stored()).toEqual(begun);

		const [a, b, c] = start();
		for (const each of [a, b]) if (each) handOver.queue.settle(each, 'succeeded');
		clock.now += MINUTE;
		handOver.notePoll(new Map([['new', reached]]), new Map([['new', reached]]));
		expect(stored()).toEqual(begun);
		if (c) handOver.queue.settle(c, 'succeeded');

		expect(stored()).toEqual(reached);
	});

	it('is what a process goes on from when it polls anew', () => {
		const { clock, handOver, poll, start, watermark } = handOverBench();
		poll(['a']);
		start();
		clock.now += MINUTE;
		poll(['b']);

		handOver.restart();

		expect(handOver.queue.waitingCount).toBe(0);
		expect(handOver.reached.get('applicant')?.watermark).toBe(watermark());
		expect(handOver.claim('applicant', 'b', clock.now)).toBe(true);
		expect(handOver.claim('applicant', 'a', clock.now)).toBe(false);
	});

	it('does not pass what is forgotten for a poll that comes anew', () => {
		const { handOver, poll, watermark } = handOverBench();
		poll(['a'], NOON + MINUTE);
		expect(watermark()).toBe(NOON);

		handOver.restart();
		poll(['a'], NOON + MINUTE);

		expect(watermark()).toBe(NOON);
	});

	it('takes in what another process has stored', () => {
		const other = handOverBench();
		other.poll(['a']);
		other.startAll('succeeded');
		other.poll([], NOON + MINUTE);
		const { handOver, poll, start, watermark, hasEnded } = handOverBench();
		poll(['b'], NOON + 5 * MINUTE);
		start();

		handOver.adopt(other.handOver.progress);

		expect(hasEnded('a')).toBe(true);
		expect(handOver.progress.polls).toBe(2);
		expect(handOver.reached).toEqual(targetsUpTo(NOON + MINUTE));
		expect(watermark()).toBe(NOON + MINUTE);
	});

	it('counts as delivered what has begun when leads no longer have runs of their own', () => {
		const { handOver, poll } = handOverBench();
		poll(['a', 'b']);
		const first = handOver.queue.next();
		if (first) handOver.queue.noteStart(first);

		const { delivered, runs } = handOver.leave();

		expect(delivered.recall('applicant', 'a', NOON)).toBe(true);
		expect(delivered.recall('applicant', 'b', NOON)).toBe(false);
		expect(runs).toBeUndefined();
	});
});
