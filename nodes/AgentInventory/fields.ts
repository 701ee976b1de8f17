import type { INodeProperties } from 'n8n-workflow';

import { getManyOf, simplifyField } from '../common/fields/list';
import { optionsField } from '../common/fields/options';
import { retryOptions } from '../common/fields/retry';
import { outputFields } from '../common/tool/output';
import { PROPERTY_FIELDS } from '../common/inventory/simplifyProperty';
import type { PropertyList } from '../../service/inventory/agency';
import { CREDENTIAL_LABELS } from '../../service/labels';

/** The fields “Resource” and “Operation”. */
export const inventoryOperationFields: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		default: 'property',
		description: 'The kind of record to retrieve',
		options: [
			{ name: 'Branch', value: 'branch', description: 'An office of the agency' },
			{ name: 'Negotiator', value: 'negotiator', description: 'A person who works for the agency' },
			{
				name: 'Property',
				value: 'property',
				description: 'A property that the agency sells, lets or values, or has sold or let',
			},
		],
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'search',
		description: 'How to retrieve properties',
		displayOptions: { show: { resource: ['property'] } },
		options: [
			{
				name: 'Find for Lead',
				value: 'findForLead',
				description: 'Retrieve the property that a lead is about, by UPRN, reference or address',
				action: 'Find property for lead',
			},
			{
				name: 'Get',
				value: 'get',
				description: 'Retrieve one property, with price, rooms, status, owner, negotiator and more',
				action: 'Get property',
			},
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'Retrieve a list of properties, filtered by status, branch, owner or dates',
				action: 'Get many properties',
			},
			{
				name: 'Search',
				value: 'search',
				description: 'Retrieve a list of properties by address, postcode or contact name',
				action: 'Search properties',
			},
		],
	},
	getManyOf(
		'branch',
		'branches',
		'Retrieve a list of the agency’s branches, with IDs and addresses',
		'Get many branches',
	),
	getManyOf(
		'negotiator',
		'negotiators',
		'Retrieve a list of the agency’s negotiators, with IDs, email addresses and roles',
		'Get many negotiators',
	),
];

const DATED_ROW = ['address', 'status', 'recordType', 'branchId', 'archived', 'instructionDate'];

/** The fields of a simplified property that a row in one of the service's lists can fill, for each of these lists. */
export const ROW_FIELDS: Record<PropertyList, string[]> = {
	address: ['address', 'postcode', 'id'],
	text: [...DATED_ROW, 'createdAt', 'modifiedAt', 'postcode', 'id'],
	filter: [...DATED_ROW, 'createdAt', 'modifiedAt', 'postcode', 'id'],
};

/** The fields by which a person sets how much of a property the node returns. */
export const propertyOutputFields = outputFields(PROPERTY_FIELDS, simplifyField);

const agencyOptions: INodeProperties[] = [
	{
		displayName: CREDENTIAL_LABELS.agencyRef,
		name: 'agencyRef',
		type: 'string',
		default: '',
		placeholder: 'e.g. 6f1d2c3b-4a59-4e87-9c60-112233445566',
		description:
			'The agency to use instead of the one in the credential. It can differ from item to item.',
	},
	...retryOptions,
];

export const inventoryOptions = optionsField(agencyOptions);

const wholeRecords: INodeProperties = {
	displayName: 'Whole Records',
	name: 'wholeRecords',
	type: 'boolean',
	default: false,
	description:
		'Whether to get the whole record of each property, with price, bedrooms, owner and negotiator. Takes one more request for every 50 properties.',
};

/**
 * Makes the options of an operation that lists properties.
 *
 * @param isWhole true if “Whole Records” is on by default
 */
export function listOptions(isWhole: boolean): INodeProperties {
	return optionsField([{ ...wholeRecords, default: isWhole }, ...agencyOptions]);
}
