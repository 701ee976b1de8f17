import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { seedOf } from '../../../lab/seeds';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { RunStep } from '../../../lab/polling/inventory/playRuns';
import { playRuns } from '../../../lab/polling/inventory/playRuns';

const FACTOR = Number(process.env.TRIGGER_RUNS ?? 1);
const RUNS = 500 * FACTOR;

useModelTime();

const change = fc.record({
	do: fc.constant('change' as const),
	property: fc.nat(2),
	price: fc.integer({ min: 1, max: 3 }),
});

const step: fc.Arbitrary<RunStep> = fc.oneof(
	{ weight: 6, arbitrary: change },
	...(['poll', 'poll', 'start', 'start', 'end', 'publish', 'kill', 'killAtStart'] as const).map(
		(name) => fc.constant({ do: name }),
	),
	fc.record({ do: fc.constant('pass' as const), minutes: fc.nat(300) }),
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
				delivered += await playRuns(steps, (time) => jest.setSystemTime(time));
			},
		);

		await fc.assert(property, { numRuns: RUNS, seed });

		process.stdout.write(`${delivered} changes delivered, none lost or doubled\n`);
		expect(delivered).toBeGreaterThan(RUNS * 3);
	},
	600_000 * FACTOR,
);
