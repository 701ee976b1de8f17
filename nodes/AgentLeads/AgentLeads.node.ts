import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { credentialCheckOf } from '../common/credentialCheck';
import { forEachItem } from '../common/itemErrors';
import { getAll } from './actions/lead/getAll.operation';
import { getAllProperties } from './actions/lead/getAll.fields';

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
		subtitle:
			'={{ ($parameter["resource"] === "appraisalLead" ? "Get appraisals" : "Get applicants") + ($parameter["filterBy"] === "none" ? "" : " by " + $parameter["filterBy"]) }}',
		description: 'Get the leads of an estate agency: applicants and appraisal requests',
		defaults: { name: 'Agent Leads' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'agentLeadsApi', required: true, testedBy: 'agentLeadsApiTest' }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				default: 'applicantLead',
				description: 'Which kind of lead to get',
				options: [
					{
						name: 'Applicant Lead',
						value: 'applicantLead',
						description: 'A person who wants to buy or rent',
					},
					{
						name: 'Appraisal Lead',
						value: 'appraisalLead',
						description: 'An owner who asks for a valuation of a property',
					},
				],
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: 'getAll',
				description: 'What to do with leads of this kind',
				displayOptions: { show: { resource: ['applicantLead'] } },
				options: [
					{
						name: 'Get Many',
						value: 'getAll',
						description:
							'Get the people who want to buy or rent and enquired in a period of the last 30 days',
						action: 'Get many applicant leads',
					},
				],
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: 'getAll',
				description: 'What to do with leads of this kind',
				displayOptions: { show: { resource: ['appraisalLead'] } },
				options: [
					{
						name: 'Get Many',
						value: 'getAll',
						description: 'Get the owners who asked for a valuation in a period of the last 30 days',
						action: 'Get many appraisal leads',
					},
				],
			},
			...getAllProperties,
		],
	};

	methods = { credentialTest: { agentLeadsApiTest: credentialCheckOf(LEADS_INTEGRATION) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await forEachItem(this, getAll)];
	}
}
