import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields } from '../../../common/tool/fields';
import { fieldsToReturn } from '../../../common/tool/fieldsToReturn';
import { inventoryOptions } from '../../fields';
import { rowItems } from '../../rowItems';

/** What an assistant needs of a negotiator. */
const NEGOTIATOR_FIELDS_FOR_MODEL = ['id', 'name', 'role', 'email', 'phoneNumber'];

/** All that the service tells of one. */
const NEGOTIATOR_FIELDS = [
	...NEGOTIATOR_FIELDS_FOR_MODEL,
	'title',
	'loginName',
	'authorisedSignatory',
];

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[
		toolDescription('Lists the staff of the agency', NEGOTIATOR_FIELDS_FOR_MODEL),
		...toolListFields,
		fieldsToReturn(NEGOTIATOR_FIELDS, NEGOTIATOR_FIELDS_FOR_MODEL),
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
