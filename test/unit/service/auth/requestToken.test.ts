import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IHttpRequestOptions } from 'n8n-workflow';

import { requestToken } from '../../../../service/auth/requestToken';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
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

describe('what a token request looks like', () => {
	const sent = async (grant: Parameters<typeof requestToken>[1]) => {
		const requests: IHttpRequestOptions[] = [];
		const body = { access_token: 'token' };
		const http = async (options: IHttpRequestOptions) =>
			await Promise.resolve({ statusCode: 200, headers: {}, body, seen: requests.push(options) });
		await requestToken(http, grant);
		return requests;
	};

	const COMMON = {
		method: 'POST',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		json: true,
		timeout: 30_000,
		abortSignal: expect.any(AbortSignal),
	};

	const HEADERS = {
		'content-type': 'application/x-www-form-urlencoded',
		accept: 'application/json',
	};

	it('for leads', async () => {
		expect(await sent(pair.grant)).toEqual([
			{
				...COMMON,
				url: 'https://auth.example.com/oauth2/token',
				headers: HEADERS,
				body: `grant_type=client_credentials&client_id=${pair.stored.clientId as string}&client_secret=secret&audience=https%3A%2F%2Fleads.example.com`,
			},
		]);
	});

	it('shows in a refusal', async () => {
		pair.status = 401;

		await expect(requestToken(pair.http, pair.grant)).rejects.toMatchObject({
			kind: 'credential',
			message: 'The service refused the client ID and client secret',
			details: { requestKind: 'token', status: 401 },
		});
	});
});
