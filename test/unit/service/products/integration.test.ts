import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';

const CREDENTIAL: ICredentialDataDecryptedObject = {
	clientId: 'client',
	clientSecret: 'secret',
	authUrl: 'https://auth.example.com',
	productsUrl: 'https://products.example.com',
};

describe('the address of the products API', () => {
	const ADDRESS = 'https://products.example.com';

	it.each([
		[`${ADDRESS}/products`, ADDRESS],
		[`${ADDRESS}/products/premium-listings/`, ADDRESS],
		[`${ADDRESS}/products/weekly-featured-properties`, ADDRESS],
		[`${ADDRESS}/products/premium-listings/v2`, `${ADDRESS}/products/premium-listings/v2`],
	])('as pasted %s', (productsUrl, address) => {
		expect(PRODUCTS_INTEGRATION.grant({ ...CREDENTIAL, productsUrl }).address).toBe(address);
	});
});

describe('a token for the products API', () => {
	it.each([
		['ours/write', 'ours/write'],
		['', 'api/api_access'],
	])('is for the scope “%s” in the credential, or for “%s”', (entered, scope) => {
		const { purpose } = PRODUCTS_INTEGRATION.grant({ ...CREDENTIAL, scope: entered });

		expect(purpose).toEqual({ scope });
	});
});
