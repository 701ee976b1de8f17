import { describe, expect, it } from '@jest/globals';

import { HandOver } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import type { RunHost } from '../../../../../nodes/AgentLeadsTrigger/runs/runner';
import type { RunOutcome } from '../../../../../nodes/common/runs/runOutcome';
import { Runner } from '../../../../../nodes/AgentLeadsTrigger/runs/runner';
import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/target/deliveredLeads';
import { settled } from '../../../../lab/polling/runsHost';

const NOW = Date.UTC(2026, 5, 30, 12);

/** Where the runs of a process are carried out, as far as it can tell from the end of one. */
async function learnt(outcome: RunOutcome, isElsewhere: boolean): Promise<boolean | undefined> {
	const runs = { started: new Map(), isElsewhere };
	const handOver = new HandOver(
		{ polls: 0, targets: new Map(), delivered: new DeliveredLeads(), runs },
		{ runAgain: 1, now: () => NOW, random: () => 0 },
	);
	handOver.add({ lead: {}, key: 'a', leadType: 'applicant', time: NOW });
	const host: RunHost = {
		start: async () => await Promise.resolve(outcome),
		store: async () => await Promise.resolve(),
		isOpen: () => true,
		noteEnd: () => {},
		seal: async () => await Promise.resolve(),
	};
	await new Runner(handOver).work(host);
	await settled();
	return handOver.progress.runs?.isElsewhere;
}

describe('whether other processes carry out the runs', () => {
	it.each([
		['a queue worker has carried out one', { end: 'succeeded', isElsewhere: true }, false, true],
		['this process has', { end: 'succeeded', isElsewhere: false }, true, false],
		// n8n does not always say who carried out a run that failed.
		['one has failed', { end: 'failed' }, true, true],
	] as const)('is known once %s', async (_when, outcome, before, after) => {
		expect(await learnt(outcome, before)).toBe(after);
	});
});
