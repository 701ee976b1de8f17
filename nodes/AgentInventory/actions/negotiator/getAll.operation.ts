import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { fieldsToReturn } from '../../../common/tool/fieldsToReturn';
import { inventoryOptions } from '../../fields';
import { rowItems } from '../../listItems';

/** What an assistant needs of a negotiator; the service tells more. */
const NEGOTIATOR_FIELDS = ['id', 'name', 'role', 'email', 'phoneNumber'];

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the staff of the agency${UP_TO_LIMIT}`, NEGOTIATOR_FIELDS),
		...toolListFields,
		fieldsToReturn(NEGOTIATOR_FIELDS),
		inventoryOptions,
	],
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
	return await rowItems(context, itemIndex, failed, 'negotiators', {}, NEGOTIATOR_FIELDS);
}
