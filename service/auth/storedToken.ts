import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Grant } from './grant';

/** The hidden fields in which n8n keeps the token with the credential. Times are epoch milliseconds. */
export interface StoredToken extends IDataObject {
	accessToken: string;
	/** 0 if the service named no usable lifetime: the token is used until it is refused. */
	tokenExpiresAt: number;
	/** The pair and the addresses that it was issued for. */
	tokenFingerprint: string;
	tokenIssuedAt: number;
	/** Whether it was asked for because the one before it was answered 403. */
	tokenAfterForbidden: boolean;
}

/** The stored token, empty if there is none. */
export function tokenOf({ accessToken }: ICredentialDataDecryptedObject): string {
	return typeof accessToken === 'string' ? accessToken : '';
}

/**
 * The rule of a token's lifetime: it is used until its end, and is not renewed before that.
 *
 * @param expiresAt epoch milliseconds; 0 or unset if the service named no usable lifetime: then the token
 * is used until the service refuses it
 */
export function isAlive(expiresAt: unknown): boolean {
	const end = Number(expiresAt);
	return !end || Date.now() < end;
}

/** Whether the stored token was issued for this very pair and address, and still lives. */
export function holdsUsableToken(
	{ fingerprint }: Pick<Grant, 'fingerprint'>,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	const { tokenFingerprint, tokenExpiresAt } = credentials;
	const isOfPair = tokenFingerprint === fingerprint;
	return tokenOf(credentials) !== '' && isOfPair && isAlive(tokenExpiresAt);
}
