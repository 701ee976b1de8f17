import { decrypt, decryptKey, readMessage, readPrivateKey } from 'openpgp';

/** A client secret as the operator sends it, and what opens it. */
export interface EncryptedSecret {
	/** Armoured. */
	message: string;
	/** Armoured. */
	privateKey: string;
	/** Empty for a key without one. */
	passphrase: string;
}

/**
 * The secret in plain text; a line break at its end is not part of it.
 *
 * @throws what OpenPGP.js throws
 */
export async function openSecret({
	message,
	privateKey,
	passphrase,
}: EncryptedSecret): Promise<string> {
	const locked = await readPrivateKey({ armoredKey: privateKey });
	const decryptionKeys = locked.isDecrypted()
		? locked
		: await decryptKey({ privateKey: locked, passphrase });
	const opened = await decrypt({
		message: await readMessage({ armoredMessage: message }),
		decryptionKeys,
	});
	const secret: unknown = opened.data;
	if (typeof secret !== 'string') throw new TypeError('OpenPGP.js did not bring text');
	return secret.trim();
}
