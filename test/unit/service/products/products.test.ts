import { describe, expect, it } from '@jest/globals';

import type { Product } from '../../../../service/products/products';
import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';
import { Products } from '../../../../service/products/products';
import type { SessionContext } from '../../../../service/session';
import { Session } from '../../../../service/session';
import { DEFAULT_LIMITS } from '../../../../service/http/retry';

const credential = {
	clientId: 'client',
	clientSecret: 'secret',
	authUrl: 'https://auth.example.com',
	productsUrl: 'https://products.example.com',
	scope: 'api/api_access',
};

/** Nothing is sent here. */
const context: Partial<SessionContext> = {};

const identityOf = (product: Product, changes = {}) =>
	new Products(
		new Session(
			context as SessionContext,
			PRODUCTS_INTEGRATION,
			{ ...credential, ...changes },
			DEFAULT_LIMITS,
		),
		product,
	).identity;

describe('what tells accounts of a product apart', () => {
	it('is neither the token nor who asks', () => {
		expect(identityOf('premium-listings', { accessToken: 'token' })).toBe(
			identityOf('premium-listings'),
		);
	});

	it.each([
		['the product', identityOf('weekly-featured-properties')],
		['the client', identityOf('premium-listings', { clientId: 'other' })],
		['the secret', identityOf('premium-listings', { clientSecret: 'other' })],
		['the sign-in address', identityOf('premium-listings', { authUrl: 'https://b.example.com' })],
	])('is %s', (_, other) => {
		expect(identityOf('premium-listings')).not.toBe(other);
	});
});
