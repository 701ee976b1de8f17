import { workflow, node, trigger, sticky, newCredential, merge, expr } from '@n8n/workflow-sdk';

const start = trigger({
	type: 'n8n-nodes-base.manualTrigger',
	version: 1,
	config: {
		name: 'When clicking ‘Execute workflow’',
	},
});

const applicants = node({
	type: 'n8n-nodes-agent-integration.agentLeads',
	version: 1,
	config: {
		name: 'Applicants',
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'recent',
			recentAmount: 30,
			recentUnit: 'days',
			returnAll: true,
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const appraisals = node({
	type: 'n8n-nodes-agent-integration.agentLeads',
	version: 1,
	config: {
		name: 'Appraisals',
		parameters: {
			resource: 'appraisalLead',
			operation: 'getAll',
			period: 'recent',
			recentAmount: 30,
			recentUnit: 'days',
			returnAll: true,
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const agentLeadsTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	version: 1,
	config: {
		name: 'Agent Leads Trigger',
		parameters: { leadTypes: ['applicant', 'appraisal'], startFrom: 'last24Hours' },
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
		disabled: true,
	},
});

const row = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Row',
		parameters: {
			assignments: {
				assignments: [
					{ id: 'lead-id', name: 'leadId', value: expr('{{ $json.id }}'), type: 'string' },
					{
						id: 'lead-type',
						name: 'leadType',
						value: expr('{{ $json.leadType }}'),
						type: 'string',
					},
					{
						id: 'submitted-at',
						name: 'submittedAt',
						value: expr('{{ $json.createdAt }}'),
						type: 'string',
					},
					{
						id: 'name',
						name: 'name',
						value: expr("{{ $json.name || '' }}"),
						type: 'string',
					},
					{ id: 'email', name: 'email', value: expr('{{ $json.email }}'), type: 'string' },
					{ id: 'phone', name: 'phone', value: expr('{{ $json.phoneNumber }}'), type: 'string' },
					{
						id: 'branch',
						name: 'branch',
						value: expr('{{ $json.sourceBranchId }}'),
						type: 'string',
					},
					{
						id: 'property',
						name: 'property',
						value: expr('{{ $json.propertyAddress }}'),
						type: 'string',
					},
					{ id: 'message', name: 'message', value: expr('{{ $json.message }}'), type: 'string' },
				],
			},
		},
	},
});

const leadsTable = node({
	type: 'n8n-nodes-base.dataTable',
	version: 1.1,
	config: {
		name: 'Leads Table',
		parameters: {
			resource: 'table',
			operation: 'create',
			tableName: 'Leads of the agency',
			columns: {
				column: [
					{ name: 'leadId', type: 'string' },
					{ name: 'leadType', type: 'string' },
					{ name: 'submittedAt', type: 'date' },
					{ name: 'name', type: 'string' },
					{ name: 'email', type: 'string' },
					{ name: 'phone', type: 'string' },
					{ name: 'branch', type: 'string' },
					{ name: 'property', type: 'string' },
					{ name: 'message', type: 'string' },
				],
			},
			options: { createIfNotExists: true },
		},
		executeOnce: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 1000,
	},
});

const tableIsThere = merge({
	version: 3,
	config: {
		name: 'Table Is There',
		parameters: { mode: 'chooseBranch', useDataOfInput: 2 },
	},
});

const storeLead = node({
	type: 'n8n-nodes-base.dataTable',
	version: 1.1,
	config: {
		name: 'Store Lead',
		parameters: {
			resource: 'row',
			operation: 'upsert',
			dataTableId: { mode: 'id', value: expr("{{ $('Leads Table').first().json.id }}") },
			matchType: 'anyCondition',
			filters: {
				conditions: [{ keyName: 'leadId', condition: 'eq', keyValue: expr('{{ $json.leadId }}') }],
			},
			columns: { mappingMode: 'autoMapInputData', value: null, matchingColumns: [], schema: [] },
		},
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 1000,
	},
});

const onlyNewLeads = node({
	type: 'n8n-nodes-base.removeDuplicates',
	version: 2,
	config: {
		name: 'Only New Leads',
		parameters: {
			operation: 'removeItemsSeenInPreviousExecutions',
			logic: 'removeItemsWithAlreadySeenKeyValues',
			dedupeValue: expr('{{ $json.leadId }}'),
			options: { scope: 'workflow', historySize: 100000 },
		},
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 1000,
	},
});

const setItUp = sticky(
	'Execute the workflow once, then activate **Agent Leads Trigger** and publish within 24 hours.',
	[start],
	{
		name: 'Set It Up',
	},
);

export default workflow('backfill-leads-to-table', 'Backfill leads to a table', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(start)
	.to(applicants.to(row))
	.add(start)
	.to(appraisals.to(row))
	.add(agentLeadsTrigger)
	.to(row)
	.add(row)
	.to(leadsTable.to(tableIsThere.input(0)))
	.add(row)
	.to(tableIsThere.input(1))
	.add(tableIsThere)
	.to(storeLead)
	.to(onlyNewLeads)
	.add(setItUp);
