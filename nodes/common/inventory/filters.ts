import camelCase from 'lodash/camelCase';
import sortBy from 'lodash/sortBy';
import { DateTime } from 'luxon';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import type { PropertyList } from '../../../service/inventory/agency';
import { dateFilter } from '../fields/list';
import { readChoices, readFlag, readIds, readText, readTime, wholeNumber } from '../readers';
import { inWords, ON_THE_MARKET, STATUSES, statusesOf } from './statuses';

/** A filter for properties: its field in n8n's form, and its query parameter in the request. */
export interface Filter {
	field: INodeProperties;
	/** The name of the query parameter. */
	parameter: string;
	/**
	 * Turns the value that a person has set into the value of the query parameter.
	 *
	 * @param zone the time zone of the workflow
	 * @throws FieldError
	 */
	read: (field: INodeProperties, value: unknown, zone: string) => string | string[];
}

function choices(words: string[]): INodePropertyOptions[] {
	return words.map((value) => ({ name: inWords(value), value }));
}

type Words = Pick<INodeProperties, 'displayName' | 'default' | 'description'>;

/** Makes a filter for which a person chooses one of the service's values. */
function choice(parameter: string, field: Words, words: string[]): Filter {
	const name = camelCase(field.displayName);
	const type = 'options';
	return { parameter, read: readText, field: { ...field, name, type, options: choices(words) } };
}

const recordType = choice(
	'recordType',
	{
		displayName: 'Record Type',
		default: 'Sale',
		description: 'Whether the property is for sale or for rent',
	},
	['Rent', 'Sale'],
);

const archived: Filter = {
	parameter: 'archived',
	read: (field, value) => String(readFlag(field, value)),
	field: {
		displayName: 'Archived',
		name: 'archived',
		type: 'boolean',
		default: false,
		description: 'Whether to return archived properties instead of current ones',
	},
};

const category = choice(
	'category',
	{ displayName: 'Category', default: 'Residential', description: 'The kind of property' },
	['Commercial', 'Residential'],
);

const branchIds: Filter = {
	parameter: 'branchIds',
	read: readIds,
	field: {
		displayName: 'Branch Names or IDs',
		name: 'branchIds',
		type: 'multiOptions',
		typeOptions: {
			loadOptionsMethod: 'getBranches',
			loadOptionsDependsOn: ['options.agencyRef', 'options.agencyRefs'],
		},
		default: [],
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
};

/**
 * Makes two filters for the time of an event: one for the earliest time and one for the latest.
 *
 * @param what the event at that time in words, such as “created at this time”
 * @param isByDay true if the service gets the start or the end of the day instead of the time that a person has set
 */
function between(parameter: string, label: string, what: string, isByDay = false): Filter[] {
	const hint = isByDay
		? 'The day in the time zone of the workflow. The time of day is ignored.'
		: undefined;
	const filter = (end: string, order: string, side: 'earliest' | 'latest'): Filter => ({
		parameter: `${parameter}-${end.toLowerCase()}`,
		field: dateFilter(
			`${label} ${end}`,
			`${label.toLowerCase()}${end}`,
			`Properties ${what} or ${order}`,
			hint,
		),
		read: (field, value, zone) => {
			const time = readTime(field, value, zone, side);
			if (!isByDay) return isoSeconds(time);
			const day = DateTime.fromMillis(time, { zone });
			const bound = side === 'earliest' ? day.startOf('day') : day.endOf('day');
			return isoSeconds(bound.toMillis());
		},
	});
	return [filter('From', 'later', 'earliest'), filter('To', 'earlier', 'latest')];
}

const dates = [
	...between('created', 'Created', 'created at this time'),
	...between('modified', 'Modified', 'last changed at this time'),
];

const status: Filter = {
	parameter: 'inventory-status',
	read: (field, value) => statusesOf(readChoices(field, value)),
	field: {
		displayName: 'Status',
		name: 'status',
		type: 'multiOptions',
		default: [ON_THE_MARKET],
		description:
			'One or more statuses that a property has now. Of a change, the status after it counts.',
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

/** The largest possible ID, because the service's integers have 32 bits. */
const LARGEST_ID = 2_147_483_647;

const ownerId: Filter = {
	parameter: 'owner-id',
	read: (field, value) => String(wholeNumber(field, value, 1, LARGEST_ID)),
	field: {
		displayName: 'Owner ID',
		name: 'ownerId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 321',
		description: 'The owner’s number, which ‘Get’ returns as ‘ownerId’',
	},
};

const managementType = choice(
	'managementType',
	{
		displayName: 'Management Type',
		default: 'Managed',
		description:
			'How the agency manages the letting. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
	},
	['FullyManaged', 'LetOnly', 'Managed', 'NotManaged', 'PartManaged', 'RentCollectionService'],
);

const maintenanceType = choice(
	'maintenance-type',
	{
		displayName: 'Maintenance Type',
		default: 'MaintainedByUs',
		description:
			'Who is responsible for maintenance. Returns lettings only. The service ignores this filter if ‘Record Type’ is Sale.',
	},
	['MaintainedByLandlord', 'MaintainedByUs'],
);

const instructed = between('instruction-date', 'Instructed', 'instructed on this day', true);

/** The filters that each of the service's lists of properties supports. */
export const FILTERS: Record<PropertyList, Filter[]> = {
	address: [recordType, archived, category],
	text: [recordType, archived, branchIds, ...dates],
	filter: [
		...[recordType, archived, branchIds, ...dates, { ...category, parameter: 'categoryType' }],
		...[status, ownerId, managementType, maintenanceType, ...instructed],
	],
};
