import { describe, expect, it } from '@jest/globals';

import { HostedTrigger, HOSTS } from '../../../lab/polling/hostedTrigger';
import type { Manner } from '../../../lab/polling/leadsModel';
import { HOUR, MINUTE, NO_TROUBLE, SECOND } from '../../../lab/polling/leadsModel';
import { useModelTime } from '../../../lab/polling/modelTime';
import type { World } from '../../../lab/polling/world';
import { worldOn } from '../../../lab/polling/world';

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
});
