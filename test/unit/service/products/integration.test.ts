import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';

const CREDENTIAL: ICredentialDataDecryptedObject = {
	clientId: 'client',
	clientSecret: 'secret',
	authUrl: 'https://auth.example.com',
	productsUrl: 'https://products.example.com',
};

const addressOf = (productsUrl: string) =>
	PRODUCTS_INTEGRATION.address({ ...CREDENTIAL, productsUrl });

describe('the address of the products API', () => {
	it.each([
		['as it is', 'https://products.example.com'],
		['without a slash at its end', 'https://products.example.com/'],
		['without a list’s path', 'https://products.example.com/products/premium-listings'],
		['without the start of a path', 'https://products.example.com/products'],
		[
			'without the other list’s',
			'https://products.example.com/products/weekly-featured-properties',
		],
		[
			'without a list’s path and a slash',
			'https://products.example.com/products/premium-listings/',
		],
	])('is taken %s', (_, productsUrl) => {
		expect(addressOf(productsUrl)).toBe('https://products.example.com');
	});

	it.each([
		'https://products.example.com/products/premium-listings/v2',
		'https://products.example.com/products/other',
	])('keeps a path that may be its own: %s', (productsUrl) => {
		expect(addressOf(productsUrl)).toBe(productsUrl);
	});

	it('is missed by its name', () => {
		expect(() => addressOf('')).toThrow(/“Products URL”/);
	});
});

describe('a token for the products API', () => {
	it('is asked for below the Auth URL, by HTTP Basic and with a scope', () => {
		const { tokenUrl, authenticate } = PRODUCTS_INTEGRATION.grant(CREDENTIAL);

		expect(tokenUrl).toBe('https://auth.example.com/oauth2/token');
		expect(authenticate('secret')).toEqual({
			form: { grant_type: 'client_credentials', scope: 'api/api_access' },
			// “client:secret”
			authorization: 'Basic Y2xpZW50OnNlY3JldA==',
		});
	});

	it.each([
		['ours/write', 'ours/write'],
		['', 'api/api_access'],
	])('with the scope “%s” in the credential asks for %s', (entered, scope) => {
		const { authenticate } = PRODUCTS_INTEGRATION.grant({ ...CREDENTIAL, scope: entered });

		expect(authenticate('secret').form.scope).toBe(scope);
	});

	it.each([
		['client', { clientId: 'other' }],
		['secret', { clientSecret: 'other' }],
		['sign-in address', { authUrl: 'https://other.example.com' }],
		['products address', { productsUrl: 'https://other.example.com' }],
		['scope', { scope: 'ours/write' }],
	])('is not that of another %s', (_, changes) => {
		const { fingerprint } = PRODUCTS_INTEGRATION.grant({ ...CREDENTIAL, ...changes });

		expect(fingerprint).not.toBe(PRODUCTS_INTEGRATION.grant(CREDENTIAL).fingerprint);
	});

	it('is that of the usual scope, named or not', () => {
		const { fingerprint } = PRODUCTS_INTEGRATION.grant({ ...CREDENTIAL, scope: 'api/api_access' });

		expect(fingerprint).toBe(PRODUCTS_INTEGRATION.grant(CREDENTIAL).fingerprint);
	});
});

describe('the test of the products credential', () => {
	it('reads the activations of a day long ago', () => {
		const { path, query } = PRODUCTS_INTEGRATION.probe(CREDENTIAL);

		expect({ path, query }).toEqual({
			path: '/products/premium-listings',
			query: { date_from: '2000-01-01T00:00:00Z', date_to: '2000-01-01T00:00:00Z' },
		});
	});
});
