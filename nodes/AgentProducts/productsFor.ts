import type { IExecuteFunctions } from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import type { Product } from '../../service/products/products';
import { Products } from '../../service/products/products';
import { Session } from '../../service/session';
import { FieldError } from '../common/fieldError';
import { readRetryLimits } from '../common/readers';

const PRODUCT_OF_RESOURCE = new Map<string, Product>([
	['premiumListing', 'premium-listings'],
	['weeklyFeaturedProperty', 'weekly-featured-properties'],
]);

/**
 * Makes the client for the product that an input item orders or reads, with the credential of this item.
 *
 * @throws FieldError for an unknown resource or unusable options, ServiceError if the credential is incomplete
 */
export async function productsFor(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<Products> {
	const limits = readRetryLimits(context.getNodeParameter('options', itemIndex, {}));
	const resource = textOf(context.getNodeParameter('resource', itemIndex, ''));
	const product = PRODUCT_OF_RESOURCE.get(resource);
	if (!product) throw new FieldError('Resource', 'is unknown', 'Choose one from its list.');
	const { credentialType } = PRODUCTS_INTEGRATION;
	const credentials = await context.getCredentials(credentialType, itemIndex);
	return new Products(new Session(context, PRODUCTS_INTEGRATION, credentials, limits), product);
}
