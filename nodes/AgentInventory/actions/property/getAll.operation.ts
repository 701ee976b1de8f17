import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf, listFields } from '../../../common/fields/list';
import { readResultLimit } from '../../../common/readers';
import { inventoryOptions } from '../../fields';
import { FILTERS } from '../../filters';
import { readFilterQuery } from '../../readFilterQuery';
import { agencyFor } from '../../readers';

export const getManyPropertiesFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['getAll'] } },
	[
		filtersOf(
			'properties',
			FILTERS.filter.map(({ field }) => field),
		),
		...listFields,
		inventoryOptions,
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
): Promise<INodeExecutionData[]> {
	const query = readFilterQuery(context, itemIndex, FILTERS.filter);
	const limit = readResultLimit(context, itemIndex);
	const { agency } = await agencyFor(context, itemIndex);
	const rows = await agency.list('filter', query, limit);
	return rows.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
