import sortBy from 'lodash/sortBy';
import type { INodeProperties } from 'n8n-workflow';

import type { PropertyList } from '../../../service/inventory/agency';
import { dateFilter } from '../fields/list';
import { ON_THE_MARKET, STATUSES } from './statuses';

/** A filter as the user sees it, and as the service gets it. */
export interface Filter {
	field: INodeProperties;
	/** Name of the query parameter. */
	parameter: string;
	kind: 'choice' | 'statuses' | 'flag' | 'ids' | 'number' | 'from' | 'to' | 'dayFrom' | 'dayTo';
}

const recordType: Filter = {
	parameter: 'recordType',
	kind: 'choice',
	field: {
		displayName: 'Record Type',
		name: 'recordType',
		type: 'options',
		default: 'Sale',
		description: 'Whether the property is for sale or for rent',
		options: [
			{ name: 'Rent', value: 'Rent' },
			{ name: 'Sale', value: 'Sale' },
		],
	},
};

const archived: Filter = {
	parameter: 'archived',
	kind: 'flag',
	field: {
		displayName: 'Archived',
		name: 'archived',
		type: 'boolean',
		default: false,
		description: 'Whether to get only archived properties, or only those that are not archived',
	},
};

const categoryField: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'options',
	default: 'Residential',
	description: 'The kind of property',
	options: [
		{ name: 'Commercial', value: 'Commercial' },
		{ name: 'Residential', value: 'Residential' },
	],
};

const branchIds: Filter = {
	parameter: 'branchIds',
	kind: 'ids',
	field: {
		displayName: 'Branch Names or IDs',
		name: 'branchIds',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getBranches', loadOptionsDependsOn: ['options.agencyRef'] },
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
};

const dates: Filter[] = [
	{
		parameter: 'created-from',
		kind: 'from',
		field: dateFilter('Created From', 'createdFrom', 'Properties created at this time or later'),
	},
	{
		parameter: 'created-to',
		kind: 'to',
		field: dateFilter('Created To', 'createdTo', 'Properties created at this time or earlier'),
	},
	{
		parameter: 'modified-from',
		kind: 'from',
		field: dateFilter(
			'Modified From',
			'modifiedFrom',
			'Properties last changed at this time or later',
		),
	},
	{
		parameter: 'modified-to',
		kind: 'to',
		field: dateFilter(
			'Modified To',
			'modifiedTo',
			'Properties last changed at this time or earlier',
		),
	},
];

const status: Filter = {
	parameter: 'inventory-status',
	kind: 'statuses',
	field: {
		displayName: 'Status',
		name: 'status',
		type: 'multiOptions',
		default: [ON_THE_MARKET],
		description: 'One or more current statuses. Each status takes a separate request.',
		options: sortBy(
			[
				...[...STATUSES].map(([value, name]) => ({ name, value })),
				{
					name: 'On the Market',
					value: ON_THE_MARKET,
					description: 'Available, or under offer or let and still marketed',
				},
			],
			'name',
		),
	},
};

const ownerId: Filter = {
	parameter: 'owner-id',
	kind: 'number',
	field: {
		displayName: 'Owner ID',
		name: 'ownerId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 321',
		description: 'The owner’s number, which Get returns as ‘ownerId’',
	},
};

/** How a letting is looked after; a sale has neither. */
const lettings: Filter[] = [
	{
		parameter: 'managementType',
		kind: 'choice',
		field: {
			displayName: 'Management Type',
			name: 'managementType',
			type: 'options',
			default: 'Managed',
			description:
				'How the agency manages the letting. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
			options: [
				{ name: 'Fully Managed', value: 'FullyManaged' },
				{ name: 'Let Only', value: 'LetOnly' },
				{ name: 'Managed', value: 'Managed' },
				{ name: 'Not Managed', value: 'NotManaged' },
				{ name: 'Part Managed', value: 'PartManaged' },
				{ name: 'Rent Collection Service', value: 'RentCollectionService' },
			],
		},
	},
	{
		parameter: 'maintenance-type',
		kind: 'choice',
		field: {
			displayName: 'Maintenance Type',
			name: 'maintenanceType',
			type: 'options',
			default: 'MaintainedByUs',
			description:
				'Who is responsible for maintenance. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
			options: [
				{ name: 'Maintained by Landlord', value: 'MaintainedByLandlord' },
				{ name: 'Maintained by Us', value: 'MaintainedByUs' },
			],
		},
	},
];

const DAY_HINT = 'The day in the time zone of the workflow. The time of day is ignored.';

const instructions: Filter[] = [
	{
		parameter: 'instruction-date-from',
		kind: 'dayFrom',
		field: dateFilter(
			'Instructed From',
			'instructedFrom',
			'Properties instructed on this day or later',
			DAY_HINT,
		),
	},
	{
		parameter: 'instruction-date-to',
		kind: 'dayTo',
		field: dateFilter(
			'Instructed To',
			'instructedTo',
			'Properties instructed on this day or earlier',
			DAY_HINT,
		),
	},
];

/** The filters that each request takes. */
export const FILTERS: Record<PropertyList, Filter[]> = {
	address: [recordType, archived, { parameter: 'category', kind: 'choice', field: categoryField }],
	text: [recordType, archived, branchIds, ...dates],
	filter: [
		recordType,
		archived,
		branchIds,
		...dates,
		{ parameter: 'categoryType', kind: 'choice', field: categoryField },
		status,
		ownerId,
		...lettings,
		...instructions,
	],
};
