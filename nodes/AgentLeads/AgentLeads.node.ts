import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialCheckOf } from '../../service/credentialCheck';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { BY_FILTER } from '../common/leads/fields';
import { forEachItem } from '../common/itemErrors';
import { forModel } from '../common/tool/output';
import { getManyLeadsFields } from './actions/lead/getAll.fields';
import { getManyLeads } from './actions/lead/getAll.operation';
import { leadsOperationFields } from './fields';

export class AgentLeads implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Leads',
		name: 'agentLeads',
		icon: {
			light: 'file:../../icons/agentLeads.svg',
			dark: 'file:../../icons/agentLeads.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: `={{ ($parameter["resource"] === "appraisalLead" ? "Get Appraisals" : "Get Applicants") + ${BY_FILTER} }}`,
		description:
			'Get the leads of an estate agency: people who want to buy or rent, and owners who want a valuation',
		defaults: { name: 'Agent Leads' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'agentLeadsApi', required: true, testedBy: 'agentLeadsApiTest' }],
		builderHint: {
			searchHint:
				'For leads of the last 30 days on demand, such as a summary or a backfill. To start a workflow with new leads use Agent Leads Trigger, not a schedule with this node: only the trigger remembers what it has delivered.',
		},
		properties: [...leadsOperationFields, ...getManyLeadsFields],
	};

	methods = { credentialTest: { agentLeadsApiTest: credentialCheckOf(LEADS_INTEGRATION) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [forModel(this, await forEachItem(this, getManyLeads))];
	}
}
