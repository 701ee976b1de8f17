import sortBy from 'lodash/sortBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { LABELS } from '../../service/products/labels';
import { optionsField } from '../common/fields/options';
import { retryOptions } from '../common/fields/retry';

/** The fields “Resource” and “Operation”. */
export const productsOperationFields: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'premiumListing',
		description: 'The product to order or look up',
		options: [
			{
				name: 'Premium Listing',
				value: 'premiumListing',
				description: 'A listing that the portal shows larger and higher up',
			},
			{
				name: 'Weekly Featured Property',
				value: 'weeklyFeaturedProperty',
				description: 'A listing that the portal features for a week',
			},
		],
	},
	operationField('premiumListing', 'premium listing', [
		{
			name: 'Activate',
			value: 'activate',
			description: 'Order a premium listing, which usually spends one of your agency’s credits',
			action: 'Activate premium listing',
		},
		{
			name: 'Update Highlights',
			value: 'updateHighlights',
			description: 'Change the highlights of an active premium listing, without a new order',
			action: 'Update highlights of premium listing',
		},
	]),
	operationField('weeklyFeaturedProperty', 'weekly featured property', [
		{
			name: 'Activate',
			value: 'activate',
			description:
				'Feature a listing for a week, which usually spends one of your agency’s credits',
			action: 'Activate weekly featured property',
		},
	]),
];

/**
 * Makes the field “Operation” of one product, such as Premium Listing. The operations that only read are the same for
 * every product.
 */
function operationField(
	resource: string,
	product: string,
	orders: INodePropertyOptions[],
): INodeProperties {
	const lookups = [
		{
			name: 'Get Activation',
			value: 'get',
			description: `Retrieve a ${product} activation by its ID, to check its status`,
			action: `Get ${product} activation`,
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: `Retrieve a list of ${product} activations, of a listing or a period, newest first`,
			action: `Get many ${product} activations`,
		},
	];
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'get',
		description: 'What to order, change or retrieve',
		displayOptions: { show: { resource: [resource] } },
		options: sortBy([...orders, ...lookups], 'name'),
	};
}

export const activationIdField: INodeProperties = {
	displayName: 'Activation ID',
	name: 'activationId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 4f7a2c1e-0000-4000-8000-000000000001',
	description: 'The activation’s ID, as returned by ‘Activate’ or ‘Get Many’',
};

export const highlightsField: INodeProperties = {
	displayName: LABELS.highlights,
	name: 'highlights',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true, sortable: true },
	placeholder: 'Add highlight',
	default: {},
	description: 'The highlights to show, in this order',
	options: [
		{
			displayName: 'Highlight',
			name: 'highlight',
			values: [
				{
					displayName: LABELS.highlightId,
					name: 'id',
					// The ID of a highlight is a text field, because n8n fills a new number field with a number, which
					// may be the ID of a real highlight.
					type: 'string',
					default: '',
					placeholder: 'e.g. 7',
					description: 'The highlight’s number. Ask the operator of the service for the list.',
				},
				{
					displayName: LABELS.highlightDescription,
					name: 'description',
					type: 'string',
					default: '',
					placeholder: 'e.g. South-facing garden',
					description: 'A few words about this highlight',
				},
			],
		},
	],
};

/** Makes the field “Options”: first the options that only one operation has, then those that all operations have. */
export function productsOptions(more: INodeProperties[] = []): INodeProperties {
	return optionsField([...more, ...retryOptions]);
}
