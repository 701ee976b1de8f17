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

import { LISTED_RUNS } from '../common/polling/panel';
import { dropEmitter, keepEmitter } from '../common/runs/emitter';
import { checkPushCredential } from './credentialTest';
import { pushFields } from './fields';
import { receive } from './receive';
import { checkPushSettings } from './settings';

const done = async () => await Promise.resolve(true);

/**
 * The methods with which n8n registers a webhook at a service do nothing here: the operator of the leads service has no
 * API for that, and a person sends the webhook's address to the operator by email.
 */
const NOTHING_TO_DO = { checkExists: done, create: done, delete: done };

/**
 * The text that n8n's editor shows while a person builds the workflow. n8n's own text would send the person to a
 * service with the node's name, and there is no such service.
 */
const WHILE_BUILDING =
	'<b>While you build the workflow</b>, choose <b>Execute step</b>, then send a lead to the test URL. It appears here.<br /><br />';

export class AgentLeadsPushTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Leads Push Trigger',
		name: 'agentLeadsPushTrigger',
		icon: {
			light: 'file:../../icons/agentLeadsPush.svg',
			dark: 'file:../../icons/agentLeadsPush.dark.svg',
		},
		group: ['trigger'],
		// The node has version 1.1, because n8n evaluates an expression at each call of a webhook of a node with
		// version 1, which takes nearly a tenth of the time of a push.
		version: 1.1,
		subtitle:
			'={{ ({ applicant: "Applicants", appraisal: "Appraisals" }[String($parameter["leadTypes"])] ?? "All Leads") }}',
		description: 'Only if the operator pushes leads to you: starts the workflow within seconds',
		eventTriggerDescription: 'Waiting for a lead',
		activationMessage:
			'The operator of the service can now push leads to the production URL of this node.',
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
		triggerPanel: {
			header: 'Push a lead to the Test URL to try it',
			executionsHelp: `${WHILE_BUILDING}<b>Once the workflow is published</b>, each lead that the operator pushes to the production URL starts it as it was last published. ${LISTED_RUNS}`,
			activationHint:
				'Once the workflow is published, each lead that the operator pushes starts it.',
		},
		builderHint: {
			searchHint:
				"Starts at once when the operator pushes a lead, but a push can be lost: never use it alone. Put Agent Leads Trigger with runs 'onePerLead' beside it in the same workflow, both connected to the same next node. Each lead then has one run; see the limits on its page. The user must ask the operator to register the address.",
		},
		properties: pushFields,
	};

	methods = { credentialTest: { agentLeadsPushApiTest: checkPushCredential } };

	webhookMethods = { default: NOTHING_TO_DO, setup: NOTHING_TO_DO };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		checkPushSettings(this);
		const emitter = keepEmitter(this, true);
		const closeFunction = async () => await Promise.resolve(void dropEmitter(this, emitter));
		return await Promise.resolve({ closeFunction });
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}

	/**
	 * Passes the pushed lead on to the next node. n8n calls this method at the start of each run. `sendResponse` tells
	 * the process that received the push that the run has started, even if the run is on a queue worker.
	 */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// In queue mode, `sendResponse` tells the process that received the push that a worker has started the run. If
		// the message is lost, that process only learns of the run when the run ends.
		await this.sendResponse({}).catch(() => {});
		return [this.getInputData()];
	}
}
