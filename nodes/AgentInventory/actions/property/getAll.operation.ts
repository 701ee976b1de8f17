import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf } from '../../../common/fields/list';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { listOptions, ROW_FIELDS_FOR_MODEL, simplifyRowsFields } from '../../fields';
import { FILTERS } from '../../../common/inventory/filters';
import { listing, propertyListing } from '../../listing';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';

export const getManyPropertiesFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['getAll'] } },
	[
		toolDescription(
			`Lists properties of the agency that pass filters${UP_TO_LIMIT}`,
			ROW_FIELDS_FOR_MODEL,
		),
		filtersOf(
			'properties',
			FILTERS.filter.map(({ field }) => field),
		),
		...toolListFields,
		...simplifyRowsFields('The list has no price, bedrooms, owner or negotiator'),
		listOptions,
	],
);

/** The properties that pass the filters. */
export const getManyProperties = listing((context, itemIndex) => {
	const query = readFilterQuery(context, itemIndex, FILTERS.filter);
	return propertyListing(context, itemIndex, 'filter', query);
});
