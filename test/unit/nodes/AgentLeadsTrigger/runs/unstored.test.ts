import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { LeadToRun } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import { HandOver } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import type { RunHost } from '../../../../../nodes/common/runs/runner';
import { Runner } from '../../../../../nodes/common/runs/runner';
import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import { RunsHost, settled } from '../../../../lab/polling/runsHost';
import { MINUTE } from '../../../../lab/polling/leadsModel';

const NOW = Date.UTC(2026, 5, 30, 12);

const NOTHING = { polls: 0, targets: new Map(), delivered: new DeliveredLeads() };

let host: RunsHost | undefined;

const lead = (id: string) => ({ id, createdAt: new Date(Date.now() - MINUTE).toISOString() });

const idsOf = (items: Awaited<ReturnType<RunsHost['tick']>>) =>
	items?.[0]?.map(({ json }) => json.id);

beforeEach(() => {
	jest.restoreAllMocks();
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(async () => {
	await host?.unpublish();
});

describe('a lead whose run n8n could not store', () => {
	it('is delivered all the same when the person chooses one run for each poll', async () => {
		host = new RunsHost();
		host.leads = [lead('a'), lead('b')];
		host.failure = new Error('The database is locked');
		await host.publish();
		expect(host.emitted).toBe(2);

		host.settings = { runs: 'onePerPoll' };
		const items = await host.publish();

		expect(idsOf(items)).toEqual(['a', 'b']);
	});
});

describe('a lead whose plan could not be stored', () => {
	it('has not been started: if n8n knows its key later, another process has', async () => {
		let now = NOW;
		const terms = { runAgain: 1, now: () => now, random: () => 0 };
		const handOver = new HandOver(NOTHING, terms);
		handOver.add({ lead: {}, key: 'a', leadType: 'applicant', time: NOW });
		const runner = new Runner(handOver.queue);
		const polled: RunHost<LeadToRun> = {
			start: async () => await Promise.resolve({ end: 'refused' }),
			store: jest.fn(async () => await Promise.resolve()).mockRejectedValueOnce(new Error('No')),
			isOpen: () => true,
			noteEnd: () => {},
			seal: async () => await Promise.resolve(),
		};

		await runner.work(polled);
		now += 2 * MINUTE;
		await runner.work(polled);
		await settled();

		expect(handOver.queue.waitingCount).toBe(0);
		expect(handOver.progress.delivered.recall('applicant', 'a', now)).toBe(true);
	});
});
