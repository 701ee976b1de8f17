import { randomInt } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { useModelTime } from '../../../lab/polling/modelTime';
import { playRuns } from '../../../lab/polling/runs/playRuns';
import { anyRunSchedule, RUN_HOSTS } from '../../../lab/polling/runs/runSchedules';

/** How many times as many schedules as usual, and the seed that a run before has printed. */
const { TRIGGER_RUNS = '1', TRIGGER_SEED } = process.env;
const RUNS = 100 * Number(TRIGGER_RUNS);

useModelTime();

describe.each(RUN_HOSTS)('on a host that $name', ({ name, host }) => {
	it(
		'each lead has its runs, in any schedule',
		async () => {
			const seed = TRIGGER_SEED === undefined ? randomInt(2 ** 31) : Number(TRIGGER_SEED);
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
