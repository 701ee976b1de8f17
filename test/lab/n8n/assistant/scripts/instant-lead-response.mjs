import {
	workflow,
	node,
	trigger,
	sticky,
	newCredential,
	ifElse,
	switchCase,
	expr,
} from '@n8n/workflow-sdk';

const leadInWords = expr(
	"{{ $json.name || 'Someone' }} {{ $json.leadType === 'appraisal' ? 'asks for a valuation' : 'enquires' }}.\n" +
		'\n' +
		"Telephone: {{ $json.phoneNumber || 'not given' }}\n" +
		"Email: {{ $json.email || 'not given' }}\n" +
		"Property: {{ $json.propertyAddress || 'not given' }} {{ $json.listingUrl || '' }}\n" +
		"Submitted: {{ $json.createdAt ? DateTime.fromISO($json.createdAt).setZone($now.zoneName).toFormat('d MMMM yyyy, HH:mm') : 'not known' }}\n" +
		"Branch: {{ $json.sourceBranchId || 'not given' }}{{ $json.desks[$json.sourceBranchId] ? '' : ' (no one is entered for it, so this went to the office)' }}\n" +
		'Lead ID: {{ $json.id }}\n' +
		'\n' +
		"{{ $json.message ? 'Wrote:\\n\\n' + $json.message : 'Left no message.' }}\n",
);

const enquirer = expr(
	"{{ /^[^\\s@,;<>\"]+@[^\\s@,;<>\"]+$/.test($json.email ?? '') ? $json.email : '' }}",
);

const toDesk = {
	fromEmail: 'leads@example.com',
	emailFormat: 'text',
	text: leadInWords,
	options: { appendAttribution: false, replyTo: enquirer },
};

const toEnquirer = {
	fromEmail: 'leads@example.com',
	toEmail: expr('{{ $json.email }}'),
	subject: 'Thank you for your enquiry',
	emailFormat: 'text',
	options: { appendAttribution: false, replyTo: expr('{{ $json.office }}') },
};

const untilSetUp = { disabled: true, retryOnFail: true, maxTries: 3, waitBetweenTries: 5000 };

const strict = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };

const agentLeadsPushTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsPushTrigger',
	version: 1.1,
	config: {
		name: 'Agent Leads Push Trigger',
		parameters: { leadTypes: ['applicant', 'appraisal'] },
		credentials: { agentLeadsPushApi: newCredential('Agent Leads Push account') },
	},
});

const agentLeadsTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	version: 1,
	config: {
		name: 'Agent Leads Trigger',
		parameters: {
			leadTypes: ['applicant', 'appraisal'],
			startFrom: 'activation',
			runs: 'onePerLead',
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const desks = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Desks',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'desks',
						name: 'desks',
						value:
							'{\n' +
							'  "10234": { "sales": "sales.littleford@example.com", "lettings": "lettings.littleford@example.com" },\n' +
							'  "10235": { "sales": "sales.wexbourne@example.com", "lettings": "lettings.wexbourne@example.com" }\n' +
							'}',
						type: 'object',
					},
					{ id: 'office', name: 'office', value: 'office@example.com', type: 'string' },
					{ id: 'opens', name: 'opens', value: 9, type: 'number' },
					{ id: 'closes', name: 'closes', value: 18, type: 'number' },
					{ id: 'open-days', name: 'openDays', value: '[1, 2, 3, 4, 5, 6]', type: 'array' },
				],
			},
			includeOtherFields: true,
		},
	},
});

const enquiryType = switchCase({
	version: 3.2,
	config: {
		name: 'Enquiry Type',
		parameters: {
			rules: {
				values: [
					{
						conditions: {
							options: strict,
							conditions: [
								{
									id: 'sales',
									leftValue: expr("{{ $json.enquiryType ?? '' }}"),
									rightValue: 'ENQUIRY_TYPE_SALES',
									operator: { type: 'string', operation: 'equals' },
								},
							],
							combinator: 'and',
						},
						renameOutput: true,
						outputKey: 'Sales',
					},
					{
						conditions: {
							options: strict,
							conditions: [
								{
									id: 'lettings',
									leftValue: expr("{{ $json.enquiryType ?? '' }}"),
									rightValue: 'ENQUIRY_TYPE_LETTINGS',
									operator: { type: 'string', operation: 'equals' },
								},
							],
							combinator: 'and',
						},
						renameOutput: true,
						outputKey: 'Lettings',
					},
				],
			},
			options: { fallbackOutput: 'extra', renameFallbackOutput: 'Other' },
		},
	},
});

const mailSalesDesk = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Email Sales Desk',
		parameters: {
			...toDesk,
			toEmail: expr('{{ $json.desks[$json.sourceBranchId]?.sales || $json.office }}'),
			subject: expr(
				"Sales: {{ ($json.name || 'Someone').replace(/\\s+/g, ' ') }} {{ $json.leadType === 'appraisal' ? 'asks for a valuation' : 'enquires' }}",
			),
		},
		credentials: { smtp: newCredential('SMTP account') },
		...untilSetUp,
	},
});

const mailLettingsDesk = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Email Lettings Desk',
		parameters: {
			...toDesk,
			toEmail: expr('{{ $json.desks[$json.sourceBranchId]?.lettings || $json.office }}'),
			subject: expr(
				"Lettings: {{ ($json.name || 'Someone').replace(/\\s+/g, ' ') }} {{ $json.leadType === 'appraisal' ? 'asks for a valuation' : 'enquires' }}",
			),
		},
		credentials: { smtp: newCredential('SMTP account') },
		...untilSetUp,
	},
});

const mailOffice = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Email Office',
		parameters: {
			...toDesk,
			toEmail: expr('{{ $json.office }}'),
			subject: expr(
				"New lead: {{ ($json.name || 'Someone').replace(/\\s+/g, ' ') }} {{ $json.leadType === 'appraisal' ? 'asks for a valuation' : 'enquires' }}",
			),
		},
		credentials: { smtp: newCredential('SMTP account') },
		...untilSetUp,
	},
});

const canBeWrittenTo = node({
	type: 'n8n-nodes-base.filter',
	version: 2.2,
	config: {
		name: 'Can Be Written To',
		parameters: {
			conditions: {
				options: strict,
				conditions: [
					{
						id: 'has-address',
						leftValue: expr('{{ /^[^\\s@,;<>"]+@[^\\s@,;<>"]+$/.test($json.email ?? \'\') }}'),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
		},
	},
});

const openNow = ifElse({
	version: 2.2,
	config: {
		name: 'Open Now?',
		parameters: {
			conditions: {
				options: strict,
				conditions: [
					{
						id: 'is-open',
						leftValue: expr(
							'{{ $json.openDays.includes($now.weekday) && $now.hour >= $json.opens && $now.hour < $json.closes }}',
						),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
		},
	},
});

const sayWeCallNow = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Say We Call Now',
		parameters: {
			...toEnquirer,
			text:
				'Hello,\n' +
				'\n' +
				'Thank you for your enquiry. We have received it, and one of us will call you shortly.\n' +
				'\n' +
				'You can also reply to this email.\n',
		},
		credentials: { smtp: newCredential('SMTP account') },
		...untilSetUp,
	},
});

const sayWhenWeOpen = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Say When We Open',
		parameters: {
			...toEnquirer,
			text: expr(
				'Hello,\n' +
					'\n' +
					"Thank you for your enquiry. We have received it. Our office is closed at the moment and opens again on {{ [0, 1, 2, 3, 4, 5, 6, 7].map((days) => $now.startOf('day').plus({ days }).set({ hour: $json.opens })).find((time) => time > $now && $json.openDays.includes(time.weekday))?.toFormat(\"cccc, d MMMM 'at' HH:mm\") ?? 'soon' }}. One of us will call you then.\n" +
					'\n' +
					'You can also reply to this email.\n',
			),
		},
		credentials: { smtp: newCredential('SMTP account') },
		...untilSetUp,
	},
});

const setItUp = sticky(
	'Set it up: enter your branches in **Desks**, choose credentials, activate the nodes that send emails, and have the operator register the production URL of **Agent Leads Push Trigger**.',
	[desks],
	{ name: 'Set It Up' },
);

export default workflow('instant-lead-response', 'Answer new leads at once', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(agentLeadsPushTrigger)
	.to(desks)
	.add(agentLeadsTrigger)
	.to(desks)
	.add(desks)
	.to(enquiryType.onCase(0, mailSalesDesk).onCase(1, mailLettingsDesk).onCase(2, mailOffice))
	.add(desks)
	.to(canBeWrittenTo.to(openNow.onTrue(sayWeCallNow).onFalse(sayWhenWeOpen)))
	.add(setItUp);
