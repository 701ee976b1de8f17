import type { IExecuteFunctions } from 'n8n-workflow';

import type { Product } from '../../service/products/products';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import { Products } from '../../service/products/products';
import { Session } from '../../service/session';
import type { RetryLimits } from '../../service/session';
import { FieldError } from '../common/fieldError';
import { isEmpty } from '../common/readers';
import { textOf } from '../../service/basics/values';

const PRODUCTS = new Map<string, Product>([
	['premiumListing', 'premium-listings'],
	['weeklyFeaturedProperty', 'weekly-featured-properties'],
]);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws FieldError for an unknown resource, ServiceError when the credential is incomplete */
export async function productsFor(
	context: IExecuteFunctions,
	itemIndex: number,
	limits: RetryLimits,
): Promise<Products> {
	const product = PRODUCTS.get(textOf(context.getNodeParameter('resource', itemIndex, '')));
	if (!product) throw new FieldError('Resource', 'is unknown', 'Choose it from the list.');
	const { credentialType } = PRODUCTS_INTEGRATION;
	const credentials = await context.getCredentials(credentialType, itemIndex);
	return new Products(new Session(context, PRODUCTS_INTEGRATION, credentials, limits), product);
}

/** @throws FieldError */
export function readActivationId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('activationId', itemIndex, '');
	const id = textOf(value).trim();
	if (UUID.test(id)) return id;
	throw new FieldError(
		'Activation ID',
		isEmpty(value) ? 'is empty' : 'is not the ID of an activation',
		'It looks like 4f7a2c1e-0000-4000-8000-000000000001, and is the “id” in the output of Activate and Get Many.',
	);
}

/**
 * An ID that is a whole number, also as text.
 *
 * @throws FieldError
 */
export function readWholeId(
	field: string,
	value: unknown,
	atLeast: number,
	remedy: string,
): number {
	const text = textOf(value).trim();
	const id = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(id) && id >= atLeast) return id;
	const problem = isEmpty(value) ? 'is empty' : 'is not a whole number';
	const given = isEmpty(value) ? '' : `It is ${JSON.stringify(value) ?? 'empty'}. `;
	throw new FieldError(field, problem, given + remedy);
}

/**
 * A listing's ID in the service.
 *
 * @param otherwise where the ID of the agency's own software belongs
 * @throws FieldError
 */
export function readListingId(field: string, value: unknown, otherwise: string): number {
	return readWholeId(
		field,
		value,
		1,
		`The service’s own ID of a listing is a whole number, such as 12345678. For the ID of your own software ${otherwise}.`,
	);
}

/**
 * A listing's ID in the agency's own software: text.
 *
 * @throws FieldError
 */
export function readCustomerListingId(field: string, value: unknown): string {
	const id = textOf(value).trim();
	if (id !== '') return id;
	throw new FieldError(
		field,
		'is empty',
		'Enter the ID that your own software gave the listing when it sent it to the portal.',
	);
}
