import type { INodeParameters } from 'n8n-workflow';

import { AgentInventoryTrigger } from '../../../nodes/AgentInventoryTrigger/AgentInventoryTrigger.node';
import type { InventoryBench } from './inventory';
import type { HostOptions } from './triggerHost';
import { TriggerHost } from './triggerHost';

const USUAL: INodeParameters = {
	events: ['created', 'statusChanged', 'priceChanged'],
	filters: {},
	startFrom: 'activation',
	runs: 'onePerPoll',
	simplify: true,
	options: {},
};

/** Agent Inventory Trigger in a workflow. */
export class InventoryHost extends TriggerHost {
	constructor(
		bench: Pick<InventoryBench, 'credentials'>,
		parameters: INodeParameters = {},
		options: HostOptions = {},
	) {
		super(bench, new AgentInventoryTrigger(), { ...USUAL, ...parameters }, options);
	}
}
