import { beforeEach, describe, expect, it } from '@jest/globals';

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
	])('lives as long as %s says', async (_, lifetime, ms) => {
		pair.body = () => ({ access_token: 'token', expires_in: lifetime });

		expect(await pair.renew()).toMatchObject({ tokenExpiresAt: clock.now + ms });
	});

	it.each([undefined, null, 0, -1, '600', true, [600]])(
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
