import { describe, expect, it } from '@jest/globals';

import {
	afterAnswer,
	dueWindow,
	firstProgress,
	isFromBefore,
} from '../../../../nodes/AgentLeadsTrigger/targetProgress';
import { DAY, HOUR, MINUTE, SECOND } from '../../../lab/times';

const NOW = Date.parse('2026-06-30T12:01:00.400Z');
const WHOLE = Date.parse('2026-06-30T12:01:00Z');

describe('the first answer for a target', () => {
	it.each([
		['2026-06-30T11:01:00Z', HOUR, false],
		['2026-06-30T11:01:01Z', HOUR, false],
		['2026-06-30T11:00:59Z', HOUR, true],
		// Without seconds it may be of any second of its minute.
		['2026-06-30T11:00Z', HOUR, true],
		['2026-06-30T11:00Z', HOUR + SECOND, false],
		[undefined, HOUR, true],
		[undefined, DAY, false],
	])(
		'has a lead of %s for the last %d ms, which is too old: %s',
		(createdAt, reachMs, isBefore) => {
			expect(isFromBefore({ createdAt }, NOW, reachMs)).toBe(isBefore);
		},
	);

	it.each([
		[HOUR, { watermark: WHOLE, start: WHOLE - DAY }],
		[DAY, { watermark: WHOLE - DAY, start: WHOLE - DAY }],
		[3 * DAY, { watermark: WHOLE - 3 * DAY, start: WHOLE - 3 * DAY }],
	])('leaves to later ones what is left of the last %d ms', (reachMs, progress) => {
		expect(firstProgress(NOW, reachMs)).toEqual(progress);
	});
});

describe('the next period, in seconds after the watermark', () => {
	it.each([
		['the first one looks back', DAY, MINUTE, HOUR, [-HOUR, MINUTE]],
		['in whole minutes', DAY, MINUTE, HOUR - 59 * SECOND, [-HOUR, MINUTE]],
		['but not beyond the start', HOUR, MINUTE, DAY, [-HOUR, MINUTE]],
		['and reaches a day on', DAY, 9 * DAY, HOUR, [-HOUR, DAY]],
		['from this machine’s time if its clock was set back', DAY, -HOUR, HOUR, [-2 * HOUR, 0]],
		['a later one reaches a week on', DAY, 9 * DAY, undefined, [0, 7 * DAY]],
		['and leaves five seconds to the next poll', DAY, 5 * SECOND, undefined, undefined],
		['but no more', DAY, 6 * SECOND, undefined, [0, 6 * SECOND]],
	])('%s', (_, sinceStart, nowMs, lookBackMs, expected) => {
		const progress = { watermark: WHOLE, start: WHOLE - sinceStart };

		const window = dueWindow(progress, WHOLE + nowMs + 400, lookBackMs);

		expect(window && [window.from - WHOLE, window.to - WHOLE]).toEqual(expected);
	});
});

it.each([
	['the end of the period', HOUR, DAY, HOUR],
	['the service’s time if that is earlier', HOUR, MINUTE + 400, MINUTE],
	['no earlier time than before', HOUR, -MINUTE, 0],
])('after an answer the watermark is %s', (_, to, askedAt, reached) => {
	const progress = { watermark: WHOLE, start: WHOLE - DAY };

	const next = afterAnswer(progress, { from: WHOLE, to: WHOLE + to }, WHOLE + askedAt);

	expect(next).toEqual({ watermark: WHOLE + reached, start: WHOLE - DAY });
});
