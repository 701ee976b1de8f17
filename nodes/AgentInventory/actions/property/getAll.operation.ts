import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf } from '../../../common/fields/list';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { listOptions, ROW_FIELDS_FOR_MODEL, simplifyRowsFields } from '../../fields';
import { FILTERS } from '../../../common/inventory/filters';
import { propertyItems } from '../../listItems';
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

/**
 * The properties that pass the filters, in the service's order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyProperties(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const query = readFilterQuery(context, itemIndex, FILTERS.filter);
	return await propertyItems(context, itemIndex, failed, 'filter', query);
}
