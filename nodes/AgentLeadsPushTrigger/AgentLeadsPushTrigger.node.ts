import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { pushFields } from './fields';
import { noteBegun } from './delivery';
import { keepPushStarter, receive } from './receive';

export class AgentLeadsPushTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Leads Push Trigger',
		name: 'agentLeadsPushTrigger',
		icon: {
			light: 'file:../../icons/agentLeads.svg',
			dark: 'file:../../icons/agentLeads.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ ({ applicant: "Applicants", appraisal: "Appraisals" }[String($parameter["leadTypes"])] ?? "All leads") }}',
		description: 'Starts the workflow as soon as the operator pushes a lead',
		eventTriggerDescription: 'Waiting for a lead',
		activationMessage: 'The operator can now push leads to the address of this node.',
		defaults: { name: 'Agent Leads Push Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'agentLeadsPushApi', required: true }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: 'leads',
				ndvHideUrl: false,
			},
			{
				name: 'setup',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				path: 'token',
			},
		],
		properties: pushFields,
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await Promise.resolve(keepPushStarter(this));
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/** Each run begins here: what it was started with goes on as it is. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const items = this.getInputData();
		for (const item of items) noteBegun(item);
		return await Promise.resolve([items]);
	}
}
