import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { listFields } from '../../../common/fields/list';
import { readResultLimit } from '../../../common/readers';
import { inventoryOptions } from '../../fields';
import { agencyUntil } from '../../readers';

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[...listFields, inventoryOptions],
);

/**
 * The agency's negotiators as the service sends them, in its order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyNegotiators(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const limit = readResultLimit(context, itemIndex);
	const agency = await agencyUntil(failed, context, itemIndex);
	const negotiators = await agency.list('negotiators', {}, limit);
	return negotiators.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
