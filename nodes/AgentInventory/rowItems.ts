import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { AgencyList } from '../../service/inventory/agency';
import { readResultLimit } from '../common/readers';
import { readSelect } from '../common/tool/fieldsToReturn';
import { agencyFor } from '../common/inventory/readers';

/**
 * The rows of a list as the service sends them, in its order.
 *
 * @param names of the fields that a model can be given one by one
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function rowItems(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
	list: AgencyList,
	query: IDataObject,
	names: string[],
): Promise<INodeExecutionData[]> {
	const limit = readResultLimit(context, itemIndex);
	const select = readSelect(context, itemIndex, names);
	const { agency } = await agencyFor(context, itemIndex);
	const rows = await agency.endingWith(failed).list(list, query, limit);
	return rows.map((row) => ({ json: select(row), pairedItem: { item: itemIndex } }));
}
