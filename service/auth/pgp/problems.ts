import type { ErrorCode } from '../../errorCodes';
import { ServiceError } from '../../failure';
import { CREDENTIAL_LABELS } from '../../labels';

const SECRET_FIELD = `“${CREDENTIAL_LABELS.encryptedSecret}”`;
const KEY_FIELD = `“${CREDENTIAL_LABELS.privateKey}”`;
const PASSPHRASE_FIELD = `“${CREDENTIAL_LABELS.passphrase}”`;

/** The advice if the encrypted message, or a part of it, is missing. */
export const COPY_MESSAGE =
	'Copy the whole message that the operator sent, from the line BEGIN PGP MESSAGE to the line END PGP MESSAGE, and paste it there.';

/** The advice if the private key, or a part of it, is missing. */
export const COPY_KEY =
	'Export the key with gpg --armor --export-secret-keys, copy the whole block, from the line BEGIN PGP PRIVATE KEY BLOCK to the line END PGP PRIVATE KEY BLOCK, and paste it there.';

/** Functions that make the error for a field without a complete OpenPGP block of the right kind. */
export const NO_BLOCK = {
	message: secretProblem(
		'secretUnreadable',
		`${SECRET_FIELD} does not contain a whole OpenPGP message`,
		`${COPY_MESSAGE} If the secret came as plain text, change “${CREDENTIAL_LABELS.secretFormat}”.`,
	),
	privateKey: secretProblem(
		'secretUnreadable',
		`${KEY_FIELD} does not contain a whole OpenPGP private key`,
		COPY_KEY,
	),
};

const NEW_PAIR =
	'If you no longer have that, make a new key, send its public part to the operator of the service and ask for a new client ID and secret.';

/**
 * Makes the error for a message that is encrypted to another key. It names key IDs, which are public: a person with
 * several keys needs them to find the right one.
 */
export function otherKey(needed: string, present: string): ServiceError {
	return secretProblem(
		'wrongKey',
		`The key in ${KEY_FIELD} does not match the message in ${SECRET_FIELD} (it needs ${needed}, and this is ${present})`,
		`Paste the private part of the key whose public part you sent to the operator. ${NEW_PAIR}`,
	)();
}

export const lockedKey = secretProblem(
	'passphrase',
	`${PASSPHRASE_FIELD} does not open the key in ${KEY_FIELD}`,
	`Enter the passphrase that you chose when you made this key. A key on a smart card cannot be used here. ${NEW_PAIR}`,
);

export const unreadableMessage = secretProblem(
	'secretFaulty',
	`The message in ${SECRET_FIELD} cannot be decrypted`,
	`${COPY_MESSAGE} If that does not help, ask the operator to encrypt the secret to your key again, with GnuPG 2.2 or newer or with another current tool.`,
);

export const noSecret = secretProblem(
	'secretFaulty',
	`The decrypted ${SECRET_FIELD} is not one line of text`,
	'Ask the operator to encrypt the secret to your key again, as plain text and with nothing else.',
);

function secretProblem(helpCode: ErrorCode, message: string, remedy: string): () => ServiceError {
	return () => new ServiceError('credential', message, { requestKind: 'token', remedy, helpCode });
}
