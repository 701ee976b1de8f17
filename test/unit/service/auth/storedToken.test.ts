import { beforeEach, describe, expect, it } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { holdsUsableToken } from '../../../../service/auth/storedToken';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a stored token', () => {
	it('is usable while it is there, alive and of this pair', async () => {
		const stored = await pair.renew();

		expect(holdsUsableToken(pair.grant, stored)).toBe(true);
		expect(holdsUsableToken(pair.grant, { ...stored, tokenExpiresAt: 0 })).toBe(true);
		expect(holdsUsableToken(pair.grant, { ...stored, accessToken: '' })).toBe(false);
		expect(holdsUsableToken(pair.grant, { ...stored, accessToken: 5 })).toBe(false);
		expect(holdsUsableToken(pair.grant, { ...stored, tokenFingerprint: 'other' })).toBe(false);

		clock.now += 60 * MINUTE_MS - 1;

		expect(holdsUsableToken(pair.grant, stored)).toBe(true);

		clock.now += 1;

		expect(holdsUsableToken(pair.grant, stored)).toBe(false);
	});
});
