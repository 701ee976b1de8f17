import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { updateHighlights as update } from '../../../../service/products/highlights';
import { readRetryLimits } from '../../../common/readers';
import { readHighlights } from '../../highlights';
import { activationIdProperty, highlightsProperty, optionsOf } from '../../fields';
import { productsFor, readActivationId } from '../../readers';

export const updateHighlightsProperties = updateDisplayOptions(
	{ show: { resource: ['premiumListing'], operation: ['updateHighlights'] } },
	[
		activationIdProperty,
		{
			...highlightsProperty,
			description:
				'What the premium listing points out from now on, in this order. These highlights replace the present ones: without any, the listing has none.',
		},
		optionsOf(),
	],
);

/**
 * The activation whose highlights an item changes; the service makes the change a little later.
 *
 * @throws FieldError before any request, ServiceError when the service does not take the change
 */
export async function updateHighlights(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const id = readActivationId(context, itemIndex);
	const highlights = readHighlights(context, itemIndex);
	const limits = readRetryLimits(context.getNodeParameter('options', itemIndex, {}));
	const products = await productsFor(context, itemIndex, limits);
	return [{ json: await update(products, id, highlights), pairedItem: { item: itemIndex } }];
}
