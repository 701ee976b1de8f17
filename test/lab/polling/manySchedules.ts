import { expect, it } from '@jest/globals';
import fc from 'fast-check';

import { seedOf } from '../seeds';
import type { ModelService } from './leadsModel';
import { play } from './play';
import type { HostedTrigger } from './hostedTrigger';
import { anySchedule, KNOWN_SCHEDULES } from './schedules';

/** How many times as many schedules as usual. */
const TIMES = Number(process.env.TRIGGER_RUNS ?? 1);

/** So that a counterexample can be made small on a busy machine. */
const PATIENCE_MS = 240_000 * TIMES;

/** Holds the promises in many random schedules, and in those that are rare to meet by chance. */
export function holdsInSchedules(
	name: string,
	triggerOn: (service: ModelService) => HostedTrigger,
	numRuns: number,
): void {
	it(
		'in any schedule',
		async () => {
			const seed = seedOf('TRIGGER');
			const runs = numRuns * TIMES;
			process.stdout.write(`schedules of ${name}: TRIGGER_SEED=${seed}, ${runs} runs\n`);
			let promised = 0;
			const property = fc.asyncProperty(anySchedule, async (schedule) => {
				promised += await play(schedule, triggerOn);
			});

			await fc.assert(property, { numRuns: runs, seed });

			expect(promised).toBeGreaterThan(runs);
		},
		PATIENCE_MS,
	);

	it.each(Object.entries(KNOWN_SCHEDULES))('with %s', async (_name, schedule) => {
		await play(schedule, triggerOn);
	});
}
