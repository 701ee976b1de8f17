import type { IExecuteFunctions } from 'n8n-workflow';

import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import type { Product } from '../../service/products/products';
import { Products } from '../../service/products/products';
import { Session } from '../../service/session';
import { readChoice, readRetryLimits } from '../common/readers';

const PRODUCT_OF_RESOURCE: Record<string, Product> = {
	premiumListing: 'premium-listings',
	weeklyFeaturedProperty: 'weekly-featured-properties',
};

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
	const resource: unknown = context.getNodeParameter('resource', itemIndex, '');
	const product = readChoice('Resource', resource, PRODUCT_OF_RESOURCE);
	const { credentialType } = PRODUCTS_INTEGRATION;
	const credentials = await context.getCredentials(credentialType, itemIndex);
	return new Products(new Session(context, PRODUCTS_INTEGRATION, credentials, limits), product);
}
