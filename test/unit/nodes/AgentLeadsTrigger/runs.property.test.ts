import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { useModelTime } from '../../../lab/polling/modelTime';
import { playRuns } from '../../../lab/polling/runs/playRuns';
import { anyRunSchedule, RUN_HOSTS } from '../../../lab/polling/runs/runSchedules';
import { seedOf } from '../../../lab/seeds';

/** How many times as many schedules as usual. */
const { TRIGGER_RUNS = '1' } = process.env;
const RUNS = 50 * Number(TRIGGER_RUNS);

useModelTime();

describe.each(RUN_HOSTS)('on a host that $name', ({ name, host }) => {
	it(
		'each lead has its runs, in any schedule',
		async () => {
			const seed = seedOf('TRIGGER');
			process.stdout.write(`runs on a host that ${name}: TRIGGER_SEED=${seed}, ${RUNS} runs\n`);
			let leads = 0;
			const property = fc.asyncProperty(anyRunSchedule, async (schedule) => {
				leads += await playRuns(schedule, host);
			});

			await fc.assert(property, { numRuns: RUNS, seed });

			expect(leads).toBeGreaterThan(RUNS);
		},
		240_000 * Number(TRIGGER_RUNS),
	);
});
