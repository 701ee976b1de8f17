import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { readRetryLimits } from '../../../common/readers';
import { activationIdProperty, optionsOf } from '../../fields';
import { productsFor, readActivationId } from '../../readers';

export const getProperties = updateDisplayOptions({ show: { operation: ['get'] } }, [
	activationIdProperty,
	optionsOf(),
]);

/**
 * The activation that an item names, as it stands now.
 *
 * @throws FieldError before any request, ServiceError when there is none or the service does not
 * answer
 */
export async function get(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const id = readActivationId(context, itemIndex);
	const limits = readRetryLimits(context.getNodeParameter('options', itemIndex, {}));
	const products = await productsFor(context, itemIndex, limits);
	return [{ json: await products.activation(id), pairedItem: { item: itemIndex } }];
}
