import union from 'lodash/union';
import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { withSpacedPostcodes } from '../../../../service/inventory/addressMatch';
import { filtersOf } from '../../../common/fields/list';
import { readChoice, readSearched } from '../../../common/readers';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { modelFields } from '../../../common/tool/output';
import { listOptions, propertyOutputFields } from '../../fields';
import type { Filter } from '../../../common/inventory/filters';
import { FILTERS } from '../../../common/inventory/filters';
import { PROPERTY_FIELDS } from '../../../common/inventory/simplifyProperty';
import { listing, propertyListing } from '../../listing';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';

/** The choices of “Search By”. */
const SEARCHES = { address: 'address', text: 'text' } as const;

/**
 * Makes the form field of a filter. If only one of the two searches (by address or by text) supports the filter, the
 * field is shown only for that search.
 */
function fieldOf(filter: Filter): INodeProperties {
	const takers = Object.values(SEARCHES).filter((search) => FILTERS[search].includes(filter));
	if (takers.length > 1) return filter.field;
	return { ...filter.field, displayOptions: { show: { '/searchBy': takers } } };
}

export const searchFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['search'] } },
	[
		toolDescription(
			`Finds properties of the agency by words${UP_TO_LIMIT}`,
			modelFields(PROPERTY_FIELDS),
		),
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
					description: 'Search addresses only',
				},
				{
					name: 'Text',
					value: 'text',
					description: 'Search addresses, contact names and more',
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
		...propertyOutputFields,
		listOptions(true),
	],
);

/** Searches for the properties that match the query. */
export const search = listing((context, itemIndex) => {
	const searchBy: unknown = context.getNodeParameter('searchBy', itemIndex, 'address');
	const list = readChoice('Search By', searchBy, SEARCHES);
	const query = readSearched(
		'Query',
		context.getNodeParameter('query', itemIndex, ''),
		'Enter words of an address, a postcode or a name.',
	);
	const filters = readFilterQuery(context, itemIndex, FILTERS[list]);
	const text = withSpacedPostcodes(query);
	const words = list === 'address' ? { address: text } : { query: text };
	const nothing = `No property matches “${text}”. Check the spelling, or search for less.`;
	const found = propertyListing(context, itemIndex, list, { ...words, ...filters }, true);
	return { ...found, nothing };
});
