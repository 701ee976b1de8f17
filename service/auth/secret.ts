import toString from 'lodash/toString';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isArmoured } from './pgp/armour';
import { decryptSecret, decryptedSoFar } from './pgp/decryption';
import { COPY_KEY, COPY_MESSAGE } from './pgp/problems';
import { ServiceError } from '../failure';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../labels';

/** A client secret as the credential contains it: plain or encrypted. */
export interface ClientSecret {
	/**
	 * Values that identify the secret. For an encrypted secret, they are the fields as entered, so that it need not be
	 * decrypted.
	 */
	identity: string[];
	/** Returns the plain secret if it needs no decryption or has been decrypted before. */
	known: () => string | undefined;
	/**
	 * Returns the plain secret, and decrypts it first if it is an OpenPGP message.
	 *
	 * @throws ServiceError of kind `credential` that names the field to correct and says how
	 */
	reveal: () => Promise<string>;
}

/**
 * Reads the credential fields that contain the client secret.
 *
 * @throws ServiceError of kind `credential` if one of these fields is empty, or has a value that cannot be right
 */
export function clientSecretOf(credentials: ICredentialDataDecryptedObject): ClientSecret {
	if (credentials.secretFormat === 'pgp') return encryptedSecretOf(credentials);
	if (isArmoured(toString(credentials.clientSecret))) {
		const message = `“${CREDENTIAL_LABELS.clientSecret}” contains an OpenPGP block instead of the secret itself`;
		const remedy = `Set “${CREDENTIAL_LABELS.secretFormat}” to “${SECRET_FORMATS.pgp}” and paste the message into “${CREDENTIAL_LABELS.encryptedSecret}”.`;
		throw new ServiceError('credential', message, { remedy, helpCode: 'secretUnreadable' });
	}
	const secret = requiredText(credentials, 'clientSecret');
	const reveal = async () => await Promise.resolve(secret);
	return { identity: [secret], known: () => secret, reveal };
}

function encryptedSecretOf(credentials: ICredentialDataDecryptedObject): ClientSecret {
	const encrypted = {
		message: requiredText(credentials, 'encryptedSecret', COPY_MESSAGE),
		privateKey: requiredText(credentials, 'privateKey', COPY_KEY),
		// Blanks at the ends of the passphrase are not removed, because they may belong to it. An n8n expression may
		// return a passphrase of digits as a number.
		passphrase: toString(credentials.passphrase),
	};
	return {
		identity: ['pgp', ...Object.values(encrypted)],
		known: () => decryptedSoFar(encrypted),
		reveal: async () => await decryptSecret(encrypted),
	};
}
