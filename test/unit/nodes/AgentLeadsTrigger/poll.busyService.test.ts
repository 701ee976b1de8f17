import { describe, expect, it } from '@jest/globals';

import { HOSTS } from '../../../lab/polling/hostedTrigger';
import { MINUTE } from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { World } from '../../../lab/polling/world';
import { BOTH_TYPES, everything, refuses, worldOn } from '../../../lab/polling/world';

useModelTime();

describe.each(HOSTS)('the trigger in a host that $name', ({ kind }) => {
	const world = async (given: World = {}) => await worldOn(kind, given);

	describe('and a busy service', () => {
		it('leaves it alone for as long as it asks, if it is too busy for every target', async () => {
			const { service, activate, tick, arrive } = await world({ targets: BOTH_TYPES });
			await activate();
			const lead = arrive();
			service.pass(MINUTE);

			expect(await tick(refuses(everything, 429, 1_800))).toBeUndefined();
			for (let minute = 1; minute < 30; minute++) {
				service.pass(MINUTE);
				expect(await tick()).toEqual([]);
				expect(service.requests).toBe(0);
			}

			service.pass(MINUTE);
			expect(await tick()).toEqual([lead]);
		});

		it('is never silent while it waits: a line in the log each time, a report after 15 minutes', async () => {
			const { trigger, activate, tick, pollFor } = await world({ targets: BOTH_TYPES });
			await activate();
			await tick(refuses(everything, 429, 3_600));

			await pollFor(14 * MINUTE);

			expect(trigger.log).toHaveLength(14);
			expect(trigger.log[0]).toMatch(
				/^Applicant leads and 1 more: The service is busy: too many requests \(429\)\. It is not asked/,
			);
			expect(trigger.reports).toEqual([]);

			await pollFor(MINUTE);

			expect(trigger.reports).toEqual([
				'Applicant leads and 1 more: The service is busy: too many requests (429)',
			]);

			await pollFor(40 * MINUTE);

			expect(trigger.reports).toHaveLength(1);
		});

		it('reports a target that waits while the others go on', async () => {
			const { trigger, activate, tick, pollFor } = await world({ targets: BOTH_TYPES });
			await activate();
			await tick(refuses([0], 429, 3_600));

			await pollFor(20 * MINUTE);

			expect(trigger.reports).toEqual([
				'Applicant leads: The service is busy: too many requests (429)',
			]);
		});

		it.each([3_601, 1_800_000_000, 60_000_000])(
			'waits for an hour at most, if it asks for %d seconds',
			async (seconds) => {
				const { service, activate, tick, arrive } = await world();
				await activate();
				await tick(refuses([0], 429, seconds));
				const lead = arrive();
				service.pass(61 * MINUTE);

				expect(await tick()).toEqual([lead]);
			},
		);

		it('asks at once when the workflow is published again, and after a restart', async () => {
			const { service, trigger, activate, tick } = await world();
			await activate();
			await tick(refuses([0], 429, 3_600));
			service.pass(MINUTE);

			await activate();

			expect(service.requests).toBe(1);

			await tick(refuses([0], 429, 3_600));
			service.pass(MINUTE);

			await tick();

			expect(service.requests).toBe(0);

			await trigger.restart();

			await activate(refuses([0], 429, 3_600));

			expect(service.requests).toBe(1);

			service.pass(MINUTE);

			await tick();

			expect(service.requests).toBe(0);
		});

		it('does not wait for more than it asks for, without a Retry-After', async () => {
			const { service, activate, tick } = await world();
			await activate();
			service.pass(MINUTE);

			expect(await tick(refuses([0]))).toBeUndefined();

			service.pass(MINUTE);

			await tick();

			expect(service.requests).toBe(1);
		});
	});
});
