import { describe, expect, it } from '@jest/globals';

import { HOSTS } from '../../../lab/polling/hostedTrigger';
import type { Arrival } from '../../../lab/polling/leadsModel';
import { DAY, HOUR, MINUTE } from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { World } from '../../../lab/polling/world';
import { worldOn } from '../../../lab/polling/world';

useModelTime();

describe.each(HOSTS)('the trigger in a host that $name', ({ kind }) => {
	const world = async (given: World = {}) => await worldOn(kind, given);

	describe('and a service that ignores the times', () => {
		const history = (arrive: (more: Partial<Arrival>) => unknown) => {
			for (const form of ['seconds', 'minutes', 'unset'] as const) arrive({ form, count: 20 });
		};

		it('delivers nothing of its history, and each new lead once, for weeks', async () => {
			const { service, activate, arrive, pollFor } = await world({ manner: 'ignoring' });
			history(arrive);
			service.pass(5 * DAY);
			history(arrive);
			service.pass(5 * MINUTE);

			expect(await activate()).toEqual([]);

			service.pass(MINUTE);
			const fresh = [arrive(), arrive({ form: 'unset' }), arrive({ form: 'minutes' })];
			expect((await pollFor(40 * DAY, 7 * HOUR)).sort()).toEqual(fresh);
			expect(await pollFor(3 * HOUR, MINUTE)).toEqual([]);
		});

		it.each(['activation', 'last24Hours', 'last30Days'] as const)(
			'from %s delivers what was submitted since then, once',
			async (startFrom) => {
				const { service, activate, arrive, pollFor } = await world({
					manner: 'ignoring',
					startFrom,
				});
				const month = arrive();
				service.pass(20 * DAY);
				const day = arrive();
				service.pass(20 * HOUR);
				const delivered = (await activate()) ?? [];
				delivered.push(...(await pollFor(2 * DAY, HOUR)));

				const expected = { activation: [], last24Hours: [day], last30Days: [month, day] };

				expect(delivered).toEqual(expected[startFrom]);
			},
		);
	});

	it('delivers a lead that comes weeks after it was submitted, if the service goes by arrival', async () => {
		const { activate, arrive, pollFor } = await world({ manner: 'arrival' });
		await activate();
		const late = arrive({ lagMs: 20 * DAY });

		expect(await pollFor(3 * DAY, 10 * MINUTE)).toEqual([late]);
	});

	it('delivers leads once that come again from outside of the window now and then', async () => {
		const { activate, arrive, pollFor } = await world({ manner: 'straying' });
		await activate();
		const leads = Array.from({ length: 30 }, () => arrive({ form: 'seconds' }));

		expect((await pollFor(12 * DAY, 3 * HOUR)).sort()).toEqual(leads.sort());
	});
});
