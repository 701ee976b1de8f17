import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { replaceHighlights } from '../../../../service/products/highlights';
import { activationIdField, highlightsField, productsOptions } from '../../fields';
import { productsFor } from '../../productsFor';
import { readActivationId, readHighlights } from '../../readers';

export const updateHighlightsFields = updateDisplayOptions(
	{ show: { resource: ['premiumListing'], operation: ['updateHighlights'] } },
	[
		activationIdField,
		{
			displayName: 'The highlights below replace the current ones. Without any, all are removed.',
			name: 'replaceNotice',
			type: 'notice',
			default: '',
		},
		{ ...highlightsField, description: 'The highlights to show from now on, in this order' },
		productsOptions(),
	],
);

/**
 * Asks the service to change the highlights of an activation, and returns the activation. The service makes the change
 * some time after its answer.
 *
 * @throws FieldError before any request, ServiceError if the service does not accept the change
 */
export async function updateHighlights(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const id = readActivationId(context, itemIndex);
	const highlights = readHighlights(context, itemIndex);
	const products = await productsFor(context, itemIndex);
	return [
		{ json: await replaceHighlights(products, id, highlights), pairedItem: { item: itemIndex } },
	];
}
