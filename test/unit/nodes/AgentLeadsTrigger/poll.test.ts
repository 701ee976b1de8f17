import { describe, expect, it } from '@jest/globals';

import { HostedTrigger, HOSTS, targetOf } from '../../../lab/polling/hostedTrigger';
import type { Setup } from '../../../lab/polling/leadsLedger';
import type { Manner } from '../../../lab/polling/leadsModel';
import {
	A_LEAD,
	DAY,
	HOUR,
	MINUTE,
	ModelService,
	NO_TROUBLE,
	SECOND,
} from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { World } from '../../../lab/polling/world';
import { BOTH_BRANCHES, BOTH_TYPES, refuses, worldOn } from '../../../lab/polling/world';

useModelTime();

describe.each(HOSTS)('the trigger in a host that $name', ({ kind }) => {
	const world = async (given: World = {}) => await worldOn(kind, given);

	describe('and two main processes that take turns', () => {
		it.each([1, 2, 3, 4, 20])(
			'delivers once what came to the other one after %d quiet polls of this one',
			async (quiet) => {
				const { service, trigger, setup, activate, arrive, pollFor } = await world();
				const other = new HostedTrigger(service, kind);
				await activate();
				await pollFor(quiet * MINUTE);
				other.stored = trigger.stored;
				await other.activate(setup);
				service.pass(MINUTE);
				const lead = arrive();
				service.pass(MINUTE);
				service.beginPoll(NO_TROUBLE);

				expect(await other.tick(setup)).toMatchObject({ names: [lead] });

				service.pass(MINUTE);
				trigger.stored = other.stored;
				expect(await activate()).toEqual([]);
				expect(await pollFor(3 * MINUTE)).toEqual([]);

				const next = arrive();
				expect(await pollFor(3 * MINUTE)).toEqual([next]);
			},
		);
	});

	describe('and a lead that two IDs share', () => {
		const shared = { branches: ['101', '102'] };

		it('delivers it once, though one of them is asked only days later', async () => {
			const { activate, arrive, pollFor, tick, service } = await world({ targets: BOTH_BRANCHES });
			await activate();
			const lead = arrive(shared);
			service.pass(MINUTE);

			expect(await tick(refuses([1], 500))).toEqual([lead]);
			expect(await pollFor(3 * DAY, HOUR, refuses([1], 500))).toEqual([]);

			const other = arrive({ branches: ['102'] });
			expect(await pollFor(3 * HOUR)).toEqual([other]);
		});

		it.each(['last24Hours', 'last30Days'] as const)(
			'delivers it once, though one of them is added later and starts from %s',
			async (startFrom) => {
				const { setup, service, activate, arrive, pollFor } = await world({
					targets: BOTH_BRANCHES.slice(0, 1),
					startFrom,
				});
				await activate();
				const lead = arrive(shared);
				const other = arrive({ branches: ['102'] });

				expect(await pollFor(20 * HOUR, 10 * MINUTE)).toEqual([lead]);

				setup.targets = BOTH_BRANCHES;
				const delivered = (await activate()) ?? [];
				service.pass(MINUTE);

				delivered.push(...(await pollFor(2 * HOUR, 10 * MINUTE)));

				expect(delivered).toEqual([other]);
			},
		);

		it('delivers it even if the ID that knew it from before never did', async () => {
			const { setup, service, activate, arrive, pollFor } = await world({
				targets: BOTH_BRANCHES.slice(0, 1),
			});
			const lead = arrive(shared);
			service.pass(10 * MINUTE);
			await activate();

			expect(await pollFor(HOUR)).toEqual([]);

			Object.assign(setup, { targets: BOTH_BRANCHES, startFrom: 'last24Hours' });
			const delivered = (await activate()) ?? [];

			delivered.push(...(await pollFor(HOUR)));

			expect(delivered).toEqual([lead]);
		});
	});

	it.each<Manner>(['tame', 'arrival', 'ignoring'])(
		'delivers what comes between the click and the first poll, and nothing older (%s)',
		async (manner) => {
			const { service, activate, arrive, pollFor } = await world({ manner });
			arrive({ form: 'seconds', count: 3 });
			arrive({ form: 'minutes' });
			arrive({ form: 'unset' });
			arrive({ lagMs: 30 * MINUTE });
			service.pass(125 * SECOND);
			const between = [arrive({ form: 'minutes', isCut: true }), arrive()];
			service.pass(1_700);
			const delivered = (await activate()) ?? [];

			delivered.push(...(await pollFor(2 * HOUR)));

			expect(delivered.sort()).toEqual(between.sort());
		},
	);

	it('delivers what comes between the last poll and publishing again, though all was quiet', async () => {
		const { activate, arrive, pollFor, service } = await world();
		await activate();

		expect(await pollFor(3 * HOUR, HOUR)).toEqual([]);

		const lead = arrive();
		service.pass(50 * MINUTE);
		const delivered = (await activate()) ?? [];

		delivered.push(...(await pollFor(2 * HOUR, HOUR)));

		expect(delivered).toEqual([lead]);
	});

	const start = async (targets = [targetOf('applicant')]) => {
		const setup: Setup = { targets, lookBackMs: HOUR, startFrom: 'activation' };
		const service = new ModelService(true, 0, 1);
		const trigger = new HostedTrigger(service, kind);
		await trigger.restart();
		const tick = async (trouble = NO_TROUBLE) => {
			service.beginPoll(trouble);
			return (await trigger.tick(setup)).names;
		};
		await trigger.activate(setup);
		return { service, trigger, tick };
	};

	it('hands over what is oldest first, over all targets', async () => {
		const { service, tick } = await start(BOTH_TYPES);
		service.arrive(A_LEAD);
		service.arrive({ ...A_LEAD, leadType: 'appraisal', lagMs: 5 * SECOND });
		service.arrive({ ...A_LEAD, lagMs: 10 * SECOND });
		service.pass(MINUTE);

		expect(await tick()).toEqual(['lead 2', 'lead 1', 'lead 0']);
	});

	it('leaves a target that failed to the next poll', async () => {
		const { service, tick } = await start(BOTH_TYPES);
		service.arrive(A_LEAD);
		service.arrive({ ...A_LEAD, leadType: 'appraisal' });
		service.pass(MINUTE);
		const mishaps = [{ request: 0, mishap: 500 as const }];

		expect(await tick({ ...NO_TROUBLE, mishaps })).toHaveLength(1);
		expect(service.requests).toBe(2);
		expect(await tick()).toHaveLength(1);
	});

	it('asks once for a target in a quiet poll', async () => {
		const { service, tick } = await start();

		for (let quiet = 0; quiet < 3; quiet++) {
			service.pass(MINUTE);
			await tick();
			expect(service.requests).toBe(1);
		}
	});
});
