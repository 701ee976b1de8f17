import { updateDisplayOptions } from 'n8n-workflow';

import { LABELS } from '../../../../../service/products/labels';
import { highlightsField, productsOptions } from '../../../fields';

/** The default of the option “Wait Timeout”, that is how long the node waits for the result of an order, in seconds. */
export const DEFAULT_WAIT_S = 120;

export const activateFields = updateDisplayOptions({ show: { operation: ['activate'] } }, [
	{
		displayName:
			'Each listing that this node activates usually spends one of your agency’s credits, even in a test. A listing is skipped if this product is active, pending or scheduled for it.',
		name: 'spendingNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: LABELS.listingIdType,
		name: 'listingIdType',
		type: 'options',
		default: 'listing',
		description: 'Which of the listing’s IDs you have',
		options: [
			{
				name: LABELS.portalListingId,
				value: 'listing',
				description: 'The number of the listing on the portal',
			},
			{
				name: LABELS.yourListingId,
				value: 'customer',
				description: 'The ID from your own software',
			},
		],
	},
	{
		displayName: LABELS.listingId,
		name: 'listingId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 12345678',
		description:
			'The listing to promote. In a lead about it, ‘listingId’ is its portal listing ID, and ‘listingReference’ is usually your own.',
	},
	{
		displayName: 'Wait for Result',
		name: 'waitForResult',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the service has processed the order. Otherwise the item is returned at once, with the outcome ‘pending’.',
	},
	productsOptions([
		{ ...highlightsField, displayOptions: { show: { '/resource': ['premiumListing'] } } },
		{
			displayName: LABELS.customDetails,
			name: 'customDetails',
			type: 'json',
			typeOptions: { rows: 2 },
			default: '{}',
			description:
				'A JSON object that the service stores with the activation, such as { "order": "2041" }, up to 640 kB',
		},
		{
			displayName: 'Wait Timeout',
			name: 'waitTimeout',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: DEFAULT_WAIT_S,
			hint: 'In seconds',
			displayOptions: { show: { '/waitForResult': [true] } },
			description:
				'Up to how many seconds to wait for the result. After that, the item is returned with the outcome ‘pending’ and the ID to check later.',
		},
	]),
]);
