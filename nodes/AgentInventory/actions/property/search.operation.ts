import union from 'lodash/union';
import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { FieldError } from '../../../common/fieldError';
import { filtersOf } from '../../../common/fields/list';
import { readChoice, readText } from '../../../common/readers';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { listOptions, ROW_FIELDS_FOR_MODEL, simplifyRowsFields } from '../../fields';
import type { Filter } from '../../../common/inventory/filters';
import { FILTERS } from '../../../common/inventory/filters';
import { listing, propertyListing } from '../../listing';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';

/** What “Search By” offers. */
const SEARCHES = { address: 'address', text: 'text' } as const;

/** A filter that only one of the searches takes is offered beside that one alone. */
function fieldOf(filter: Filter): INodeProperties {
	const takers = Object.values(SEARCHES).filter((search) => FILTERS[search].includes(filter));
	if (takers.length > 1) return filter.field;
	return { ...filter.field, displayOptions: { show: { '/searchBy': takers } } };
}

export const searchFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['search'] } },
	[
		toolDescription(`Finds properties of the agency by words${UP_TO_LIMIT}`, ROW_FIELDS_FOR_MODEL),
		{
			displayName: 'Search By',
			name: 'searchBy',
			type: 'options',
			default: 'address',
			description: 'Where to look for the words',
			options: [
				{
					name: 'Address',
					value: 'address',
					description: 'Search addresses only. Returns the ID and address of each property.',
				},
				{
					name: 'Text',
					value: 'text',
					description:
						'Search addresses, contact names and more. Also returns the status and dates.',
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
			description: 'The words to look for, such as a street or a postcode',
		},
		filtersOf('properties', union(FILTERS.address, FILTERS.text).map(fieldOf)),
		...toolListFields,
		...simplifyRowsFields(
			'A search returns no price, bedrooms, owner or negotiator, and by address only address and ID',
		),
		listOptions,
	],
);

/** The properties that match. */
export const search = listing((context, itemIndex) => {
	const searchBy: unknown = context.getNodeParameter('searchBy', itemIndex, 'address');
	const list = readChoice('Search By', searchBy, SEARCHES);
	const query = readText('Query', context.getNodeParameter('query', itemIndex, ''));
	if (query === '') {
		throw new FieldError('Query', 'is empty', 'Enter words of an address, a postcode or a name.');
	}
	const filters = readFilterQuery(context, itemIndex, FILTERS[list]);
	const words = list === 'address' ? { address: query } : { query };
	return propertyListing(context, itemIndex, list, { ...words, ...filters });
});
