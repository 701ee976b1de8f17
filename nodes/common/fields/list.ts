import sortBy from 'lodash/sortBy';
import type { INodeProperties } from 'n8n-workflow';

export const limitField: INodeProperties = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	description: 'Max number of results to return',
	displayOptions: { show: { returnAll: [false] } },
};

export const returnAllField: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

/** The fields “Return All” and “Limit”. */
export const listFields: INodeProperties[] = [returnAllField, limitField];

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** Makes the field of a filter for a date and time. */
export function dateFilter(
	displayName: string,
	name: string,
	description: string,
	hint = 'In the time zone of the workflow',
): INodeProperties {
	return { displayName, name, type: 'dateTime', default: '', hint, description };
}

/**
 * Makes the field “Filters”, a collection of filters in alphabetical order.
 *
 * @param what the plural word for the filtered records, such as “activations”
 */
export function filtersOf(what: string, options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add filter',
		default: {},
		description: `Which ${what} to get: only those that match every filter you add`,
		options: sortBy(options, 'displayName'),
	};
}

/**
 * Makes the field “Operation” of a resource that has only the operation “Get Many”. Each resource needs a field of its
 * own, because the editor shows a separate description for each.
 *
 * @param what the plural word for the listed records, such as “branches”
 */
export function getManyOf(
	resource: string,
	what: string,
	description: string,
	action: string,
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getAll',
		description: `How to retrieve the ${what}`,
		displayOptions: { show: { resource: [resource] } },
		options: [{ name: 'Get Many', value: 'getAll', description, action }],
	};
}
