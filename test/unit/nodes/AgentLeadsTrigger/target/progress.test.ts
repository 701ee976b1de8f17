import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { FreshLead, Scope } from '../../../../../nodes/AgentLeadsTrigger/target/progress';
import {
	clientMark,
	missedSpan,
	nextWindow,
	notAhead,
	scopeKey,
	startScope,
	takeIn,
} from '../../../../../nodes/AgentLeadsTrigger/target/progress';
import { leadKey } from '../../../../../service/leads/lead';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';

const NOON = Date.UTC(2026, 5, 30, 12);
const LOOK_BACK = HOUR;

/** A scope that was polled up to a time with the usual look-back. */
function polledUpTo(watermark: number, more: Partial<Scope> = {}): Scope {
	const seenFrom = watermark - LOOK_BACK;
	return { client: 'c', watermark, start: seenFrom, seenFrom, seen: new Map(), ...more };
}

function lead(id: string, time: number) {
	return { id, createdAt: `${new Date(time).toISOString().slice(0, 19)}Z` };
}

/** What both clocks say. */
const at = (now: number) => ({ earliest: now, latest: now });

const ids = (fresh: FreshLead[]) => fresh.map(({ lead: { id } }) => id);

describe('the name of a scope', () => {
	it('is legible', () => {
		expect(scopeKey('applicant')).toBe('applicant');
		expect(scopeKey('appraisal', { by: 'branch', id: '10234' })).toBe('appraisal · branch 10234');
	});

	it('has a mark of the client that is not its id, and is the same each time', () => {
		expect(clientMark('client')).toMatch(/^[\w-]{12}$/);
		expect(clientMark('client')).toBe(clientMark('client'));
		expect(clientMark('client')).not.toBe(clientMark('client2'));
	});
});

describe('a new scope', () => {
	it('starts at the second', () => {
		const start = NOON + 59_000;
		const scope = { client: 'c', watermark: start, since: start, start, seen: new Map() };
		expect(startScope('c', NOON + 59_999)).toEqual(scope);
	});

	it('takes a time in minutes for any moment of that minute', () => {
		const window = { from: NOON - LOOK_BACK, to: NOON + MINUTE };
		const inMinutes = { id: 'in minutes', createdAt: '2026-06-30T12:00Z' };
		const leads = [inMinutes, lead('to the second', NOON + SECOND)];
		const fresh = (start: number) =>
			ids(takeIn(startScope('c', start), window, leads, LOOK_BACK).fresh);
		expect(fresh(NOON + 2 * SECOND)).toEqual(['in minutes']);
		expect(fresh(NOON + MINUTE)).toEqual([]);
	});

	it('reaches back before its start, and delivers nothing from there', () => {
		const scope = startScope('c', NOON);
		const window = nextWindow(scope, at(NOON + MINUTE), LOOK_BACK, true);
		expect(window).toEqual({ from: NOON - LOOK_BACK, to: NOON + MINUTE });
		const before = lead('before', NOON - 1_000);
		const { scope: next, fresh } = takeIn(
			scope,
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
		const { scope: next, fresh } = takeIn(startScope('c', NOON), window, before, LOOK_BACK);
		expect(fresh).toEqual([]);
		const later = [...before, lead('b', NOON - 1_000), lead('c', NOON)];
		expect(ids(takeIn(next, window, later, LOOK_BACK).fresh)).toEqual(['b', 'c']);
	});
});

describe('the window of a poll', () => {
	it('reaches back first, and leaves nothing out then', () => {
		const scope = polledUpTo(NOON);
		const now = NOON + 5 * MINUTE + 999;
		const to = NOON + 5 * MINUTE;
		expect(nextWindow(scope, at(now), LOOK_BACK, true)).toEqual({ from: NOON - HOUR, to });
		const second = nextWindow(scope, at(now), LOOK_BACK, false);
		expect(second?.to).toBe(to);
		expect(second?.from).toBeLessThanOrEqual(NOON);
	});

	it('is asked once in every poll, and again only where more than seconds are left', () => {
		const scope = polledUpTo(NOON);
		expect(nextWindow(scope, at(NOON), LOOK_BACK, true)).toEqual({ from: NOON - HOUR, to: NOON });
		expect(nextWindow(scope, at(NOON + 5_999), LOOK_BACK, false)).toBeUndefined();
		expect(nextWindow(scope, at(NOON + 6_000), LOOK_BACK, false)).toBeDefined();
	});

	it('is a single one up to six hours late', () => {
		const late = NOON + 6 * HOUR;
		expect(nextWindow(polledUpTo(NOON), at(late), LOOK_BACK, true)?.to).toBe(late);
		expect(nextWindow(polledUpTo(NOON), at(late + SECOND), LOOK_BACK, true)?.to).toBe(
			late + SECOND - LOOK_BACK,
		);
	});

	it('is a single one up to the look-back late, where that is longer', () => {
		const scope = polledUpTo(NOON, { seenFrom: NOON - DAY });
		const late = NOON + 20 * HOUR;
		expect(nextWindow(scope, at(late), DAY, true)).toEqual({
			from: late - 20 * HOUR - DAY,
			to: late,
		});
	});

	it('goes day by day after a longer gap, and ends with one as long as the look-back', () => {
		const now = NOON + 2.5 * DAY;
		expect(windowsOf(polledUpTo(NOON), now)).toEqual([
			{ from: NOON - HOUR, to: NOON + 12 * HOUR },
			{ from: NOON + 12 * HOUR, to: NOON + 36 * HOUR },
			{ from: NOON + 36 * HOUR, to: now - HOUR },
			{ from: now - HOUR, to: now },
		]);
	});

	it('never reaches further back than the service keeps leads', () => {
		const now = NOON + 40 * DAY;
		const windows = windowsOf(polledUpTo(NOON), now);
		expect(windows[0]?.from).toBe(now - 30 * DAY);
		expect(windows).toHaveLength(32);
		const recent = polledUpTo(now - 30 * DAY + MINUTE);
		expect(nextWindow(recent, at(now), LOOK_BACK, true)?.from).toBe(now - 30 * DAY);
	});

	it('grows as time goes on where the look-back was made longer', () => {
		const scope = polledUpTo(NOON);
		const from = (now: number, isFirst = true) =>
			nextWindow(scope, at(now), 3 * HOUR, isFirst)?.from;
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
		const scope = polledUpTo(NOON, { seenFrom: NOON + 3 * HOUR });
		const from = (isFirst: boolean) =>
			nextWindow(scope, at(NOON + MINUTE), LOOK_BACK, isFirst)?.from;
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
				const scope = polledUpTo(start, { seenFrom: start - lookBackMs });
				const windows = windowsOf(scope, now, lookBackMs);
				const to = Math.floor(now / SECOND) * SECOND;
				expect(windows[0]?.from).toBe(Math.max(start - lookBackMs, to - 30 * DAY));
				expect(windows.at(-1)?.to).toBe(to);
				for (const [index, window] of windows.entries()) {
					expect(window.from % SECOND || window.to % SECOND).toBe(0);
					expect(window.to).toBeGreaterThanOrEqual(window.from);
					if (index > 0) expect(window.from).toBeLessThanOrEqual(windows[index - 1]?.to ?? 0);
					if (index > 0)
						expect(window.to - window.from).toBeLessThanOrEqual(Math.max(DAY, lookBackMs));
				}
				if (windows.length > 1) {
					const last = windows.at(-1) ?? { from: 0, to: 0 };
					expect(last.to - last.from).toBeLessThanOrEqual(Math.max(lookBackMs, 6 * HOUR));
				}
			}),
		);
	});
});

/** All windows of a poll that meets no leads. */
function windowsOf(scope: Scope, now: number, lookBackMs = LOOK_BACK) {
	const windows = [];
	let current = scope;
	for (let isFirst = true; windows.length < 100; isFirst = false) {
		const window = nextWindow(current, at(now), lookBackMs, isFirst);
		if (!window) break;
		windows.push(window);
		const { scope: next } = takeIn(current, window, [], lookBackMs);
		if (next.watermark === current.watermark) break;
		current = next;
	}
	return windows;
}

describe('the watermark', () => {
	const window = { from: NOON - HOUR, to: NOON + MINUTE };
	const after = (scope: Scope, askedAt?: number, leads = [lead('x', NOON + DAY)]) =>
		takeIn(scope, window, leads, LOOK_BACK, askedAt).scope.watermark;

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
		const put = (scope: Scope, completeFrom?: number) => {
			const { watermark, seenFrom, start } = notAhead(scope, untold(NOON, completeFrom));
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

	it('goes back with a start that nothing was asked from yet', () => {
		const start = startScope('c', NOON + 3 * DAY);
		expect(notAhead(start, untold(NOON)).since).toBe(NOON - DAY);
	});

	it('stays where only the host’s clock went back, as the service tells', () => {
		expect(after(polledUpTo(NOON + 10 * MINUTE), NOON + 11 * MINUTE)).toBe(NOON + 10 * MINUTE);
	});
});

describe('the keys of leads', () => {
	const window = { from: NOON - HOUR, to: NOON };
	const take = (leads: Parameters<typeof takeIn>[2], scope = polledUpTo(NOON - MINUTE)) =>
		takeIn(scope, window, leads, LOOK_BACK);
	const keyOf = (given: Parameters<typeof leadKey>[0]) => take([given]).fresh[0]?.key;

	it('are the ids, and a hash where an id is long or missing', () => {
		expect(keyOf({ id: 'a-1' })).toBe('a-1');
		expect(keyOf({ id: 17 })).toBe('17');
		expect(keyOf({ id: 'x'.repeat(64) })).toBe('x'.repeat(64));
		expect(keyOf({ id: 'x'.repeat(65) })).toMatch(/^#[\w-]{22}$/);
		expect(keyOf({ id: 'x'.repeat(65) })).not.toBe(keyOf({ id: 'x'.repeat(66) }));
		expect(keyOf({ id: 'two\nlines' })).toBe('two\nlines');
		expect(keyOf({ id: '', message: 'a' })).toMatch(/^#[\w-]{22}$/);
		expect(keyOf({ message: 'a' })).not.toBe(keyOf({ message: 'b' }));
	});

	it('of content do not depend on the order of fields, but on that of lists', () => {
		const a = {
			message: 'm',
			contact: { firstName: 'A', preferences: { method: 'p', time: 't' } },
		};
		const b = {
			contact: { preferences: { time: 't', method: 'p' }, firstName: 'A' },
			message: 'm',
		};
		expect(leadKey(a)).toBe(leadKey(b));
		expect(keyOf(a)).toBe(keyOf(b));
		expect(leadKey({ times: [1, 2] })).not.toBe(leadKey({ times: [2, 1] }));
		expect(leadKey({ a: [{ x: 1, y: 2 }] })).toBe(leadKey({ a: [{ y: 2, x: 1 }] }));
	});

	it('of content do not depend on the order of fields, whatever the content', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (content) => {
				const lead = JSON.parse(JSON.stringify({ ...content, id: '' })) as typeof content;
				const turned = JSON.parse(JSON.stringify(lead), turnedAround) as typeof content;
				expect(leadKey(turned as Parameters<typeof leadKey>[0])).toBe(leadKey(lead));
			}),
		);
	});

	it('let a lead through once, within an answer as well', () => {
		const twice = take([lead('a', NOON), lead('a', NOON), lead('b', NOON)]);
		expect(ids(twice.fresh)).toEqual(['a', 'b']);
		expect(take([lead('a', NOON), lead('c', NOON)], twice.scope).fresh).toHaveLength(1);
	});

	it('are kept as long as a window may bring the lead up, and two minutes more', () => {
		const from = NOON - HOUR;
		const at = (time: number): [string, number] => [String(time - from), time];
		const seen = new Map([at(from - 2 * MINUTE - 1), at(from - 2 * MINUTE), at(from), at(NOON)]);
		const { scope } = takeIn({ ...polledUpTo(NOON - MINUTE), seen }, window, [], LOOK_BACK);
		expect(scope.seenFrom).toBe(from);
		expect([...scope.seen.keys()]).toEqual(['-120000', '0', '3600000']);
	});

	it('are known again in the very answer after which they are given up', () => {
		const old: [string, number] = ['old', NOON - 3 * HOUR];
		const scope = { ...polledUpTo(NOON - 2 * HOUR), seen: new Map([old]) };
		const wide = { from: NOON - 3 * HOUR, to: NOON };
		expect(takeIn(scope, wide, [lead('old', NOON - 3 * HOUR)], LOOK_BACK).fresh).toEqual([]);
	});

	it.each([
		['from before the window', lead('x', NOON - 5 * DAY)],
		['from after it', lead('x', NOON + 5 * DAY)],
		['without a time', { id: 'x', createdAt: '0001-01-01T00:00Z' }],
		['with a time that nobody can read', { id: 'x', createdAt: 'yesterday' }],
		['of the window', lead('x', NOON)],
	])('are kept for as long as the service brings up a lead %s', (_name, given) => {
		let scope = polledUpTo(NOON - MINUTE);
		const fresh: unknown[] = [];
		for (let minute = 0; minute < 24 * 60; minute += 20) {
			const to = NOON + minute * MINUTE;
			const taken = takeIn(scope, { from: to - LOOK_BACK, to }, [given], LOOK_BACK);
			scope = taken.scope;
			fresh.push(...ids(taken.fresh));
		}
		expect(fresh).toEqual(['x']);
		const gone = NOON + DAY + 2 * LOOK_BACK;
		const { seen } = takeIn(scope, { from: gone - LOOK_BACK, to: gone }, [], LOOK_BACK).scope;
		expect(seen.size).toBe(0);
	});

	it('of leads that come out of turn outlast an answer without them', () => {
		const stray = lead('x', NOON - 5 * DAY);
		let scope = take([stray]).scope;
		for (const leads of [[stray], [stray], [], [stray], [], [stray], []]) {
			const to = scope.watermark + 50 * MINUTE;
			const taken = takeIn(scope, { from: to - LOOK_BACK, to }, leads, LOOK_BACK);
			expect(taken.fresh).toEqual([]);
			scope = taken.scope;
		}
	});

	it('count as strays if their time is minutes from the window', () => {
		const strays = (...times: number[]) =>
			take([
				{ id: 'unset', createdAt: '0001-01-01T00:00Z' },
				...times.map((time) => lead(String(time), time)),
			]).strays;
		const edges = [window.from - 2 * MINUTE, window.from, NOON, NOON + 2 * MINUTE];
		expect(strays(...edges)).toBe(0);
		expect(strays(window.from - 2 * MINUTE - SECOND, NOON + 2 * MINUTE + SECOND)).toBe(2);
	});

	it('of leads without an ID do not mistake a text for one', () => {
		const ends = (message: string) => ({ id: '', message, consumerPostcode: 'AB1 2CD' });
		const keys = ['Paid:1', 'Not paid:1'].map((message) => keyOf(ends(message)));
		expect(new Set(keys).size).toBe(2);
		expect(keys[0]).toMatch(/^#/);
	});

	it('without a usable time are placed at the end of the window', () => {
		const { fresh } = take([
			{ id: 'unset', createdAt: '0001-01-01T00:00Z' },
			lead('future', NOON + DAY),
			lead('past', NOON - 3 * HOUR),
			lead('first', window.from),
		]);
		expect(fresh.map(({ time }) => time)).toEqual([NOON, NOON, NOON, window.from]);
	});
});

describe('what the service no longer keeps', () => {
	it('is a span once the last poll is more than 30 days ago', () => {
		const scope = polledUpTo(NOON);
		expect(missedSpan(scope, NOON + 30 * DAY)).toBeUndefined();
		expect(missedSpan(scope, NOON + 31 * DAY)).toEqual({ from: NOON, to: NOON + DAY });
	});

	it('is none before a scope has begun', () => {
		expect(missedSpan(startScope('c', NOON), NOON + 31 * DAY)).toBeUndefined();
	});

	it('stays with the scope until somebody was told', () => {
		const missed = { from: NOON - DAY, to: NOON };
		const window = { from: NOON - HOUR, to: NOON };
		const { scope } = takeIn({ ...polledUpTo(NOON), missed }, window, [], LOOK_BACK);
		expect(scope.missed).toEqual(missed);
	});
});

function turnedAround(_key: string, value: unknown): unknown {
	const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
	return isRecord ? Object.fromEntries(Object.entries(value).reverse()) : value;
}
