import { describe, expect, it } from '@jest/globals';

import { originOf } from '../../../../service/auth/grant';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import { TokenPair } from '../../../lab/tokenPair';

describe('a client’s pair', () => {
	it.each([
		[{ clientId: '' }, '“Client ID” is empty in the credential'],
		[{ clientSecret: '' }, '“Client Secret” is empty in the credential'],
	])('is told to be incomplete: %j', (credentials, message) => {
		expect(() => LEADS_INTEGRATION.grant({ ...new TokenPair().stored, ...credentials })).toThrow(
			message,
		);
	});
});

describe('a fingerprint', () => {
	it('tells nothing of its parts', () => {
		expect(new TokenPair().grant.fingerprint).toMatch(/^[A-Za-z0-9_-]{43}$/);
	});
});

describe('the values that must never be shown of an answer', () => {
	it('are the tokens alone while the secret is not decrypted', () => {
		const grant = LEADS_INTEGRATION.grant({
			...new TokenPair().stored,
			secretFormat: 'pgp',
			encryptedSecret: 'not decrypted yet',
			privateKey: 'a key',
		});

		expect(originOf(grant, 'token').secrets).toEqual([]);
		expect(originOf(grant, 'data', ['token']).secrets).toEqual(['token']);
	});
});
