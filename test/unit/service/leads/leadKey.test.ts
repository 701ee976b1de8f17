import { describe, expect, it } from '@jest/globals';

import { leadKey } from '../../../../service/leads/leads';

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
