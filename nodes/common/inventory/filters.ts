import sortBy from 'lodash/sortBy';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

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

/** The choices of a list, from the service's words to those that a person reads. */
function choices(names: Iterable<[value: string, name: string]>): INodePropertyOptions[] {
	return [...names].map(([value, name]) => ({ name, value }));
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
		options: choices([
			['Rent', 'Rent'],
			['Sale', 'Sale'],
		]),
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

const category: Filter = {
	parameter: 'category',
	kind: 'choice',
	field: {
		displayName: 'Category',
		name: 'category',
		type: 'options',
		default: 'Residential',
		description: 'The kind of property',
		options: choices([
			['Commercial', 'Commercial'],
			['Residential', 'Residential'],
		]),
	},
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

const DAY_HINT = 'The day in the time zone of the workflow. The time of day is ignored.';

/**
 * A filter from a time, and one up to a time.
 *
 * @param what happened then, such as “created at this time”
 * @param isDay whether they are about whole days
 */
function between(
	parameter: string,
	[label, name]: [string, string],
	what: string,
	isDay = false,
): Filter[] {
	const hint = isDay ? DAY_HINT : undefined;
	return [
		{
			parameter: `${parameter}-from`,
			kind: isDay ? 'dayFrom' : 'from',
			field: dateFilter(`${label} From`, `${name}From`, `Properties ${what} or later`, hint),
		},
		{
			parameter: `${parameter}-to`,
			kind: isDay ? 'dayTo' : 'to',
			field: dateFilter(`${label} To`, `${name}To`, `Properties ${what} or earlier`, hint),
		},
	];
}

const dates = [
	...between('created', ['Created', 'created'], 'created at this time'),
	...between('modified', ['Modified', 'modified'], 'last changed at this time'),
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
				...choices(STATUSES),
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

const managementType: Filter = {
	parameter: 'managementType',
	kind: 'choice',
	field: {
		displayName: 'Management Type',
		name: 'managementType',
		type: 'options',
		default: 'Managed',
		description:
			'How the agency manages the letting. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
		options: choices([
			['FullyManaged', 'Fully Managed'],
			['LetOnly', 'Let Only'],
			['Managed', 'Managed'],
			['NotManaged', 'Not Managed'],
			['PartManaged', 'Part Managed'],
			['RentCollectionService', 'Rent Collection Service'],
		]),
	},
};

const maintenanceType: Filter = {
	parameter: 'maintenance-type',
	kind: 'choice',
	field: {
		displayName: 'Maintenance Type',
		name: 'maintenanceType',
		type: 'options',
		default: 'MaintainedByUs',
		description:
			'Who is responsible for maintenance. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
		options: choices([
			['MaintainedByLandlord', 'Maintained by Landlord'],
			['MaintainedByUs', 'Maintained by Us'],
		]),
	},
};

const instructed = between(
	'instruction-date',
	['Instructed', 'instructed'],
	'instructed on this day',
	true,
);

/** The filters that each request takes. */
export const FILTERS: Record<PropertyList, Filter[]> = {
	address: [recordType, archived, category],
	text: [recordType, archived, branchIds, ...dates],
	filter: [
		...[recordType, archived, branchIds, ...dates, { ...category, parameter: 'categoryType' }],
		...[status, ownerId, managementType, maintenanceType, ...instructed],
	],
};
