import type { INodeProperties } from 'n8n-workflow';

import { dateFilter } from '../common/fields/list';
import { retryOptions } from '../common/fields/retry';

/** Fields that the operations of Agent Inventory share. */
export const recordTypeFilter: INodeProperties = {
	displayName: 'Record Type',
	name: 'recordType',
	type: 'options',
	default: 'Sale',
	description: 'Whether the property is for sale or to let',
	options: [
		{ name: 'Rent', value: 'Rent' },
		{ name: 'Sale', value: 'Sale' },
	],
};

export const categoryFilter: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'options',
	default: 'Residential',
	description: 'What kind of property it is',
	options: [
		{ name: 'Commercial', value: 'Commercial' },
		{ name: 'Residential', value: 'Residential' },
	],
};

export const archivedFilter: INodeProperties = {
	displayName: 'Archived',
	name: 'archived',
	type: 'boolean',
	default: false,
	description: 'Whether to get only archived properties, or only those that are not archived',
};

export const branchIdsFilter: INodeProperties = {
	displayName: 'Branch IDs',
	name: 'branchIds',
	type: 'string',
	default: '',
	placeholder: 'e.g. 11, 12',
	description: 'The branches whose properties to get, separated by commas',
};

export const dateFilters: INodeProperties[] = [
	dateFilter('Created From', 'createdFrom', 'Properties created at this time or later'),
	dateFilter('Created To', 'createdTo', 'Properties created at this time or earlier'),
	dateFilter('Modified From', 'modifiedFrom', 'Properties last changed at this time or later'),
	dateFilter('Modified To', 'modifiedTo', 'Properties last changed at this time or earlier'),
];

export const inventoryOptions: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	description: 'What is rarely needed, such as how often to try again while the service is busy',
	options: [
		{
			displayName: 'AgencyRef',
			name: 'agencyRef',
			type: 'string',
			default: '',
			placeholder: 'e.g. 6f1d2c3b-4a59-4e87-9c60-112233445566',
			description:
				'The agency whose properties to read, instead of the one in the credential. It may differ from item to item.',
		},
		...retryOptions,
	],
};
