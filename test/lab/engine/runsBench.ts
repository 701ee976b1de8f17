import { beforeEach, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type { HostOptions } from './poll';
import type { PollHost } from './poll';
import { MINUTE, useTriggerBench } from './triggerBench';
import { alignClocks, useVirtualTime, withoutWaits } from './virtualTime';

/** A bench for triggers whose leads have runs of their own; no wait is long. */
export function useRunsBench() {
	const world = useTriggerBench();

	beforeEach(() => {
		useVirtualTime(world.bench.sandbox);
	});

	const hostOf = (options: HostOptions, parameters: INodeParameters = {}) =>
		world.host({ runs: 'onePerLead', ...parameters }, { startsTriggers: true, ...options });

	/** The workflow with a run for each lead, published. */
	const published = async (options: HostOptions, parameters: INodeParameters = {}) => {
		const trigger = hostOf(options, parameters);
		await trigger.activate();
		await settled();
		return trigger;
	};

	/** A minute passes, and n8n polls. */
	const poll = async (trigger: PollHost, ms = MINUTE) => {
		alignClocks();
		world.pass(ms);
		const items = await trigger.tick();
		await settled();
		return items;
	};

	/** The process is killed, and another one begins. */
	const killed = async (
		trigger: PollHost,
		parameters = trigger.parameters,
		startsTriggers = trigger.remains.startsTriggers,
	) => {
		jest.resetModules();
		jest.doMock('n8n-workflow', () => ({ ...n8nWorkflow, sleep: withoutWaits().sleep }));
		const { AgentLeadsTrigger } =
			await import('../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node');
		const node = new AgentLeadsTrigger();
		const next = world.host(parameters, { ...trigger.remains, startsTriggers, node });
		await next.activate();
		await settled();
		return next;
	};

	return Object.assign(world, { hostOf, published, poll, killed });
}

/** What goes on behind a poll has come as far as it can. */
async function settled(): Promise<void> {
	for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}
