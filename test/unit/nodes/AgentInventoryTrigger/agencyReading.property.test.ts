import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { useModelTime } from '../../../lab/polling/modelTime';
import type { History, HistoryStep } from '../../../lab/polling/inventory/playInventory';
import { playInventory } from '../../../lab/polling/inventory/playInventory';
import type { Mishap, ModelChange } from '../../../lab/polling/inventory/propertiesModel';
import { LONGEST_LAG } from '../../../lab/polling/inventory/propertiesModel';
import { seedOf } from '../../../lab/seeds';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const FACTOR = Number(process.env.TRIGGER_RUNS ?? 1);
const RUNS = 300 * FACTOR;

useModelTime();

const price = fc.constantFrom(null, 250_000, 300_000, 325_000, 1_250.5);
const status = fc.constantFrom('Available', 'UnderOffer', 'Withdrawn', 'Taken, by; us');
const values = fc.record({ price, status, archived: fc.boolean(), bedrooms: fc.nat(2) });
const lag = fc.oneof(fc.constant(0), fc.constant(0), fc.nat(30_000), fc.nat(LONGEST_LAG));

const change: fc.Arbitrary<ModelChange> = fc.record({
	property: fc.nat(30),
	values: fc.oneof(
		fc.record({ price }),
		fc.record({ status }),
		fc.record({ archived: fc.boolean() }),
		fc.record({ bedrooms: fc.nat(2) }),
		values,
	),
	listLagMs: lag,
	readLagMs: lag,
});

const mishaps: fc.Arbitrary<Array<[number, Mishap]>> = fc.array(
	fc.tuple(fc.nat(12), fc.constantFrom<Mishap[]>('busy', 'busy', 'crash')),
	{ maxLength: 3 },
);

const step: fc.Arbitrary<HistoryStep> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('pass' as const),
			ms: fc.oneof(fc.nat(900), fc.nat(3 * MINUTE), fc.nat(2 * DAY)),
		}),
	},
	{ weight: 8, arbitrary: fc.record({ do: fc.constant('change' as const), change }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('create' as const), values, lagMs: lag }) },
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant('meanwhile' as const),
			changes: fc.array(change, { minLength: 1, maxLength: 12 }),
		}),
	},
	{
		weight: 9,
		arbitrary: fc.record({
			do: fc.constant('poll' as const),
			mishaps: fc.oneof(fc.constant<Array<[number, Mishap]>>([]), mishaps),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('trouble' as const),
			property: fc.nat(30),
			how: fc.constantFrom('missing' as const, 'unavailable' as const, undefined),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ do: fc.constant('kill' as const) }) },
);

const ago = fc.oneof(
	fc.nat(2 * MINUTE),
	fc.nat(90 * MINUTE),
	fc.nat(3_000 * DAY),
	fc.constant(5 * DAY),
);

const history: fc.Arbitrary<History> = fc.record({
	runs: fc.constant('onePerPoll' as const),
	manner: fc.record({
		pageSize: fc.constantFrom(2, 4, 250),
		order: fc.constantFrom('id', 'oldest', 'newest'),
		unit: fc.constantFrom(1, 1_000),
		leavesUnmodified: fc.boolean(),
		leavesUncreated: fc.boolean(),
	}),
	storesQuiet: fc.boolean(),
	startFrom: fc.constantFrom('activation', 'lookBack'),
	first: fc.array(fc.record({ values, agoMs: ago }), { maxLength: 30 }),
	steps: fc.array(step, { maxLength: 40 }),
});

it(
	'each lasting change is delivered once and in order, in any history',
	async () => {
		const seed = seedOf('TRIGGER');
		process.stdout.write(`histories of properties: TRIGGER_SEED=${seed}, ${RUNS} runs\n`);
		let delivered = 0;
		const property = fc.asyncProperty(history, async (given) => {
			delivered += await playInventory(given, (time) => jest.setSystemTime(time));
		});

		await fc.assert(property, { numRuns: RUNS, seed });

		expect(delivered).toBeGreaterThan(RUNS);
	},
	600_000 * FACTOR,
);
