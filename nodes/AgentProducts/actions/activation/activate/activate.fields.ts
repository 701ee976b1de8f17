import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { highlightsField, productsOptions } from '../../../fields';

/** How long Activate waits for a result at most, in seconds, if nobody says otherwise. */
export const DEFAULT_WAIT_S = 120;

const spendingNotice = (product: string, name: string, resource: string): INodeProperties => ({
	displayName: `Each ${product} that this step activates spends a credit of your agency. The step looks first: a listing that has one already, or one that waits or is planned, is not activated again.`,
	name,
	type: 'notice',
	default: '',
	displayOptions: { show: { resource: [resource] } },
});

export const activateFields = updateDisplayOptions({ show: { operation: ['activate'] } }, [
	spendingNotice('premium listing', 'premiumNotice', 'premiumListing'),
	spendingNotice('weekly featured property', 'weeklyNotice', 'weeklyFeaturedProperty'),
	{
		displayName: 'Listing ID Type',
		name: 'listingIdType',
		type: 'options',
		default: 'listing',
		description: 'Whose ID of the listing you have',
		options: [
			{
				name: 'Service’s Listing ID',
				value: 'listing',
				description: 'The whole number under which the portal has the listing',
			},
			{
				name: 'Customer’s Listing ID',
				value: 'customer',
				description: 'The ID that your own software gave the listing',
			},
		],
	},
	{
		displayName: 'Listing ID',
		name: 'listingId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 12345678',
		description: 'The listing to promote, a whole number',
		displayOptions: { show: { listingIdType: ['listing'] } },
	},
	{
		displayName: 'Listing ID',
		name: 'listingId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. OUR-2041',
		description: 'The listing to promote, by the ID that your own software gave it',
		displayOptions: { show: { listingIdType: ['customer'] } },
	},
	{ ...highlightsField, displayOptions: { show: { resource: ['premiumListing'] } } },
	{
		displayName: 'Custom Details',
		name: 'customDetails',
		type: 'json',
		default: '{}',
		description:
			'A JSON object of your own that the service keeps with the activation, such as { "order": "2041" }; 640 kB at most',
	},
	{
		displayName: 'Wait for Result',
		name: 'waitForResult',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the service has carried out the order. Without waiting, the item is returned at once, as “pending”.',
	},
	productsOptions([
		{
			displayName: 'Wait Timeout',
			name: 'waitTimeout',
			type: 'number',
			typeOptions: { minValue: 0, numberPrecision: 0 },
			default: DEFAULT_WAIT_S,
			hint: 'In seconds',
			displayOptions: { show: { '/waitForResult': [true] } },
			description:
				'How many seconds to wait for the result at most. After that the item is returned as “pending”, with the ID to look for later.',
		},
	]),
]);
