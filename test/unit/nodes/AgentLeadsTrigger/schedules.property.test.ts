import { randomInt } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { HostedTrigger, HOSTS } from '../../../lab/polling/hostedTrigger';
import type { ModelService } from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import { play } from '../../../lab/polling/play';
import type { TriggerUnderTest } from '../../../lab/polling/pureTrigger';
import { PureTrigger } from '../../../lab/polling/pureTrigger';
import { anySchedule, KNOWN_SCHEDULES } from '../../../lab/polling/schedules';

/** How many times as many schedules as usual, and the seed that a run before has printed. */
const { TRIGGER_RUNS = '1', TRIGGER_SEED } = process.env;
const TIMES = Number(TRIGGER_RUNS);

/** So that a counterexample can be made small on a busy machine. */
const PATIENCE = 240_000 * TIMES;

useModelTime();

describe('every lead that comes within the look-back is delivered once, none from before', () => {
	describe.each<[string, (service: ModelService) => TriggerUnderTest, number]>([
		['its targets alone, always stored', (service) => new PureTrigger(service, true), 1_500],
		['its targets alone, stored with leads', (service) => new PureTrigger(service, false), 1_500],
		...HOSTS.map(({ name, kind }) => {
			const on = (service: ModelService) => new HostedTrigger(service, kind);
			return [`the trigger in a host that ${name}`, on, 150] as [string, typeof on, number];
		}),
	])('by %s', (name, triggerOn, numRuns) => {
		it(
			'in any schedule',
			async () => {
				const seed = TRIGGER_SEED === undefined ? randomInt(2 ** 31) : Number(TRIGGER_SEED);
				const runs = numRuns * TIMES;
				process.stdout.write(`schedules of ${name}: TRIGGER_SEED=${seed}, ${runs} runs\n`);
				let promised = 0;
				const property = fc.asyncProperty(anySchedule, async (schedule) => {
					promised += await play(schedule, triggerOn);
				});

				await fc.assert(property, { numRuns: runs, seed });

				expect(promised).toBeGreaterThan(runs);
			},
			PATIENCE,
		);

		it.each(Object.entries(KNOWN_SCHEDULES))('with %s', async (_name, schedule) => {
			await play(schedule, triggerOn);
		});
	});
});
