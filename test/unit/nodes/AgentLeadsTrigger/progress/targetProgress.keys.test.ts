import { describe, expect, it } from '@jest/globals';

import { takeIn } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { leadKey } from '../../../../../service/leads/leads';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { ids, lead, LOOK_BACK, NOON, polledUpTo } from '../../../../lab/polling/progress';
import fc from '../../../../lab/properties';

describe('the keys of leads', () => {
	const window = { from: NOON - HOUR, to: NOON };
	const take = (leads: Parameters<typeof takeIn>[2], progress = polledUpTo(NOON - MINUTE)) =>
		takeIn(progress, window, leads, LOOK_BACK);
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
		expect(take([lead('a', NOON), lead('c', NOON)], twice.progress).fresh).toHaveLength(1);
	});

	it('are kept as long as a window may bring the lead up, and two minutes more', () => {
		const from = NOON - HOUR;
		const at = (time: number): [string, number] => [String(time - from), time];
		const seen = new Map([at(from - 2 * MINUTE - 1), at(from - 2 * MINUTE), at(from), at(NOON)]);

		const { progress } = takeIn({ ...polledUpTo(NOON - MINUTE), seen }, window, [], LOOK_BACK);

		expect(progress.seenFrom).toBe(from);
		expect([...progress.seen.keys()]).toEqual(['-120000', '0', '3600000']);
	});

	it('are known again in the very answer after which they are given up', () => {
		const old: [string, number] = ['old', NOON - 3 * HOUR];
		const progress = { ...polledUpTo(NOON - 2 * HOUR), seen: new Map([old]) };

		const wide = { from: NOON - 3 * HOUR, to: NOON };

		expect(takeIn(progress, wide, [lead('old', NOON - 3 * HOUR)], LOOK_BACK).fresh).toEqual([]);
	});

	it.each([
		['from before the window', lead('x', NOON - 5 * DAY)],
		['from after it', lead('x', NOON + 5 * DAY)],
		['without a time', { id: 'x', createdAt: '0001-01-01T00:00Z' }],
		['with a time that nobody can read', { id: 'x', createdAt: 'yesterday' }],
		['of the window', lead('x', NOON)],
	])('are kept for as long as the service brings up a lead %s', (_name, given) => {
		let progress = polledUpTo(NOON - MINUTE);
		const fresh: unknown[] = [];

		for (let minute = 0; minute < 24 * 60; minute += 20) {
			const to = NOON + minute * MINUTE;
			const taken = takeIn(progress, { from: to - LOOK_BACK, to }, [given], LOOK_BACK);
			progress = taken.progress;
			fresh.push(...ids(taken.fresh));
		}

		expect(fresh).toEqual(['x']);

		const gone = NOON + DAY + 2 * LOOK_BACK;

		const { seen } = takeIn(progress, { from: gone - LOOK_BACK, to: gone }, [], LOOK_BACK).progress;

		expect(seen.size).toBe(0);
	});

	it('of leads that come out of turn outlast an answer without them', () => {
		const stray = lead('x', NOON - 5 * DAY);

		let progress = take([stray]).progress;

		for (const leads of [[stray], [stray], [], [stray], [], [stray], []]) {
			const to = progress.watermark + 50 * MINUTE;
			const taken = takeIn(progress, { from: to - LOOK_BACK, to }, leads, LOOK_BACK);
			expect(taken.fresh).toEqual([]);
			progress = taken.progress;
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

function turnedAround(_key: string, value: unknown): unknown {
	const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
	return isRecord ? Object.fromEntries(Object.entries(value).reverse()) : value;
}
