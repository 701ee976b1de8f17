import { describe, expect, it } from '@jest/globals';

import { HOSTS } from '../../../lab/polling/hostedTrigger';
import { DAY, HOUR, MINUTE } from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { World } from '../../../lab/polling/world';
import { BOTH_TYPES, everything, refuses, worldOn } from '../../../lab/polling/world';

useModelTime();

describe.each(HOSTS)('the trigger in a host that $name', ({ kind }) => {
	const world = async (given: World = {}) => await worldOn(kind, given);

	describe('and clocks that differ', () => {
		it.each([20 * MINUTE, 3 * HOUR, 3 * DAY, 20 * DAY])(
			'loses nothing while the host is %d ms ahead, nor when it is put right',
			async (skew) => {
				const { service, activate, arrive, pollFor } = await world({ skew });
				arrive();
				service.pass(10 * MINUTE);

				expect(await activate()).toEqual([]);

				const leads = [arrive()];
				expect(await pollFor(3 * HOUR)).toEqual(leads);

				service.setSkew(0);
				const next = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([next]);
			},
		);

		it.each([20 * MINUTE, 3 * HOUR, 3 * DAY, 20 * DAY])(
			'loses nothing while the host is %d ms behind, nor when it is put right',
			async (ms) => {
				const { service, activate, arrive, pollFor } = await world({ skew: -ms });
				arrive();
				service.pass(10 * MINUTE);

				expect(await activate()).toEqual([]);

				const lead = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([lead]);

				service.setSkew(0);
				const next = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([next]);
			},
		);

		it.each([3 * HOUR, 3 * DAY, 29 * DAY])(
			'loses nothing when it starts %d ms ahead, two days after its last poll',
			async (skew) => {
				const { service, trigger, activate, arrive, tick, pollFor } = await world();
				await activate();
				const first = arrive();
				service.pass(MINUTE);

				expect(await tick()).toEqual([first]);

				const away = [arrive({ inMs: HOUR }), arrive({ inMs: 30 * HOUR })];
				service.pass(2 * DAY);
				service.setSkew(skew);
				await trigger.restart();
				const delivered = (await activate()) ?? [];

				delivered.push(...(await pollFor(10 * MINUTE)));

				expect(delivered).toEqual(away);
			},
		);

		it.each(['last24Hours', 'last30Days'] as const)(
			'starts from %s by the clock of the service',
			async (startFrom) => {
				const { service, activate, arrive, pollFor } = await world({ startFrom, skew: 3 * DAY });
				const leads = [arrive()];
				service.pass(23 * HOUR);
				leads.push(arrive());
				service.pass(10 * MINUTE);
				const delivered = (await activate()) ?? [];

				delivered.push(...(await pollFor(10 * MINUTE)));

				expect(delivered).toEqual(leads);
			},
		);

		it.each([20 * HOUR, 3 * DAY, -20 * HOUR])(
			'starts from the last 24 hours of the service, though it was busy at first and the host is off by %d ms',
			async (skew) => {
				const given = { startFrom: 'last24Hours' as const, targets: BOTH_TYPES, skew };
				const { service, activate, arrive, pollFor } = await world(given);
				const leads = [arrive(), arrive({ leadType: 'appraisal' })];
				service.pass(12 * HOUR);
				leads.push(arrive());
				const delivered = (await activate(refuses(everything))) ?? [];

				delivered.push(...(await pollFor(10 * MINUTE)));

				expect(delivered.sort()).toEqual(leads.sort());
			},
		);

		it.each([
			['without a Date', false, 5 * HOUR],
			['without a Date', false, 3 * DAY],
			['beyond belief', true, 40 * DAY],
		])(
			'delivers all of a time in which the host was ahead, %s, once it is put right',
			async (_name, hasDate, skew) => {
				const { service, activate, arrive, pollFor } = await world({ hasDate });
				await activate();
				const before = arrive();

				expect(await pollFor(HOUR)).toEqual([before]);

				service.setSkew(skew);
				const meanwhile: unknown[] = [];
				const delivered: string[] = [];
				for (let hour = 0; hour < 4; hour++) {
					meanwhile.push(arrive());
					delivered.push(...(await pollFor(HOUR)));
				}
				service.setSkew(0);

				delivered.push(...(await pollFor(3 * HOUR)));

				expect(delivered).toEqual(meanwhile);
			},
		);

		it('delivers all since an activation on a host that was days ahead, without a Date', async () => {
			const { service, activate, arrive, pollFor } = await world({ hasDate: false, skew: 3 * DAY });
			service.pass(2 * DAY);
			await activate();
			const lead = arrive();
			await pollFor(5 * HOUR);
			service.setSkew(0);

			expect(await pollFor(HOUR)).toEqual([lead]);
		});

		it.each([
			[16 * MINUTE, '16 minutes ahead of'],
			[-3 * DAY, '4320 minutes behind'],
			[40 * DAY, '57600 minutes ahead of'],
		])('says in the log once an hour that they do: %d ms', async (skew, words) => {
			const { trigger, activate, pollFor } = await world({ skew });
			await activate();

			await pollFor(59 * MINUTE);

			expect(trigger.log).toEqual([
				`The clock of the machine that n8n runs on is ${words} the service’s. Check it: one of the two is wrong.`,
			]);

			await pollFor(2 * MINUTE);

			expect(trigger.log).toHaveLength(2);
		});

		it('says nothing of minutes', async () => {
			const { trigger, activate, pollFor } = await world({ skew: 14 * MINUTE });
			await activate();

			await pollFor(HOUR);

			expect(trigger.log).toEqual([]);
		});
	});
});
