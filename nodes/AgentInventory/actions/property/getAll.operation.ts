import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf, simplifyField } from '../../../common/fields/list';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { outputFields } from '../../../common/tool/output';
import { listOptions, ROW_FIELDS } from '../../fields';
import { FILTERS } from '../../../common/inventory/filters';
import { PROPERTY_FIELDS } from '../../../common/inventory/simplifyProperty';
import { listing, propertyListing } from '../../listing';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';

export const getManyPropertiesFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['getAll'] } },
	[
		toolDescription(
			`Lists properties of the agency that pass filters${UP_TO_LIMIT}`,
			ROW_FIELDS.filter,
		),
		filtersOf(
			'properties',
			FILTERS.filter.map(({ field }) => field),
		),
		...toolListFields,
		...outputFields(PROPERTY_FIELDS, {
			...simplifyField,
			hint: 'The list has no price, bedrooms, owner or negotiator. To get them, add the option ‘Whole Records’ and turn it on.',
		}),
		listOptions(false),
	],
);

/** Lists the properties that match the filters. */
export const getManyProperties = listing((context, itemIndex) => {
	const query = readFilterQuery(context, itemIndex, FILTERS.filter);
	return propertyListing(context, itemIndex, 'filter', query, false);
});
