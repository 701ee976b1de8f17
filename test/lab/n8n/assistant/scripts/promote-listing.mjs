import { workflow, node, trigger, sticky, newCredential, ifElse, expr } from '@n8n/workflow-sdk';

const listingToPromote = trigger({
	type: 'n8n-nodes-base.formTrigger',
	version: 2.6,
	config: {
		name: 'Listing to Promote',
		parameters: {
			authentication: 'n8nUserAuth',
			formTitle: 'Promote a listing',
			formDescription: 'Makes a listing a premium listing, after approval on the next page.',
			formFields: {
				values: [
					{
						fieldLabel: 'Listing ID',
						fieldName: 'listingId',
						fieldType: 'text',
						placeholder: '12345678',
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
						fieldLabel: 'Spend a credit of the agency on it?',
						fieldName: 'approval',
						fieldType: 'radio',
						fieldOptions: { values: [{ option: 'Yes' }, { option: 'No' }] },
						requiredField: true,
					},
				],
			},
			options: {
				formTitle: expr('Make listing {{ $json.listingId }} a premium listing?'),
				formDescription:
					'A listing that has a premium listing already is not activated again, and costs nothing.',
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
				"{{ { activated: 'It is a premium listing now', scheduled: 'It is ordered and will begin later', pending: 'It is ordered, and the service is still busy with it', alreadyActive: 'It is a premium listing already', alreadyPending: 'It is ordered already', alreadyScheduled: 'It is ordered already and will begin later' }[$json.outcome] }}",
			),
			completionMessage: expr(
				"{{ $json.outcome.startsWith('already') ? 'Nothing was ordered and nothing was spent.' : 'The order spends a credit of the agency.' }}{{ $json.expiryAt ? ' The premium listing ends on ' + DateTime.fromISO($json.expiryAt).toFormat('d MMMM yyyy') + '.' : '' }}{{ $json.id ? ' The ID of the activation is ' + $json.id + '.' : '' }}",
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
			completionMessage: expr('{{ $json.error }}. {{ $json.message }}'),
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
	'**Spends a credit of your agency with each order.** Keep the approval.',
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
