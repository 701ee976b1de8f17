import { describe, expect, it, jest } from '@jest/globals';

import { playHistories, TIMES } from '../../../lab/engine/history';
import { LeadHistory, leadPlan } from '../../../lab/engine/leadHistory';
import { LeadsBench } from '../../../lab/engine/leads';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const bench = useBenchInVirtualTime(LeadsBench);

describe.each(TRIGGER_HOSTS)('on a host %s, each lead is delivered once', (host, options) => {
	it.each([
		['One per Poll', false],
		['One per Lead', true],
	] as const)(
		'%s: in any history',
		async (runs, perLead) => {
			let delivered = 0;
			await playHistories(`${runs} on a host ${host}`, leadPlan, 12, bench, async (plan) => {
				const history = new LeadHistory(bench, plan, perLead, options);
				await history.play(plan.steps);
				delivered += history.count;
			});

			expect(delivered).toBeGreaterThan(12 * TIMES);
		},
		600_000 * TIMES,
	);
});
