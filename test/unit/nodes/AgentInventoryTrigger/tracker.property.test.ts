import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { seedOf } from '../../../lab/seeds';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { History, HistoryStep } from '../../../lab/polling/inventory/playInventory';
import { playInventory } from '../../../lab/polling/inventory/playInventory';

const FACTOR = Number(process.env.TRIGGER_RUNS ?? 1);
const RUNS = 500 * FACTOR;

useModelTime();

const MINUTE = 60_000;

const VALUES = { price: 1, status: 'Available', archived: false, bedrooms: 1 };

/** The service behaves, and has three properties. */
const HISTORY: Omit<History, 'steps'> = {
	...{ runs: 'onePerChange', storesQuiet: false, startFrom: 'activation' },
	manner: {
		...{ pageSize: 250, order: 'id', unit: 1_000 },
		...{ leavesUnmodified: true, leavesUncreated: false },
	},
	first: [50, 90, 5_000].map((minutes) => ({ values: VALUES, agoMs: minutes * MINUTE })),
};

const change = fc.record({
	property: fc.nat(2),
	values: fc.record({ price: fc.integer({ min: 1, max: 3 }) }),
	...{ listLagMs: fc.constant(0), readLagMs: fc.constant(0) },
});

const poll: HistoryStep = { do: 'poll', mishaps: [] };

const step: fc.Arbitrary<HistoryStep> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ do: fc.constant('change' as const), change }) },
	{ weight: 2, arbitrary: fc.constant(poll) },
	...(['start', 'start', 'end', 'publish', 'kill', 'killAtStart'] as const).map((name) =>
		fc.constant({ do: name }),
	),
	fc.record({
		do: fc.constant('pass' as const),
		ms: fc.nat(300).map((minutes) => minutes * MINUTE),
	}),
);

it(
	'each lasting change has one run with its previous values, with kills before and after each start',
	async () => {
		const seed = seedOf('TRIGGER');
		process.stdout.write(`runs of changes: TRIGGER_SEED=${seed}, ${RUNS} schedules\n`);
		let delivered = 0;
		const property = fc.asyncProperty(
			fc.array(step, { minLength: 20, maxLength: 80 }),
			async (steps) => {
				const history = { ...HISTORY, steps };
				delivered += await playInventory(history, (time) => jest.setSystemTime(time));
			},
		);

		await fc.assert(property, { numRuns: RUNS, seed });

		process.stdout.write(`${delivered} changes delivered, none lost or doubled\n`);
		expect(delivered).toBeGreaterThan(RUNS * 3);
	},
	600_000 * FACTOR,
);
