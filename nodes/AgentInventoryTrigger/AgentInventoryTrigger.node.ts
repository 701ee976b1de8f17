import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialCheckOf } from '../../service/credentialCheck';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { getBranches } from '../common/inventory/choices';
import { pollPanel } from '../common/polling/panel';
import { pollOrShow } from '../common/polling/pollOrShow';
import { inventoryTriggerFields } from './fields';
import { memoryOf, pollInventory } from './poll';
import { sampleChanges } from './sample';
import { readInventorySettings } from './settings';

export class AgentInventoryTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Inventory Trigger',
		name: 'agentInventoryTrigger',
		icon: {
			light: 'file:../../icons/agentInventory.svg',
			dark: 'file:../../icons/agentInventory.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ { created: "Created", statusChanged: "Status Changed", priceChanged: "Price Changed", updated: "Updated" }[String($parameter["events"])] ?? [$parameter["events"]].flat().length + " Events" }}',
		description: 'Starts the workflow when a property is new or has a new price or status',
		activationMessage:
			'n8n now checks for changes at the poll times you set. First, it reads all properties, as a baseline.',
		defaults: { name: 'Agent Inventory Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'agentInventoryApi', required: true, testedBy: 'agentInventoryApiTest' }],
		triggerPanel: pollPanel('your current properties', 'changes'),
		builderHint: {
			searchHint:
				"Polls for properties that are new or have a new price or status, and delivers each change once if it still holds at the next poll, also after a restart; see the limits on its page. Keep runs on 'onePerChange' if anything is sent, booked or written for a change. previous holds the values before it: a price has fallen if price < previous.price.",
		},
		properties: inventoryTriggerFields,
	};

	methods = {
		credentialTest: { agentInventoryApiTest: credentialCheckOf(INVENTORY_INTEGRATION) },
		loadOptions: { getBranches },
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await Promise.resolve(memoryOf(this).keepRunning(this));
	}

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const ways = { read: readInventorySettings, sample: sampleChanges, poll: pollInventory };
		return await pollOrShow(this, ways);
	}
}
