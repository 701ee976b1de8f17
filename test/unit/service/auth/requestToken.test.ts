import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { requestToken } from '../../../../service/auth/requestToken';
import type { SendHttp } from '../../../../service/http/request';
import { INVENTORY_INTEGRATION } from '../../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a token request', () => {
	const CREDENTIAL = {
		...{ clientId: 'client', clientSecret: 'sécret:+%', agencyRef: 'agency' },
		...{ authUrl: 'https://auth.example.com', tokenUrl: 'https://auth.example.com/token/' },
		...{ leadsUrl: 'https://leads.example.com/', productsUrl: 'https://products.example.com' },
		inventoryUrl: 'https://inventory.example.com',
	};
	// “client:sécret:+%” in UTF-8, not percent-encoded
	const BASIC = 'Basic Y2xpZW50OnPDqWNyZXQ6KyU=';
	const PAIR = 'client_id=client&client_secret=s%C3%A9cret%3A%2B%25';

	it.each([
		[
			LEADS_INTEGRATION,
			'oauth2/token',
			`grant_type=client_credentials&${PAIR}&audience=https%3A%2F%2Fleads.example.com%2F`,
			undefined,
		],
		[
			PRODUCTS_INTEGRATION,
			'oauth2/token',
			'grant_type=client_credentials&scope=api%2Fapi_access',
			BASIC,
		],
		[INVENTORY_INTEGRATION, 'token/', 'grant_type=client_credentials', BASIC],
	])('has the form of its API', async ({ grant }, path, body, authorization) => {
		const http = jest.fn<SendHttp>(async () => await pair.http({ url: '' }));

		await requestToken(http, grant(CREDENTIAL));

		const [{ headers, ...request } = { url: '' }] = http.mock.lastCall ?? [];
		expect(request).toMatchObject({
			method: 'POST',
			url: `https://auth.example.com/${path}`,
			body,
		});
		expect(headers).toEqual({
			'content-type': 'application/x-www-form-urlencoded',
			accept: 'application/json',
			...(authorization && { authorization }),
		});
	});
});

describe('an issued token', () => {
	it.each([
		['a number', 600, 600_000],
		['a small number', 1, 1_000],
		['text', '600', 600_000],
		['text with a fraction', '600.0', 600_000],
	])('lives as long as %s says', async (_, lifetime, ms) => {
		pair.body = () => ({ access_token: 'token', expires_in: lifetime });

		expect(await pair.renew()).toMatchObject({ tokenExpiresAt: clock.now + ms });
	});

	it.each([undefined, null, 0, -1, '-1', 'soon', '', true, Infinity, 'Infinity', [600]])(
		'has no known end if its lifetime is %p',
		async (lifetime) => {
			pair.body = () => ({ access_token: 'token', expires_in: lifetime });

			expect(await pair.renew()).toMatchObject({ tokenExpiresAt: 0 });
		},
	);

	it.each(['', ' ', 'two words', ' token', 'token ', 'token\n', '\r\ntoken', 'tökén', 5, null])(
		'is none if it is %p, which no header can carry',
		async (token) => {
			pair.body = () => ({ access_token: token, expires_in: 3_600 });

			await expect(pair.renew()).rejects.toMatchObject({
				kind: 'foreign',
				message: 'The service answered without a token',
				details: { requestKind: 'token' },
			});
			expect(pair.stored.accessToken).toBeUndefined();
		},
	);
});
