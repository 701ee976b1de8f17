import { describe, expect, it } from '@jest/globals';

import { daySlices } from '../../../../service/leads/window';
import fc from '../../../lab/properties';

const DAY = 86_400_000;
const second = fc.integer({ min: 1_700_000_000, max: 1_800_000_000 }).map((s) => s * 1_000);
const length = fc.integer({ min: 0, max: 40 * 86_400 }).map((s) => s * 1_000);

describe('day slices', () => {
	it('cover the window from its end to its start, at most a day each, and touch', () => {
		fc.assert(
			fc.property(second, length, (from, span) => {
				const slices = daySlices({ from, to: from + span });
				expect(slices[0]?.to).toBe(from + span);
				expect(slices.at(-1)?.from).toBe(from);
				for (const [index, slice] of slices.entries()) {
					expect(slice.to - slice.from).toBeLessThanOrEqual(DAY);
					if (index > 0) expect(slice.to).toBe(slices[index - 1]?.from);
				}
			}),
			{ verbose: 1 },
		);
	});

	it('are no more than the days need', () => {
		expect(daySlices({ from: 0, to: 0 })).toEqual([{ from: 0, to: 0 }]);
		expect(daySlices({ from: 0, to: DAY })).toHaveLength(1);
		expect(daySlices({ from: 0, to: DAY + 1_000 })).toHaveLength(2);
		expect(daySlices({ from: 0, to: 30 * DAY })).toHaveLength(30);
	});

	it('are none where the window ends before it starts', () => {
		expect(daySlices({ from: 1_000, to: 0 })).toEqual([]);
	});
});
