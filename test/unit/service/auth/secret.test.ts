import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { clientSecretOf } from '../../../../service/auth/secret';
import { ServiceError } from '../../../../service/failure';

function refusalOf(credentials: ICredentialDataDecryptedObject): ServiceError {
	try {
		clientSecretOf(credentials);
	} catch (error) {
		if (error instanceof ServiceError) return error;
	}
	throw new Error('It was not refused');
}

describe('a plain secret', () => {
	it.each<ICredentialDataDecryptedObject>([
		{},
		{ secretFormat: 'plain' },
		{ secretFormat: 'of another version' },
	])('is what its field holds, as in a credential with %j', async (format) => {
		const secret = clientSecretOf({ ...format, clientSecret: ' s3cret \n' });

		expect(secret.identity).toEqual(['s3cret']);
		expect(secret.known()).toBe('s3cret');
		expect(await secret.reveal()).toBe('s3cret');
	});

	it.each(['-----BEGIN PGP MESSAGE-----\nwcBMA', 'BEGIN PGP PRIVATE KEY BLOCK', 'END PGP MESSAGE'])(
		'cannot be an OpenPGP block: %j',
		(clientSecret) => {
			const { kind, message, details } = refusalOf({ clientSecret });

			expect({ kind, message, details }).toEqual({
				kind: 'credential',
				message: '“Client Secret” contains an OpenPGP block instead of the secret itself',
				details: {
					remedy:
						'Set “Secret Format” to “OpenPGP Message” and paste the message into “Encrypted Secret”.',
					helpCode: 'secretUnreadable',
				},
			});
		},
	);
});

describe('an encrypted secret', () => {
	const ENCRYPTED = {
		secretFormat: 'pgp',
		clientSecret: 'left over from before',
		encryptedSecret: ' message ',
		privateKey: ' key\n',
		passphrase: ' open sesame ',
	};

	it('is told from others without decrypting it; its passphrase keeps its spaces', () => {
		const secret = clientSecretOf(ENCRYPTED);

		expect(secret.identity).toEqual(['pgp', 'message', 'key', ' open sesame ']);
		expect(secret.known()).toBeUndefined();
	});

	it.each([
		[1234, '1234'],
		['', ''],
	])('with the passphrase %p has %j', (passphrase, expected) => {
		expect(clientSecretOf({ ...ENCRYPTED, passphrase }).identity.at(-1)).toBe(expected);
	});

	it.each([
		['encryptedSecret', '“Encrypted Secret” is empty in the credential', /^Copy the whole message/],
		['privateKey', '“Private Key” is empty in the credential', /^Export the key with gpg/],
	])('names %s if that is empty, and what belongs there', (field, message, remedy) => {
		const refusal = refusalOf({ ...ENCRYPTED, [field]: ' ' });

		expect(refusal.message).toBe(message);
		expect(refusal.details.remedy).toMatch(remedy);
	});
});
