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
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { BY_FILTER } from '../common/leads/fields';
import { pollPanel } from '../common/polling/panel';
import { pollOrShow } from '../common/polling/pollOrShow';
import { besidePushesHint } from './besidePushesHint';
import { triggerFields } from './fields';
import { memoryOf, pollLeads } from './poll';
import { sampleLeads } from './sample';
import { readSettings } from './settings';

export class AgentLeadsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Leads Trigger',
		name: 'agentLeadsTrigger',
		icon: {
			light: 'file:../../icons/agentLeads.svg',
			dark: 'file:../../icons/agentLeads.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: `={{ ({ applicant: "Applicants", appraisal: "Appraisals" }[String($parameter["leadTypes"])] ?? "All Leads") + ${BY_FILTER} }}`,
		description: 'Starts the workflow when an estate agency gets a new lead',
		defaults: { name: 'Agent Leads Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'agentLeadsApi', required: true, testedBy: 'agentLeadsApiTest' }],
		triggerPanel: pollPanel('the newest leads', 'new leads'),
		hints: [besidePushesHint],
		builderHint: {
			searchHint:
				"Polls for new leads and starts one run for each, also after a restart; see the limits on its page. Keep runs on 'onePerLead' if anything is sent, booked or written for a lead: no step has to mark it as handled. To react at once, add Agent Leads Push Trigger beside it in the same workflow, both connected to the same next node.",
		},
		properties: triggerFields,
	};

	methods = { credentialTest: { agentLeadsApiTest: credentialCheckOf(LEADS_INTEGRATION) } };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		return await Promise.resolve(memoryOf(this).keepRunning(this));
	}

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollOrShow(this, { read: readSettings, sample: sampleLeads, poll: pollLeads });
	}
}
