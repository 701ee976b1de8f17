import { describe, expect, it, jest } from '@jest/globals';

import { ChangeHistory, changePlan } from '../../../lab/engine/changeHistory';
import { CHANGES_HOSTS } from '../../../lab/engine/changesBench';
import { playHistories, TIMES } from '../../../lab/engine/history';
import { InventoryBench } from '../../../lab/engine/inventory';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const bench = useBenchInVirtualTime(InventoryBench);

describe.each(CHANGES_HOSTS)('on %s', (host, options) => {
	it.each(['onePerPoll', 'onePerChange'] as const)(
		'%s: each lasting change comes once and in order, in any history',
		async (runs) => {
			let delivered = 0;
			await playHistories(`changes, ${runs}, on ${host}`, changePlan, 12, bench, async (plan) => {
				const history = new ChangeHistory(bench, plan, runs, options);
				await history.begin();
				await history.play(plan.steps);
				delivered += history.count;
			});

			expect(delivered).toBeGreaterThan(24 * TIMES);
		},
		600_000 * TIMES,
	);
});
