import { describe, expect, it } from '@jest/globals';

import * as problems from '../../../../../service/auth/pgp/problems';
import type { ServiceError } from '../../../../../service/failure';

const { armourProblem, copyAgain, otherKey, problem } = problems;

/** The sentence, the code, and what a person is to do. */
const told = ({ kind, message, details: { requestKind, remedy, helpCode } }: ServiceError) => {
	expect([kind, requestKind]).toEqual(['credential', 'token']);
	return [message, helpCode, remedy];
};

const COPY_MESSAGE =
	'Copy the whole message that the operator sent, from the line BEGIN PGP MESSAGE to the line END PGP MESSAGE, and paste it there.';
const EXPORT_KEY =
	'Export the key with gpg --armor --export-secret-keys, copy the whole block, from the line BEGIN PGP PRIVATE KEY BLOCK to the line END PGP PRIVATE KEY BLOCK, and paste it there.';
const NEW_PAIR =
	'If you no longer have that, make a new key, send its public part to the operator of the service and ask for a new client ID and secret.';
const ENTER_PASSPHRASE = `Enter the passphrase that you chose when you made this key. ${NEW_PAIR}`;

describe('what is told of a field that holds no block to read', () => {
	it('is what to copy again', () => {
		expect([copyAgain('message'), copyAgain('privateKey')]).toEqual([COPY_MESSAGE, EXPORT_KEY]);
	});

	it('is that a plain secret may have been pasted, of the message alone', () => {
		expect(told(armourProblem('message', 'nothing'))).toEqual([
			'“Encrypted Secret” does not contain an OpenPGP message',
			'secretUnreadable',
			`${COPY_MESSAGE} If the secret came as plain text, set “Secret Format” to “Plain Text”.`,
		]);
		expect(told(armourProblem('privateKey', 'nothing'))).toEqual([
			'“Private Key” does not contain an OpenPGP private key',
			'secretUnreadable',
			EXPORT_KEY,
		]);
	});

	it.each([
		[
			'cutOff',
			'The message in “Encrypted Secret” is cut off: its first or its last line is missing',
		],
		['damaged', 'The message in “Encrypted Secret” is damaged: a part of it is missing or changed'],
		[{ instead: 'privateKey' }, '“Encrypted Secret” contains a private key instead of the message'],
		[{ instead: 'publicKey' }, '“Encrypted Secret” contains a public key instead of the message'],
		[
			{ instead: 'other' },
			'“Encrypted Secret” contains a signature or a signed text instead of the message',
		],
	] as const)('is what it is instead: %j', (trouble, message) => {
		expect(told(armourProblem('message', trouble))).toEqual([
			message,
			'secretUnreadable',
			COPY_MESSAGE,
		]);
	});

	it('is that a message is in the place of the key', () => {
		expect(armourProblem('privateKey', { instead: 'message' }).message).toBe(
			'“Private Key” contains an encrypted message instead of the private key',
		);
	});
});

describe('what is told of another key', () => {
	it.each([
		['1234', '5678', ' (it needs 1234, and this is 5678)'],
		['1234', undefined, ''],
		[undefined, '5678', ''],
	])('names both if both are known: %s, %s', (needed, present, ids) => {
		expect(told(otherKey(needed, present))).toEqual([
			`The key in “Private Key” does not match the message in “Encrypted Secret”${ids}`,
			'wrongKey',
			`Paste the private part of the key whose public part you sent to the operator. ${NEW_PAIR}`,
		]);
	});
});

describe('what is told of a secret that cannot be used', () => {
	it.each([
		[
			'NOT_ENCRYPTED',
			'The message in “Encrypted Secret” is not encrypted to a key',
			'secretFaulty',
			'Ask the operator to encrypt the secret to the public part of your key.',
		],
		[
			'WRONG_PASSPHRASE',
			'“Passphrase” does not open the key in “Private Key”',
			'passphrase',
			ENTER_PASSPHRASE,
		],
		[
			'NO_PASSPHRASE',
			'“Passphrase” is empty, and the key in “Private Key” has one',
			'passphrase',
			ENTER_PASSPHRASE,
		],
		[
			'NEEDLESS_PASSPHRASE',
			'The key in “Private Key” has no passphrase, and “Passphrase” is not empty',
			'passphrase',
			'If this is the right key, empty “Passphrase”, or give the key a passphrase with gpg --passwd and export it again.',
		],
		[
			'UNUSABLE_KEY',
			'The key in “Private Key” cannot be used',
			'wrongKey',
			'Export it again with gpg --armor --export-secret-keys on the computer where it was made. A key on a smart card cannot be used here.',
		],
		[
			'UNREADABLE_MESSAGE',
			'The message in “Encrypted Secret” cannot be decrypted',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again.',
		],
		[
			'UNPROTECTED_MESSAGE',
			'The message in “Encrypted Secret” is not protected against changes and was not used',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again, with GnuPG 2.2 or newer or with another current tool.',
		],
		[
			'LONG_SECRET',
			'The decrypted “Encrypted Secret” is too long to be a secret',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again, and nothing else.',
		],
		[
			'NOT_TEXT',
			'The decrypted “Encrypted Secret” is not text',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again, as plain text.',
		],
		[
			'EMPTY_SECRET',
			'The decrypted “Encrypted Secret” is empty',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again.',
		],
		[
			'SEVERAL_LINES',
			'The decrypted “Encrypted Secret” has more than one line; a secret has only one',
			'secretFaulty',
			'Ask the operator to encrypt the secret to your key again, and nothing else.',
		],
	] as const)('is a sentence, a code and what to do: %s', (name, message, helpCode, remedy) => {
		expect(told(problem(problems[name]))).toEqual([message, helpCode, remedy]);
	});

	it.each([
		['Session key decryption failed.', 'Session key decryption failed'],
		['Packet 1.2 is odd', 'Packet 1.2 is odd'],
		[`${'a'.repeat(200)}b`, 'a'.repeat(200)],
	])('ends with what OpenPGP.js says, up to 200 characters of it: %.20s', (reason, quoted) => {
		const [, , remedy] = told(problem(problems.NOT_TEXT, reason));

		expect(remedy).toBe(
			`Ask the operator to encrypt the secret to your key again, as plain text. OpenPGP.js says: “${quoted}”.`,
		);
	});
});
