import { describe, expect, it } from '@jest/globals';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import {
	readProgress,
	writeProgress,
} from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import type { TargetProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import {
	clientMark,
	missedSpan,
	nextWindow,
	notAhead,
	startProgress,
	takeIn,
} from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import type { TimeWindow } from '../../../../../service/leads/windows';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { at, ids, lead, LOOK_BACK, NOON, polledUpTo } from '../../../../lab/polling/progress';
import fc from '../../../../lab/properties';

/** The last window of a long gap: with the keys of the time before it, the keys of a month would be kept. */
const LAST = LOOK_BACK + 3 * MINUTE;

describe('the mark of a client', () => {
	it('is not its id, and is the same each time', () => {
		expect(clientMark('client')).toMatch(/^[\w-]{12}$/);
		expect(clientMark('client')).toBe(clientMark('client'));
		expect(clientMark('client')).not.toBe(clientMark('client2'));
	});
});

describe('a new target', () => {
	it('starts at the second', () => {
		const start = NOON + 59_000;

		const progress = { client: 'c', watermark: start, since: start, start, seen: new Map() };

		expect(startProgress('c', NOON + 59_999)).toEqual(progress);
	});

	it('takes a time in minutes for any moment of that minute', () => {
		const window = { from: NOON - LOOK_BACK, to: NOON + MINUTE };
		const inMinutes = { id: 'in minutes', createdAt: '2026-06-30T12:00Z' };
		const leads = [inMinutes, lead('to the second', NOON + SECOND)];

		const fresh = (start: number) =>
			ids(takeIn(startProgress('c', start), window, leads, LOOK_BACK).fresh);

		expect(fresh(NOON + 2 * SECOND)).toEqual(['in minutes']);
		expect(fresh(NOON + MINUTE)).toEqual([]);
	});

	it('reaches back before its start, and delivers nothing from there', () => {
		const progress = startProgress('c', NOON);

		const window = nextWindow(progress, at(NOON + MINUTE), LOOK_BACK, true);

		expect(window).toEqual({ from: NOON - LOOK_BACK, to: NOON + MINUTE });

		const before = lead('before', NOON - 1_000);

		const { progress: next, fresh } = takeIn(
			progress,
			{ from: NOON - LOOK_BACK, to: NOON + MINUTE },
			[before, lead('at', NOON)],
			LOOK_BACK,
		);

		expect(ids(fresh)).toEqual(['at']);
		expect([...next.seen.keys()]).toEqual(['before', 'at']);
		expect(next.since).toBeUndefined();
	});

	it('delivers what appears later, although it was submitted before', () => {
		const window = { from: NOON - LOOK_BACK, to: NOON };
		const before = [lead('a', NOON - 1_000)];

		const { progress: next, fresh } = takeIn(startProgress('c', NOON), window, before, LOOK_BACK);

		expect(fresh).toEqual([]);

		const later = [...before, lead('b', NOON - 1_000), lead('c', NOON)];

		expect(ids(takeIn(next, window, later, LOOK_BACK).fresh)).toEqual(['b', 'c']);
	});
});

describe('the window of a poll', () => {
	it('reaches back first, and leaves nothing out then', () => {
		const progress = polledUpTo(NOON);
		const now = NOON + 5 * MINUTE + 999;

		const to = NOON + 5 * MINUTE;

		expect(nextWindow(progress, at(now), LOOK_BACK, true)).toEqual({ from: NOON - HOUR, to });

		const second = nextWindow(progress, at(now), LOOK_BACK, false);

		expect(second?.to).toBe(to);
		expect(second?.from).toBeLessThanOrEqual(NOON);
	});

	it('is asked once in every poll, and again only where more than seconds are left', () => {
		const progress = polledUpTo(NOON);

		expect(nextWindow(progress, at(NOON), LOOK_BACK, true)).toEqual({
			from: NOON - HOUR,
			to: NOON,
		});
		expect(nextWindow(progress, at(NOON + 5_999), LOOK_BACK, false)).toBeUndefined();
		expect(nextWindow(progress, at(NOON + 6_000), LOOK_BACK, false)).toBeDefined();
	});

	it('is a single one up to six hours late', () => {
		const late = NOON + 6 * HOUR;

		expect(nextWindow(polledUpTo(NOON), at(late), LOOK_BACK, true)?.to).toBe(late);
		expect(nextWindow(polledUpTo(NOON), at(late + SECOND), LOOK_BACK, true)?.to).toBe(
			late + SECOND - LAST,
		);
	});

	it('is a single one up to the look-back late, where that is longer', () => {
		const progress = polledUpTo(NOON, { seenFrom: NOON - DAY });

		const late = NOON + 20 * HOUR;

		expect(nextWindow(progress, at(late), DAY, true)).toEqual({
			from: late - 20 * HOUR - DAY,
			to: late,
		});
	});

	it('is a day after a longer gap, then weeks, and at last one a little longer than the look-back', () => {
		const now = NOON + 10 * DAY;

		expect(windowsOf(polledUpTo(NOON), now)).toEqual([
			{ from: NOON - HOUR, to: NOON + DAY },
			{ from: NOON + DAY, to: NOON + 8 * DAY },
			{ from: NOON + 8 * DAY, to: now - LAST },
			{ from: now - LAST, to: now },
		]);
	});

	it.each([
		['in one poll', (progress: TargetProgress) => progress],
		['in several polls, with the keys by the minute in between', stored],
	])(
		'leaves none of the keys of a long gap behind, but those of the last window, %s',
		(_, next) => {
			const now = NOON + 29 * DAY + 30 * SECOND;
			const hourly = Array.from(
				{ length: 29 * 24 },
				(_, hours) => NOON + hours * HOUR + 2 * MINUTE,
			);
			const leadsIn = ({ from, to }: TimeWindow) =>
				hourly.filter((time) => time >= from && time <= to).map((time) => lead(`${time}`, time));

			const { seen } = windowsOf(polledUpTo(NOON), now).reduce(
				(progress, window) => next(takeIn(progress, window, leadsIn(window), LOOK_BACK).progress),
				polledUpTo(NOON),
			);

			expect([...seen.keys()]).toEqual([String(hourly.at(-1))]);
		},
	);

	it('never reaches further back than the service keeps leads', () => {
		const now = NOON + 40 * DAY;

		const windows = windowsOf(polledUpTo(NOON), now);

		expect(windows[0]?.from).toBe(now - 30 * DAY);
		expect(windows).toHaveLength(7);

		const recent = polledUpTo(now - 30 * DAY + MINUTE);

		expect(nextWindow(recent, at(now), LOOK_BACK, true)?.from).toBe(now - 30 * DAY);
	});

	it('grows as time goes on where the look-back was made longer', () => {
		const progress = polledUpTo(NOON);

		const from = (now: number, isFirstWindow = true) =>
			nextWindow(progress, at(now), 3 * HOUR, isFirstWindow)?.from;

		expect(from(NOON + MINUTE)).toBe(NOON - HOUR);

		const later = polledUpTo(NOON + 5 * HOUR, { seenFrom: NOON - HOUR });

		expect(nextWindow(later, at(NOON + 5 * HOUR), 3 * HOUR, true)?.from).toBe(NOON + 2 * HOUR);
	});

	it('shrinks at once where the look-back was made shorter', () => {
		const window = nextWindow(polledUpTo(NOON), at(NOON + MINUTE), 5 * MINUTE, true);

		expect(window?.from).toBe(NOON - 5 * MINUTE);
	});

	it('is no window from the future where the clock went back', () => {
		const window = nextWindow(polledUpTo(NOON), at(NOON - 10 * MINUTE), LOOK_BACK, true);

		expect(window).toEqual({ from: NOON - HOUR, to: NOON - 10 * MINUTE });
	});

	it('reaches back where the keys are of a future that a wrong clock made up', () => {
		const progress = polledUpTo(NOON, { seenFrom: NOON + 3 * HOUR });

		const from = (isFirstWindow: boolean) =>
			nextWindow(progress, at(NOON + MINUTE), LOOK_BACK, isFirstWindow)?.from;

		expect(from(true)).toBe(NOON - HOUR);
		expect(from(false)).toBe(NOON);
	});

	it('is in whole seconds, touches the one before and ends at the service’s time', () => {
		const times = fc.record({
			watermark: fc.integer({ min: NOON / SECOND - 45 * 86_400, max: NOON / SECOND }),
			lookBackMs: fc.integer({ min: 1, max: 3_000 }).map((minutes) => minutes * MINUTE),
			now: fc.integer({ min: NOON, max: NOON + DAY }),
		});
		fc.assert(
			fc.property(times, ({ watermark, lookBackMs, now }) => {
				const start = watermark * SECOND;
				const progress = polledUpTo(start, { seenFrom: start - lookBackMs });
				const windows = windowsOf(progress, now, lookBackMs);
				const to = Math.floor(now / SECOND) * SECOND;
				expect(windows[0]?.from).toBe(Math.max(start - lookBackMs, to - 30 * DAY));
				expect(windows.at(-1)?.to).toBe(to);
				for (const [index, window] of windows.entries()) {
					expect(window.from % SECOND || window.to % SECOND).toBe(0);
					expect(window.to).toBeGreaterThanOrEqual(window.from);
					if (index > 0) expect(window.from).toBeLessThanOrEqual(windows[index - 1]?.to ?? 0);
				}
				expect(windows.length).toBeLessThanOrEqual(8);
				if (windows.length > 1) {
					const last = windows.at(-1) ?? { from: 0, to: 0 };
					const most = Math.max(lookBackMs + LAST - LOOK_BACK, 6 * HOUR);
					expect(last.to - last.from).toBeLessThanOrEqual(most);
				}
			}),
		);
	});
});

/** All windows of a poll that meets no leads. */
function windowsOf(progress: TargetProgress, now: number, lookBackMs = LOOK_BACK) {
	const windows = [];
	let current = progress;
	for (let isFirstWindow = true; windows.length < 100; isFirstWindow = false) {
		const window = nextWindow(current, at(now), lookBackMs, isFirstWindow);
		if (!window) break;
		windows.push(window);
		const { progress: next } = takeIn(current, window, [], lookBackMs);
		if (next.watermark === current.watermark) break;
		current = next;
	}
	return windows;
}

describe('the watermark', () => {
	const window = { from: NOON - HOUR, to: NOON + MINUTE };
	const after = (progress: TargetProgress, askedAt?: number, leads = [lead('x', NOON + DAY)]) =>
		takeIn(progress, window, leads, LOOK_BACK, askedAt).progress.watermark;

	it('follows the clock and not the leads', () => {
		expect(after(polledUpTo(NOON))).toBe(NOON + MINUTE);
		expect(after(polledUpTo(NOON), undefined, [])).toBe(NOON + MINUTE);
	});

	it('is no later than when the service was asked, in whole seconds', () => {
		expect(after(polledUpTo(NOON), NOON + 30_999)).toBe(NOON + 30_000);
		expect(after(polledUpTo(NOON), NOON + HOUR)).toBe(NOON + MINUTE);
	});

	it('does not go back for an answer that was slow', () => {
		expect(after(polledUpTo(NOON), NOON - 30 * SECOND)).toBe(NOON);
	});

	const told = (now: number) => ({ now, isTold: true });
	const untold = (now: number, completeFrom?: number) => ({ now, isTold: false, completeFrom });

	it('goes back by minutes where the service has several clocks', () => {
		const ahead = polledUpTo(NOON + 10 * MINUTE);

		const put = notAhead(ahead, told(NOON + MINUTE + 999));

		expect(put).toEqual({ ...ahead, watermark: NOON + MINUTE });

		const jittery = polledUpTo(NOON + 5 * SECOND);

		expect(notAhead(jittery, told(NOON))).toBe(jittery);
		expect(notAhead(jittery, untold(NOON))).toBe(jittery);
	});

	it('goes back from a future that a wrong clock made up, to where nothing can be left out', () => {
		const made = polledUpTo(NOON + 3 * DAY, { start: NOON - 9 * DAY });

		const put = (progress: TargetProgress, completeFrom?: number) => {
			const { watermark, seenFrom, start } = notAhead(progress, untold(NOON, completeFrom));
			expect(seenFrom).toBe(watermark);
			expect(start).toBeLessThanOrEqual(watermark);
			return watermark;
		};

		expect(put(made)).toBe(NOON - 9 * DAY);
		expect(notAhead(made, told(NOON)).watermark).toBe(NOON - 9 * DAY);
		expect(put({ ...made, start: NOON - 90 * DAY })).toBe(NOON - 30 * DAY);
		expect(put(made, NOON - DAY)).toBe(NOON - DAY);
		expect(put(made, NOON + DAY)).toBe(NOON);
		expect(put({ ...made, start: NOON + 3 * DAY })).toBe(NOON - DAY);
	});

	it('goes back with the keys that are complete from further back', () => {
		const start = NOON - 10 * MINUTE;
		const ahead = polledUpTo(NOON + 6 * SECOND, { start, seenFrom: NOON - HOUR });

		const back = notAhead(ahead, untold(NOON));

		expect(back).toEqual({ ...ahead, watermark: start });
	});

	it('goes back with a start that nothing was asked from yet', () => {
		const start = startProgress('c', NOON + 3 * DAY);

		expect(notAhead(start, untold(NOON)).since).toBe(NOON - DAY);
	});

	it('stays where only the host’s clock went back, as the service tells', () => {
		expect(after(polledUpTo(NOON + 10 * MINUTE), NOON + 11 * MINUTE)).toBe(NOON + 10 * MINUTE);
	});
});

describe('what the service no longer keeps', () => {
	it('is a span once the last poll is more than 30 days ago', () => {
		const progress = polledUpTo(NOON);

		expect(missedSpan(progress, NOON + 30 * DAY)).toBeUndefined();
		expect(missedSpan(progress, NOON + 31 * DAY)).toEqual({ from: NOON, to: NOON + DAY });
	});

	it('is none before a target has begun', () => {
		expect(missedSpan(startProgress('c', NOON), NOON + 31 * DAY)).toBeUndefined();
	});

	it('stays with the target until somebody was told', () => {
		const missed = { from: NOON - DAY, to: NOON };
		const window = { from: NOON - HOUR, to: NOON };

		const { progress } = takeIn({ ...polledUpTo(NOON), missed }, window, [], LOOK_BACK);

		expect(progress.missed).toEqual(missed);
	});
});

/** The progress as the next poll reads it, once n8n has stored it. */
function stored(progress: TargetProgress): TargetProgress {
	const data = {};
	const targets = new Map([['applicant', progress]]);
	writeProgress(data, { polls: 1, targets, delivered: new DeliveredLeads() });
	return readProgress(data).targets.get('applicant') ?? progress;
}
