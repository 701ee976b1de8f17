import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isArmoured } from './pgp/armour';
import { decryptSecret, decryptedSoFar } from './pgp/decryption';
import { copyAgain } from './pgp/problems';
import { ServiceError } from '../failure';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../labels';

/** A client secret as the credential holds it. */
export interface ClientSecret {
	/** What tells it from another one, known without decrypting it. */
	identity: string[];
	/** The plain secret, if it is known by now. */
	known: () => string | undefined;
	/**
	 * The plain secret, decrypted if it came as an OpenPGP message.
	 *
	 * @throws ServiceError of kind `credential` that names the field and the way out
	 */
	reveal: () => Promise<string>;
}

/**
 * Reads the secret's fields. A credential that was saved before there were formats holds it plain.
 *
 * @throws ServiceError of kind `credential` when a field is empty or holds something else
 */
export function clientSecretOf(credentials: ICredentialDataDecryptedObject): ClientSecret {
	return credentials.secretFormat === 'pgp' ? encryptedOf(credentials) : plainOf(credentials);
}

function plainOf(credentials: ICredentialDataDecryptedObject): ClientSecret {
	const secret = requiredText(credentials, 'clientSecret', CREDENTIAL_LABELS.clientSecret);
	if (isArmoured(secret)) {
		throw new ServiceError(
			'credential',
			`“${CREDENTIAL_LABELS.clientSecret}” contains an OpenPGP block instead of the secret itself`,
			{
				remedy: `Set “${CREDENTIAL_LABELS.secretFormat}” to “${SECRET_FORMATS.pgp}” and paste the message into “${CREDENTIAL_LABELS.encryptedSecret}”.`,
				helpCode: 'secretUnreadable',
			},
		);
	}
	if (/[\r\n]/.test(secret)) {
		throw new ServiceError(
			'credential',
			`“${CREDENTIAL_LABELS.clientSecret}” has more than one line; a secret has only one`,
			{ remedy: 'Copy the secret again, without the text around it.' },
		);
	}
	return {
		identity: [secret],
		known: () => secret,
		reveal: async () => await Promise.resolve(secret),
	};
}

function encryptedOf(credentials: ICredentialDataDecryptedObject): ClientSecret {
	const encrypted = {
		message: requiredText(
			credentials,
			'encryptedSecret',
			CREDENTIAL_LABELS.encryptedSecret,
			copyAgain('message'),
		),
		privateKey: requiredText(
			credentials,
			'privateKey',
			CREDENTIAL_LABELS.privateKey,
			copyAgain('privateKey'),
		),
		passphrase: passphraseOf(credentials),
	};
	return {
		identity: ['pgp', ...Object.values(encrypted)],
		known: () => decryptedSoFar(encrypted),
		reveal: async () => await decryptSecret(encrypted),
	};
}

/** Spaces around it may belong to it. An expression may make a number of one that is all digits. */
function passphraseOf({ passphrase }: ICredentialDataDecryptedObject): string {
	if (typeof passphrase === 'number') return String(passphrase);
	return typeof passphrase === 'string' ? passphrase : '';
}
