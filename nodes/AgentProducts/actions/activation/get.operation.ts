import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { activationIdField, productsOptions } from '../../fields';
import { productsFor } from '../../productsFor';
import { readActivationId } from '../../readers';

export const getActivationFields = updateDisplayOptions({ show: { operation: ['get'] } }, [
	activationIdField,
	productsOptions(),
]);

/**
 * Gets the current state of the activation whose ID an input item contains.
 *
 * @throws FieldError before any request, ServiceError if there is no such activation or the service does not answer
 */
export async function getActivation(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const id = readActivationId(context, itemIndex);
	const products = await productsFor(context, itemIndex);
	const json = await products.activation(id, { needed: failed });
	return [{ json, pairedItem: { item: itemIndex } }];
}
