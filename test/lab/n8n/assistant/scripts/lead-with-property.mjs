import { workflow, node, trigger, sticky, newCredential, expr } from '@n8n/workflow-sdk';

const agentLeadsTrigger = trigger({
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	version: 1,
	config: {
		name: 'Agent Leads Trigger',
		parameters: {
			leadTypes: ['applicant'],
			startFrom: 'activation',
			runs: 'onePerLead',
			options: { runAgain: 3 },
		},
		credentials: { agentLeadsApi: newCredential('Agent Leads account') },
	},
});

const findProperty = node({
	type: 'n8n-nodes-agent-integration.agentInventory',
	version: 1,
	config: {
		name: 'Find Property',
		parameters: { resource: 'property', operation: 'findForLead' },
		credentials: { agentInventoryApi: newCredential('Agent Inventory account') },
		onError: 'continueRegularOutput',
	},
});

const message = node({
	type: 'n8n-nodes-base.set',
	version: 3.4,
	config: {
		name: 'Message',
		parameters: {
			assignments: {
				assignments: [
					{
						id: 'text',
						name: 'text',
						value: expr(
							"New applicant: {{ $('Agent Leads Trigger').item.json.name || 'no name given' }}\n" +
								"Telephone: {{ $('Agent Leads Trigger').item.json.phoneNumber || 'not given' }}\n" +
								"Email: {{ $('Agent Leads Trigger').item.json.email || 'not given' }}\n" +
								"Asks about: {{ $('Agent Leads Trigger').item.json.propertyAddress || 'no address given' }} {{ $('Agent Leads Trigger').item.json.listingUrl ?? '' }}\n" +
								"{{ $json.matchedBy ? 'In your inventory, by ' + { uprn: 'UPRN', reference: 'your reference', address: 'address' }[$json.matchedBy] + ($json.matchCount > 1 ? ' (one of ' + $json.matchCount + ' records)' : '') + ': ' + [$json.recordType, $json.statusLabel, $json.price && '£' + $json.price.toLocaleString('en-GB') + ($json.recordType === 'Rent' && $json.rentalFrequency ? (' ' + $json.rentalFrequency).toLowerCase() : ''), $json.bedrooms && $json.bedrooms + ($json.bedrooms === 1 ? ' bedroom' : ' bedrooms'), $json.negotiator, $json.branchId && 'branch ' + $json.branchId, $json.id && 'ID ' + $json.id].filter(Boolean).join(', ') : $json.error ? 'Your inventory could not be searched: ' + $json.error + '.' : $json.matchCount > 1 ? 'Your inventory has ' + $json.matchCount + ' properties that may be meant: please look for the address.' : $('Agent Leads Trigger').item.json.uprn || $('Agent Leads Trigger').item.json.listingReference || $('Agent Leads Trigger').item.json.propertyAddress ? 'Your inventory has no property with the UPRN, the reference or the address of the lead.' : 'The lead names no property to look for in your inventory.' }}\n" +
								"{{ $('Agent Leads Trigger').item.json.message ? 'Wrote: ' + $('Agent Leads Trigger').item.json.message : 'Left no message.' }}\n" +
								"Lead ID: {{ $('Agent Leads Trigger').item.json.id }}",
						),
						type: 'string',
					},
				],
			},
		},
	},
});

const sendToTeam = node({
	type: 'n8n-nodes-base.httpRequest',
	version: 4.2,
	config: {
		name: 'Send to Team',
		parameters: {
			method: 'POST',
			url: 'https://chat.example.com/webhook',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: expr(
				"{{ { text: $json.text.replace(/<\\/?[a-z][^>]*>/gi, ' ').replaceAll('<', '‹').replaceAll('>', '›') } }}",
			),
		},
		disabled: true,
		retryOnFail: true,
		maxTries: 3,
		waitBetweenTries: 5000,
	},
});

const setItUp = sticky(
	'Set it up: choose two credentials, enter the address of your chat in **Send to Team**, then activate it.',
	[sendToTeam],
	{ name: 'Set It Up' },
);

export default workflow('lead-with-property', 'Tell the team about applicants and the property', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(agentLeadsTrigger)
	.to(findProperty)
	.to(message)
	.to(sendToTeam)
	.add(setItUp);
