import { expect, it, jest } from '@jest/globals';

import type { History } from '../../../../lab/polling/inventory/playHistory';
import { playHistory } from '../../../../lab/polling/inventory/playHistory';
import { useModelTime } from '../../../../lab/polling/modelTime';

useModelTime();

const values = { price: 250_000, status: 'Available', archived: false, bedrooms: 2 };
const change = (price: number) => ({
	do: 'change' as const,
	change: { property: 0, values: { price }, listLagMs: 0, readLagMs: 0 },
});
const poll = { do: 'poll' as const, mishaps: [] };

it('a second change within the same second, after the first was read, is found', async () => {
	const history: History = {
		manner: {
			pageSize: 250,
			order: 'id',
			unit: 1_000,
			leavesUnmodified: false,
			leavesUncreated: false,
		},
		storesQuiet: true,
		startFrom: 'activation',
		first: [{ values, agoMs: 86_400_000 }],
		steps: [{ do: 'pass', ms: 60_350 }, change(260_000), poll, change(270_000), poll],
	};

	expect(await playHistory(history, (time) => jest.setSystemTime(time))).toBe(2);
});
