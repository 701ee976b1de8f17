import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { HOSTS } from '../../../lab/polling/modelHost';
import { useModelTime } from '../../../lab/polling/modelTime';
import { play } from '../../../lab/polling/play';
import { anyPolls, anyRuns, KNOWN_SCHEDULES } from '../../../lab/polling/schedules';
import { seedOf } from '../../../lab/seeds';

/** How many times as many schedules as usual. */
const TIMES = Number(process.env.TRIGGER_RUNS ?? 1);

/** So that a counterexample can be made small on a busy machine. */
const PATIENCE_MS = 240_000 * TIMES;

useModelTime();

describe.each(HOSTS)('in a host that $name, each lead is delivered once', ({ name, kind }) => {
	it.each([
		['One per Poll', anyPolls, 75],
		['One per Lead', anyRuns, 50],
	] as const)(
		'%s: in any schedule',
		async (runs, schedules, usual) => {
			const seed = seedOf('TRIGGER');
			const numRuns = usual * TIMES;
			process.stdout.write(
				`${runs} in a host that ${name}: TRIGGER_SEED=${seed}, ${numRuns} runs\n`,
			);
			let promised = 0;
			const property = fc.asyncProperty(schedules, async (schedule) => {
				promised += await play(schedule, kind);
			});

			await fc.assert(property, { numRuns, seed });

			expect(promised).toBeGreaterThan(numRuns);
		},
		PATIENCE_MS,
	);

	it.each(Object.entries(KNOWN_SCHEDULES))('with %s', async (_name, schedule) => {
		await play(schedule, kind);
	});
});
