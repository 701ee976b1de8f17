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

import { dropStarter, keepStarter } from '../common/runs/starters';
import { checkPushCredential } from './credentialTest';
import { pushFields } from './fields';
import { receive } from './receive';
import { readSettings } from './settings';

export class AgentLeadsPushTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Leads Push Trigger',
		name: 'agentLeadsPushTrigger',
		icon: {
			light: 'file:../../icons/agentLeads.svg',
			dark: 'file:../../icons/agentLeads.dark.svg',
		},
		group: ['trigger'],
		// At each call of a webhook of version 1 n8n evaluates an expression: nearly a tenth of the time of a push.
		version: 1.1,
		subtitle:
			'={{ ({ applicant: "Applicants", appraisal: "Appraisals" }[String($parameter["leadTypes"])] ?? "All leads") }}',
		description: 'Starts the workflow as soon as the operator pushes a lead',
		eventTriggerDescription: 'Waiting for a lead',
		activationMessage: 'The operator can now push leads to the address of this node.',
		defaults: { name: 'Agent Leads Push Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'agentLeadsPushApi', required: true, testedBy: 'agentLeadsPushApiTest' }],
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

	methods = { credentialTest: { agentLeadsPushApiTest: checkPushCredential } };

	/** Nothing to do: the operator has no API for it, people register the address there. */
	webhookMethods = {
		default: {
			async checkExists(): Promise<boolean> {
				return await done();
			},
			async create(): Promise<boolean> {
				return await done();
			},
			async delete(): Promise<boolean> {
				return await done();
			},
		},
		setup: {
			async checkExists(): Promise<boolean> {
				return await done();
			},
			async create(): Promise<boolean> {
				return await done();
			},
			async delete(): Promise<boolean> {
				return await done();
			},
		},
	};

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		readSettings(this);
		const starter = keepStarter(this, {});
		const closeFunction = async () => await Promise.resolve(void dropStarter(this, starter));
		return await Promise.resolve({ closeFunction });
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/**
	 * Each run begins here, with what it was started with. It says so to the process that took the push, in the way in which a
	 * run answers a webhook: so a queue worker can say it, too.
	 */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// Whoever does not hear it is told by the end of the run.
		await this.sendResponse({}).catch(() => {});
		return [this.getInputData()];
	}
}

async function done(): Promise<boolean> {
	return await Promise.resolve(true);
}
