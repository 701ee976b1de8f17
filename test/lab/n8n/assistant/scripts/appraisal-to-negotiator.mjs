import { workflow, node, trigger, sticky, newCredential, expr } from '@n8n/workflow-sdk';

const agentLeadsTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	version: 1,
	config: {
		name: 'Agent Leads Trigger',
		parameters: {
			leadTypes: ['appraisal'],
			startFrom: 'activation',
			runs: 'onePerLead',
			options: { runAgain: 3 },
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const negotiators = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Negotiators',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'negotiators',
						name: 'negotiators',
						value:
							'{\n' +
							'  "10234": "negotiator.littleford@example.com",\n' +
							'  "10235": "negotiator.wexbourne@example.com"\n' +
							'}',
						type: 'object',
					},
					{ id: 'office', name: 'office', value: 'office@example.com', type: 'string' },
				],
			},
			includeOtherFields: true,
		},
	},
});

const sendEmail = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Send Email',
		parameters: {
			fromEmail: 'leads@example.com',
			toEmail: expr('{{ $json.negotiators[$json.sourceBranchId] || $json.office }}'),
			subject: expr(
				"New valuation{{ ({ Sales: ' for a sale', Lettings: ' for a letting' }[$json.enquiryTypeLabel] ?? '') }}: {{ ($json.propertyAddress || 'no address given').replace(/\\s+/g, ' ') }}",
			),
			emailFormat: 'text',
			text: expr(
				"{{ $json.name || 'Someone' }} asks for a valuation{{ ({ Sales: ' for a sale', Lettings: ' for a letting' }[$json.enquiryTypeLabel] ?? '') }}.\n" +
					'\n' +
					"Property: {{ $json.propertyAddress || 'not given' }}\n" +
					"Telephone: {{ $json.phoneNumber || 'not given' }}\n" +
					"Email: {{ $json.email || 'not given' }}\n" +
					"How soon: {{ $json.urgencyLabel || 'not given' }}\n" +
					"Estimated value{{ $json.enquiryTypeLabel === 'Lettings' ? ' or rent' : '' }}: {{ $json.estimatedValue ? '£' + $json.estimatedValue.toLocaleString('en-GB') : 'none' }}\n" +
					"Submitted: {{ $json.createdAt ? DateTime.fromISO($json.createdAt).setZone($now.zoneName).toFormat('d MMMM yyyy, HH:mm') : 'not known' }}\n" +
					"Branch: {{ $json.sourceBranchId || 'not given' }}{{ $json.negotiators[$json.sourceBranchId] ? '' : ' (no one is entered for it, so this went to the office)' }}\n" +
					'Lead ID: {{ $json.id }}\n' +
					'\n' +
					"{{ $json.message ? 'The owner wrote:\\n\\n' + $json.message : 'The owner left no message.' }}\n",
			),
			options: {
				appendAttribution: false,
				replyTo: expr(
					"{{ /^[^\\s@,;<>\"]+@[^\\s@,;<>\"]+$/.test($json.email ?? '') ? $json.email : '' }}",
				),
			},
		},
		credentials: { smtp: newCredential('SMTP account') },
		disabled: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 5000,
	},
});

const setItUp = sticky(
	'Set it up: enter your branches in **Negotiators**, choose credentials, then activate **Send Email**.',
	[negotiators, sendEmail],
	{ name: 'Set It Up' },
);

export default workflow('appraisal-to-negotiator', 'Email appraisal leads to the negotiator', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(agentLeadsTrigger)
	.to(negotiators)
	.to(sendEmail)
	.add(setItUp);
