import { workflow, node, trigger, sticky, newCredential, ifElse, expr } from '@n8n/workflow-sdk';

const listingToPromote = trigger({
	type: 'n8n-nodes-base.formTrigger',
	version: 2.6,
	config: {
		name: 'Listing to Promote',
		parameters: {
			authentication: 'n8nUserAuth',
			formTitle: 'Promote a listing',
			formDescription:
				'Orders a premium listing once you approve it on the next page. The listing ID is the listing’s number on the portal.',
			formFields: {
				values: [
					{
						fieldLabel: 'Listing ID',
						fieldName: 'listingId',
						fieldType: 'number',
						placeholder: '12345678',
						requiredField: true,
					},
					{
						fieldLabel: 'Address of the property',
						fieldName: 'address',
						fieldType: 'text',
						placeholder: '14 Mill Lane, Exampleton, AB1 2CD',
						requiredField: true,
					},
				],
			},
			options: { buttonLabel: 'Next' },
		},
	},
});

const approve = node({
	type: 'n8n-nodes-base.form',
	version: 2.5,
	config: {
		name: 'Approve',
		parameters: {
			operation: 'page',
			defineForm: 'fields',
			formFields: {
				values: [
					{
						fieldLabel: 'Spend one of the agency’s credits on it?',
						fieldName: 'approval',
						fieldType: 'radio',
						fieldOptions: { values: [{ option: 'Yes' }, { option: 'No' }] },
						requiredField: true,
					},
				],
			},
			options: {
				formTitle: expr('Make listing {{ $json.listingId }} a premium listing?'),
				formDescription: expr(
					'{{ $json.address }}\n\nThis is a real order, even in a test. It can take two minutes: leave the page open. If it already is a premium listing, nothing is ordered and no credit is spent.',
				),
				buttonLabel: 'Send',
			},
		},
	},
});

const approved = ifElse({
	version: 2.2,
	config: {
		name: 'Approved?',
		parameters: {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'yes',
						leftValue: expr('{{ $json.approval }}'),
						rightValue: 'Yes',
						operator: { type: 'string', operation: 'equals' },
					},
				],
				combinator: 'and',
			},
		},
	},
});

const activatePremiumListing = node({
	type: 'n8n-nodes-agent-integration.agentProducts',
	version: 1,
	config: {
		name: 'Activate Premium Listing',
		parameters: {
			resource: 'premiumListing',
			operation: 'activate',
			listingId: expr("{{ $('Listing to Promote').item.json.listingId }}"),
		},
		credentials: { agentProductsApi: newCredential('Agent Products account') },
		onError: 'continueErrorOutput',
	},
});

const result = node({
	type: 'n8n-nodes-base.form',
	version: 2.5,
	config: {
		name: 'Result',
		parameters: {
			operation: 'completion',
			completionTitle: expr(
				"Listing {{ $('Listing to Promote').item.json.listingId }} {{ { activated: 'is now a premium listing', scheduled: 'will be a premium listing later', pending: 'is ordered, but not confirmed yet', alreadyActive: 'is already a premium listing', alreadyPending: 'is already ordered', alreadyScheduled: 'is already ordered and will be a premium listing later' }[$json.outcome] }}",
			),
			completionMessage: expr(
				"{{ $('Listing to Promote').item.json.address }}: {{ $json.outcome.startsWith('already') ? 'nothing was ordered, and no credit was spent.' : 'the order usually spends one of the agency’s credits.' }}{{ /pending$/i.test($json.outcome) ? ' Do not order it again: look on the portal in an hour, and ask the operator if it is not there.' : '' }}{{ $json.expiryAt ? ' The premium listing ends on ' + DateTime.fromISO($json.expiryAt).toFormat('d MMMM yyyy') + '.' : '' }}{{ $json.id ? ' The ID of the activation is ' + $json.id + '.' : '' }}",
			),
		},
	},
});

const whatWentWrong = node({
	type: 'n8n-nodes-base.form',
	version: 2.5,
	config: {
		name: 'What Went Wrong',
		parameters: {
			operation: 'completion',
			completionTitle: 'Something went wrong',
			completionMessage: expr(
				'{{ $json.error }}. {{ $json.message.replace(/https:\\S+$/, \'<a href="$&" target="_blank">troubleshooting</a>\') }}',
			),
		},
	},
});

const nothingOrdered = node({
	type: 'n8n-nodes-base.form',
	version: 2.5,
	config: {
		name: 'Nothing Ordered',
		parameters: {
			operation: 'completion',
			completionTitle: 'Nothing was ordered',
			completionMessage: 'The listing stays as it is, and no credit was spent.',
		},
	},
});

const setItUp = sticky(
	"**Each order usually spends one of your agency's credits, even in a test.** Keep the approval.",
	[approve, approved, activatePremiumListing],
	{ name: 'Set It Up' },
);

export default workflow('promote-listing', 'Promote a listing after approval', {
	timezone: 'Europe/London',
	saveDataErrorExecution: 'all',
})
	.add(listingToPromote)
	.to(approve)
	.to(
		approved
			.onTrue(activatePremiumListing.onError(whatWentWrong).to(result))
			.onFalse(nothingOrdered),
	)
	.add(setItUp);
