import { describe, expect, it } from '@jest/globals';

import { leadKey, mayLieIn, submittedAt } from '../../../../service/leads/leads';

describe('when a lead was submitted', () => {
	it.each([
		['2022-06-07T17:32:10Z', Date.UTC(2022, 5, 7, 17, 32, 10)],
		['2022-06-07T17:32Z', Date.UTC(2022, 5, 7, 17, 32)],
		['0001-01-01T00:00Z', undefined],
		['0001-01-01T00:00:00Z', undefined],
		['0001-01-01T00:00:00.123Z', undefined],
		['0000-12-31T13:00:00-11:00', undefined],
		['0001-01-01T14:00:00+14:00', undefined],
		['', undefined],
		['yesterday', undefined],
		[undefined, undefined],
		[1_654_623_130, undefined],
	])('%s is %s', (createdAt, expected) => {
		expect(submittedAt({ createdAt })).toBe(expected);
	});
});

describe('a lead', () => {
	const [from, to] = [Date.UTC(2026, 5, 30, 9, 0, 30), Date.UTC(2026, 5, 30, 10)];

	it.each([
		['2026-06-30T09:00:29Z', false],
		['2026-06-30T09:00:30Z', true],
		['2026-06-30T09:00Z', true],
		['2026-06-30T08:59Z', false],
		['2026-06-30T10:00:00.9Z', true],
		['2026-06-30T10:00:01Z', false],
		['0001-01-01T00:00Z', true],
		[undefined, true],
	])('of %p may lie in a window: %p', (createdAt, isInside) => {
		expect(mayLieIn({ from, to }, { createdAt })).toBe(isInside);
	});
});

describe('what tells leads apart', () => {
	it('is the id, or the whole content without one', () => {
		expect(leadKey({ id: 'a', x: 1 })).toBe(leadKey({ id: 'a', x: 2 }));
		expect(leadKey({ id: 7 })).toBe(leadKey({ id: '7' }));
		expect(leadKey({ id: '', x: 1 })).not.toBe(leadKey({ id: '', x: 2 }));
		expect(leadKey({ x: 1 })).toBe(leadKey({ x: 1 }));
	});

	it.each([2 ** 53, 12_345_678_901_234_567_890, 1.5, NaN, true, null, {}])(
		'is the content for the ID %p, which may be that of two leads or of none',
		(id) => {
			expect(leadKey({ id, x: 1 })).not.toBe(leadKey({ id, x: 2 }));
			expect(leadKey({ id, x: 1 })).toBe(leadKey({ x: 1, id }));
		},
	);

	it('is a whole number up to the largest that is exact', () => {
		expect(leadKey({ id: 2 ** 53 - 1, x: 1 })).toBe(leadKey({ id: 2 ** 53 - 1, x: 2 }));
	});

	it('is the same content in whatever order it comes, unless a value differs', () => {
		const key = leadKey({ x: 1, y: { a: 2, b: [3, 4] } });

		expect(leadKey({ y: { b: [3, 4], a: 2 }, x: 1 })).toBe(key);
		expect(leadKey({ x: 1, y: { a: 2, b: [4, 3] } })).not.toBe(key);
	});

	it('fits into a database: the ID itself if it can be stored, else a hash', () => {
		expect([leadKey({ id: 'a:1 é' }), leadKey({ id: 7 })]).toEqual(['a:1 é', '7']);
		for (const id of ['x'.repeat(64), 'a\nb']) expect(leadKey({ id })).toBe(id);
		for (const id of ['x'.repeat(65), 'a\0', undefined]) {
			expect(leadKey({ id, note: 'id: 7' })).toMatch(/^#[\w-]{22}$/);
		}
	});
});
