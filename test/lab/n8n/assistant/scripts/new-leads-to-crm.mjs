import { workflow, node, trigger, sticky, newCredential, expr } from '@n8n/workflow-sdk';

const agentLeadsTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	version: 1,
	config: {
		name: 'Agent Leads Trigger',
		parameters: {
			leadTypes: ['applicant', 'appraisal'],
			startFrom: 'last24Hours',
			runs: 'onePerLead',
			options: { runAgain: 3 },
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const crmRecord = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'CRM Record',
		parameters: {
			assignments: {
				assignments: [
					{ id: 'lead-id', name: 'leadId', value: expr('{{ $json.id }}'), type: 'string' },
					{
						id: 'kind',
						name: 'kind',
						value: expr(
							"{{ $json.leadType === 'appraisal' ? ({ Sales: 'Valuation for a sale', Lettings: 'Valuation for a letting' }[$json.enquiryTypeLabel] ?? 'Valuation') : ({ Sales: 'Buyer', Lettings: 'Tenant' }[$json.enquiryTypeLabel] ?? 'Buyer or tenant') }}",
						),
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
						id: 'property',
						name: 'property',
						value: expr('{{ $json.propertyAddress }}'),
						type: 'string',
					},
					{
						id: 'branch',
						name: 'branch',
						value: expr('{{ $json.sourceBranchId }}'),
						type: 'string',
					},
					{ id: 'message', name: 'message', value: expr('{{ $json.message }}'), type: 'string' },
				],
			},
		},
	},
});

const sendToCrm = node({
	type: 'n8n-nodes-base.httpRequest',
	version: 4.2,
	config: {
		name: 'Send to CRM',
		parameters: {
			method: 'POST',
			url: 'https://crm.example.com/api/leads',
			sendHeaders: true,
			headerParameters: {
				parameters: [
					{ name: 'Idempotency-Key', value: expr("{{ $('Agent Leads Trigger').item.json.id }}") },
				],
			},
			sendBody: true,
			specifyBody: 'json',
			jsonBody: expr('{{ $json }}'),
		},
		disabled: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 5000,
	},
});

const setItUp = sticky(
	'Set it up: choose a credential in **Agent Leads Trigger**, enter the address of your CRM in **Send to CRM**, then activate it.',
	[sendToCrm],
	{ name: 'Set It Up' },
);

export default workflow('new-leads-to-crm', 'Send new leads to a CRM', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(agentLeadsTrigger)
	.to(crmRecord)
	.to(sendToCrm)
	.add(setItUp);
