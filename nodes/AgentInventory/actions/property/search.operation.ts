import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import type { PropertyList } from '../../../../service/inventory/agency';
import { FieldError, readLimit, readText, textOf } from '../../../common/readers';
import { filtersOf, listProperties } from '../../../common/fields/list';
import { FILTERS, readFilterQuery } from '../../filters';
import {
	archivedFilter,
	branchIdsFilter,
	categoryFilter,
	dateFilters,
	inventoryOptions,
	recordTypeFilter,
} from '../../fields';
import { agencyFor, readOptions } from '../../readers';

const inText = (property: INodeProperties): INodeProperties => ({
	...property,
	displayOptions: { show: { '/searchBy': ['text'] } },
});

export const searchProperties = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['search'] } },
	[
		{
			displayName: 'Search By',
			name: 'searchBy',
			type: 'options',
			default: 'address',
			description: 'Where to look for the words, and how much of each property comes out',
			options: [
				{
					name: 'Address',
					value: 'address',
					description: 'In the address; returns the ID and the address of each property',
				},
				{
					name: 'Text',
					value: 'text',
					description:
						'In the address, in names of contacts and more; returns the main fields, with status and dates',
				},
			],
		},
		{
			displayName: 'Query',
			name: 'query',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 14 Mill Lane AB1 2CD',
			description: 'The words to look for, such as a street, a postcode or, by text, a name',
		},
		filtersOf('properties', [
			recordTypeFilter,
			archivedFilter,
			{ ...categoryFilter, displayOptions: { show: { '/searchBy': ['address'] } } },
			inText(branchIdsFilter),
			...dateFilters.map(inText),
		]),
		...listProperties,
		inventoryOptions,
	],
);

const LISTS: Record<string, Exclude<PropertyList, 'filter'>> = { address: 'address', text: 'text' };

/**
 * The properties that match, in the service's order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function search(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const list = LISTS[textOf(context.getNodeParameter('searchBy', itemIndex, 'address'))];
	if (!list) throw new FieldError('Search By', 'is unknown', 'Use address or text.');
	const query = readText('Query', context.getNodeParameter('query', itemIndex, ''));
	if (query === '') {
		throw new FieldError('Query', 'is empty', 'Enter words of an address, a postcode or a name.');
	}
	const filters = readFilterQuery(context, itemIndex, FILTERS[list]);
	const limit = readLimit(context, itemIndex);
	const options = readOptions(context.getNodeParameter('options', itemIndex, {}));
	const agency = await agencyFor(context, options, itemIndex);
	const words = list === 'address' ? { address: query } : { query };
	const rows = await agency.list(list, { ...words, ...filters }, limit);
	return rows.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
