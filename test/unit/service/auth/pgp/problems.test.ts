import { describe, expect, it } from '@jest/globals';

import * as problems from '../../../../../service/auth/pgp/problems';

const COPY_MESSAGE =
	'Copy the whole message that the operator sent, from the line BEGIN PGP MESSAGE to the line END PGP MESSAGE, and paste it there.';
const EXPORT_KEY =
	'Export the key with gpg --armor --export-secret-keys, copy the whole block, from the line BEGIN PGP PRIVATE KEY BLOCK to the line END PGP PRIVATE KEY BLOCK, and paste it there.';
const NEW_PAIR =
	'If you no longer have that, make a new key, send its public part to the operator of the service and ask for a new client ID and secret.';
const ENTER_PASSPHRASE = `Enter the passphrase that you chose when you made this key. ${NEW_PAIR}`;
const PRIVATE_PART = `Paste the private part of the key whose public part you sent to the operator. ${NEW_PAIR}`;
const EXPORT_AGAIN =
	'Export it again with gpg --armor --export-secret-keys on the computer where it was made. A key on a smart card cannot be used here.';
const ENCRYPT_AGAIN = `${COPY_MESSAGE} If that does not help, ask the operator to encrypt the secret to your key again, with GnuPG 2.2 or newer or with another current tool.`;

describe('what a person reads about an encrypted secret', () => {
	it.each([
		[
			problems.noBlock('message'),
			'secretUnreadable',
			'“Encrypted Secret” does not contain an OpenPGP message',
			`${COPY_MESSAGE} If the secret came as plain text, set “Secret Format” to “Plain Text”.`,
		],
		[
			problems.noBlock('privateKey'),
			'secretUnreadable',
			'“Private Key” does not contain an OpenPGP private key',
			EXPORT_KEY,
		],
		[
			problems.damagedBlock('message'),
			'secretUnreadable',
			'The message in “Encrypted Secret” is damaged: a part of it is missing or changed',
			COPY_MESSAGE,
		],
		[
			problems.damagedBlock('privateKey'),
			'secretUnreadable',
			'The private key in “Private Key” is damaged: a part of it is missing or changed',
			EXPORT_KEY,
		],
		[
			problems.otherBlock('privateKey', 'PUBLIC KEY BLOCK'),
			'secretUnreadable',
			'“Private Key” contains a PGP PUBLIC KEY BLOCK instead of the private key',
			EXPORT_KEY,
		],
		[
			problems.notEncrypted(),
			'secretFaulty',
			'The message in “Encrypted Secret” is not encrypted to a key',
			`${COPY_MESSAGE} If that does not help, ask the operator to encrypt the secret to the public part of your key.`,
		],
		[
			problems.otherKey(),
			'wrongKey',
			'The key in “Private Key” does not match the message in “Encrypted Secret”',
			PRIVATE_PART,
		],
		[
			problems.otherKey({ needed: '1234', present: '5678, 9ABC' }),
			'wrongKey',
			'The key in “Private Key” does not match the message in “Encrypted Secret” (it needs 1234, and this is 5678, 9ABC)',
			PRIVATE_PART,
		],
		[
			problems.wrongPassphrase(false),
			'passphrase',
			'“Passphrase” does not open the key in “Private Key”',
			ENTER_PASSPHRASE,
		],
		[
			problems.wrongPassphrase(true),
			'passphrase',
			'“Passphrase” is empty, and the key in “Private Key” has one',
			ENTER_PASSPHRASE,
		],
		[problems.unusableKey(), 'wrongKey', 'The key in “Private Key” cannot be used', EXPORT_AGAIN],
		[
			problems.unusableKey(new Error('Unknown S2K type.')),
			'wrongKey',
			'The key in “Private Key” cannot be used',
			`${EXPORT_AGAIN} OpenPGP.js says: “Unknown S2K type”.`,
		],
		[
			problems.unreadableMessage(new Error(`${'a'.repeat(200)}b`)),
			'secretFaulty',
			'The message in “Encrypted Secret” cannot be decrypted',
			`${ENCRYPT_AGAIN} OpenPGP.js says: “${'a'.repeat(200)}”.`,
		],
		[
			problems.noSecret(),
			'secretFaulty',
			'The decrypted “Encrypted Secret” is not one line of text',
			'Ask the operator to encrypt the secret to your key again, as plain text and with nothing else.',
		],
	])('is a sentence, a code and what to do: %s', (error, helpCode, message, remedy) => {
		expect(error).toMatchObject({ kind: 'credential', message });
		expect(error.details).toEqual({ requestKind: 'token', helpCode, remedy });
	});

	it('is what to copy again if a field is empty', () => {
		expect([problems.copyAgain('message'), problems.copyAgain('privateKey')]).toEqual([
			COPY_MESSAGE,
			EXPORT_KEY,
		]);
	});
});
