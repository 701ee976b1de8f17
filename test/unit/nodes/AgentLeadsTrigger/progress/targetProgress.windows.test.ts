import { describe, expect, it } from '@jest/globals';

import {
	isFrom,
	nextWindow,
	takeBaseline,
	takeIn,
	withoutMissed,
} from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { shortKeyOf } from '../../../../../service/leads/leads';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { at, lead, LOOK_BACK, NOON, polledUpTo } from '../../../../lab/polling/progress';

describe('whether a lead was submitted at a time or later', () => {
	it.each<[string, string | undefined, boolean]>([
		['the same second', '2026-06-30T12:00:01Z', true],
		['the second before', '2026-06-30T12:00:00.5Z', false],
		['its minute', '2026-06-30T12:00Z', true],
		['the minute before', '2026-06-30T11:59Z', false],
		['no time', undefined, false],
	])('is told by %s', (_name, createdAt, expected) => {
		expect(isFrom({ id: 'a', createdAt }, NOON + SECOND)).toBe(expected);
	});

	it('is told up to the last moment of its minute', () => {
		const inMinutes = { id: 'a', createdAt: '2026-06-30T12:00Z' };
		const ends = [NOON + MINUTE - 1, NOON + MINUTE].map((time) => isFrom(inMinutes, time));

		expect(ends).toEqual([true, false]);
	});
});

it('a window in a short gap ends before now if it may be no longer', () => {
	const window = nextWindow(polledUpTo(NOON - 2 * HOUR), at(NOON), LOOK_BACK, true, HOUR);

	expect(window).toEqual({ from: NOON - 3 * HOUR, to: NOON - HOUR });
});

it('a poll after one of several windows reaches back by the whole look-back', () => {
	const reached = NOON + 5 * MINUTE;

	const { progress } = takeIn(polledUpTo(NOON), { from: NOON, to: reached }, [], LOOK_BACK);

	const next = nextWindow(progress, at(reached), LOOK_BACK, true);
	expect(next).toEqual({ from: reached - LOOK_BACK, to: reached });
});

it('what makes a target’s past known leaves a lead from after the start to the next poll', () => {
	const window = { from: NOON - HOUR, to: NOON };
	const leads = [
		...[lead('before', NOON - MINUTE), lead('after', NOON + SECOND)],
		...[lead('soon', NOON + 2 * MINUTE - SECOND), lead('future', NOON + DAY)],
	];
	const terms = { start: NOON, now: NOON, lookBackMs: LOOK_BACK };

	const { seen } = takeBaseline(polledUpTo(NOON - DAY), window, leads, terms);

	const known = ['before', 'future'].map((id) => shortKeyOf(lead(id, NOON)));
	expect([...seen.keys()]).toEqual(known);
});

it('a span that somebody was told of is gone, and the rest of the progress is as it was', () => {
	const progress = polledUpTo(NOON);

	expect(withoutMissed({ ...progress, missed: { from: 0, to: 1 } })).toEqual(progress);
});
