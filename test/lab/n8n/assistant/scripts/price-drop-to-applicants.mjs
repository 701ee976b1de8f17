import {
	workflow,
	node,
	trigger,
	sticky,
	newCredential,
	splitInBatches,
	nextBatch,
	expr,
} from '@n8n/workflow-sdk';

const agentInventoryTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentInventoryTrigger',
	version: 1,
	config: {
		name: 'Agent Inventory Trigger',
		parameters: {
			events: ['priceChanged'],
			filters: { recordType: 'Sale', status: ['onTheMarket'] },
			startFrom: 'activation',
			runs: 'onePerChange',
			simplify: false,
		},
		credentials: { agentInventoryApi: newCredential('Agent Inventory account') },
	},
});

const lowerPrice = node({
	type: 'n8n-nodes-base.filter',
	version: 2.2,
	config: {
		name: 'Lower Price',
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'c04',
						leftValue: expr('{{ $json.price > 0 && $json.price < ($json.previous?.price ?? 0) }}'),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
					{
						id: 'c05',
						leftValue: expr('{{ $json.archived !== true }}'),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
				],
				combinator: 'and',
			},
		},
	},
});

const agency = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Agency',
		parameters: {
			assignments: {
				assignments: [
					{ id: 'agencyName', name: 'agencyName', value: 'Example Agents', type: 'string' },
					{ id: 'office', name: 'office', value: 'office@example.com', type: 'string' },
					{
						id: 'doNotWriteTo',
						name: 'doNotWriteTo',
						value: 'nobody@example.com, nobody-else@example.com',
						type: 'string',
					},
					{
						id: 'addressesOnly',
						name: 'doNotWriteTo has only email addresses',
						value: expr(
							"{{ ([$parameter.assignments.assignments.find((each) => each.name === 'doNotWriteTo')?.value ?? 'doNotWriteTo is missing'].flatMap((list) => (list.startsWith('=') ? String($evaluateExpression(list.slice(1))) : list).split(/[\\s,;<>\"]+/)).filter((word) => word && !/^[\\p{L}\\p{N}_][^@:()[\\]*\\p{C}]*@[^@:()[\\]'*/\\p{C}]*[\\p{L}\\p{N}]$/u.test(word)).join(' ')) || true }}",
						),
						type: 'boolean',
					},
				],
			},
			includeOtherFields: true,
		},
	},
});

const enquiries = node({
	type: 'n8n-nodes-agent-integration.agentLeads',
	version: 1,
	config: {
		name: 'Enquiries',
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'recent',
			recentAmount: 30,
			recentUnit: 'days',
			filterBy: 'none',
			returnAll: true,
			simplify: false,
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const fits = node({
	type: 'n8n-nodes-base.filter',
	version: 2.2,
	config: {
		name: 'Fits',
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'c1b',
						leftValue: expr("{{ $('Agency').item.json['doNotWriteTo has only email addresses'] }}"),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
					{
						id: 'c0c',
						leftValue: expr(
							'{{ /^[^\\s@,;<>"]+@[^\\s@,;<>"]+$/.test($json.contact?.email ?? \'\') }}',
						),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
					{
						id: 'c0d',
						leftValue: expr(
							"{{ !$('Agency').item.json.doNotWriteTo.toLowerCase().split(/[\\s,;<>\"]+/).includes(($json.contact?.email ?? '').toLowerCase()) }}",
						),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
					{
						id: 'c0e',
						leftValue: expr("{{ $json.enquiryType === 'ENQUIRY_TYPE_SALES' }}"),
						rightValue: '',
						operator: { type: 'boolean', operation: 'true', singleValue: true },
					},
					{
						id: 'c0f',
						leftValue: expr(
							"{{ String($json.listingDetails?.uprn || 'none') === String($('Agency').item.json.uprn) || (($json.searchCriteria?.location?.outcode || 'none').toUpperCase() === String($('Agency').item.json.address?.postcode || '').toUpperCase().split(' ')[0] && $('Agency').item.json.price <= ($json.searchCriteria?.maximumPrice || 0) && $('Agency').item.json.price >= ($json.searchCriteria?.minimumPrice || 0) && ($('Agency').item.json.bedrooms ?? 0) >= ($json.searchCriteria?.minimumBedrooms || 0) && ($('Agency').item.json.bedrooms ?? 0) <= ($json.searchCriteria?.maximumBedrooms || 99)) }}",
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

const mail = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Write Email',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'propertyId',
						name: 'propertyId',
						value: expr("{{ $('Agency').item.json.id }}"),
						type: 'string',
					},
					{
						id: 'to',
						name: 'to',
						value: expr('{{ $json.contact.email.toLowerCase() }}'),
						type: 'string',
					},
					{
						id: 'replyTo',
						name: 'replyTo',
						value: expr("{{ $('Agency').item.json.office }}"),
						type: 'string',
					},
					{
						id: 'subject',
						name: 'subject',
						value: expr(
							"Lower price: {{ ($('Agency').item.json.displayAddress || 'a property').replace(/\\s+/g, ' ') }}",
						),
						type: 'string',
					},
					{
						id: 'text',
						name: 'text',
						value: expr(
							"Hello,\n\nThe price of a property that may interest you has come down:\n\n{{ $('Agency').item.json.displayAddress || 'A property' }}\nBedrooms: {{ $('Agency').item.json.bedrooms ?? 'not given' }}\nNow: {{ $('Agency').item.json.price.toLocaleString('en-GB', { style: 'currency', currency: $('Agency').item.json.currency || 'GBP', maximumFractionDigits: 0 }) }}\nBefore: {{ $('Agency').item.json.previous.price.toLocaleString('en-GB', { style: 'currency', currency: $('Agency').item.json.currency || 'GBP', maximumFractionDigits: 0 }) }}\n\nReply to this email if you would like to view it. Our reference is {{ $('Agency').item.json.id }}.\n\n{{ $('Agency').item.json.agencyName }}\n\nYou are receiving this email because you enquired with us in the last 30 days. If you do not want any more, reply with “no more”.\n",
						),
						type: 'string',
					},
				],
			},
		},
	},
});

const onePerPerson = node({
	type: 'n8n-nodes-base.removeDuplicates',
	version: 2,
	config: {
		name: 'One per Person',
		parameters: {
			operation: 'removeDuplicateInputItems',
			compare: 'selectedFields',
			fieldsToCompare: 'to, propertyId',
		},
	},
});

const oneAtATime = splitInBatches({
	version: 3,
	config: { name: 'One at a Time', parameters: { batchSize: 1 } },
});

const sendEmail = node({
	type: 'n8n-nodes-base.emailSend',
	version: 2.1,
	config: {
		name: 'Send Email',
		parameters: {
			fromEmail: 'sales@example.com',
			toEmail: expr('{{ $json.to }}'),
			subject: expr('{{ $json.subject }}'),
			emailFormat: 'text',
			text: expr('{{ $json.text }}'),
			options: { appendAttribution: false, replyTo: expr('{{ $json.replyTo }}') },
		},
		credentials: { smtp: newCredential('SMTP account') },
		disabled: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 5000,
	},
});

const setItUp = sticky(
	'Set it up: choose credentials, enter your agency in **Agency** and the sender in **Send Email**, then activate it.',
	[sendEmail],
	{ name: 'Set It Up' },
);

export default workflow('price-drop-to-applicants', 'Tell applicants of a lower price', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(agentInventoryTrigger)
	.to(agency)
	.to(lowerPrice)
	.to(enquiries)
	.to(fits)
	.to(mail)
	.to(onePerPerson)
	.to(oneAtATime.onEachBatch(sendEmail.to(nextBatch(oneAtATime))))
	.add(setItUp);
