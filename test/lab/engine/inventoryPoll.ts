import { jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { AgentInventoryTrigger } from '../../../nodes/AgentInventoryTrigger/AgentInventoryTrigger.node';
import type { InventoryBench } from './inventory';
import type { HostOptions, PollingTrigger } from './triggerHost';
import { TriggerHost } from './triggerHost';

/** Agent Inventory Trigger in a workflow. */
export class InventoryHost extends TriggerHost {
	constructor(
		bench: Pick<InventoryBench, 'credentials'>,
		parameters: INodeParameters = {},
		options: HostOptions = {},
	) {
		const usual = {
			events: ['created', 'statusChanged', 'priceChanged'],
			filters: {},
			startFrom: 'activation',
			runs: 'onePerPoll',
			simplify: true,
			options: {},
		};
		super(bench, INVENTORY_TRIGGER, { ...usual, ...parameters }, options);
	}
}

const INVENTORY_TRIGGER = {
	name: 'Agent Inventory Trigger',
	create: () => new AgentInventoryTrigger(),
};

/** A trigger in a process of its own, which knows what is stored and nothing else. */
export async function triggerOfNewProcess(): Promise<PollingTrigger> {
	jest.resetModules();
	// n8n's own classes stay, so that its engine knows the errors that the node throws.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	const { AgentInventoryTrigger: Trigger } =
		await import('../../../nodes/AgentInventoryTrigger/AgentInventoryTrigger.node');
	jest.dontMock('n8n-workflow');
	return new Trigger();
}
