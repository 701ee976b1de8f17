import { createHash } from 'node:crypto';

import compact from 'lodash/compact';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RequestKind } from '../failure';
import type { Origin } from '../http/answer';
import type { ApiWords } from '../words';
import { requiredText } from './credentialFields';
import type { ClientSecret } from './secret';
import { clientSecretOf } from './secret';

/** The parts of a token request that authenticate the client. */
export interface Authentication {
	/** The URL-encoded form of the token request, which may also contain the client ID and secret (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** The Authorization header, if the client ID and secret are sent with HTTP Basic. */
	authorization?: string;
}

/**
 * A client-credentials grant (RFC 6749 §4.4): everything that a token request needs. The request differs from API to
 * API.
 */
export interface Grant {
	/** The sentences of the API about a refused request. */
	words: ApiWords;
	/** The API's base address, without a slash at its end. */
	address: string;
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The client ID as the operator issued it. */
	clientId: string;
	/** The client secret. If it is an OpenPGP message, it is decrypted when a token is requested. */
	clientSecret: ClientSecret;
	/** Puts the plain secret into the form or the header of the token request, wherever the API expects it. */
	authenticate: (clientSecret: string) => Authentication;
	/** The audience or scope of the token, if the API has one. */
	purpose?: string;
	/**
	 * A hash of the client ID, the secret, the addresses and the audience or scope. A token is only valid for the
	 * fingerprint with which it was requested.
	 */
	fingerprint: string;
}

/**
 * Reads the client ID and the client secret.
 *
 * @throws ServiceError of kind `credential` if a field is empty or contains something that cannot be a secret
 */
export function pairOf(
	credentials: ICredentialDataDecryptedObject,
): Pick<Grant, 'clientId' | 'clientSecret'> {
	return {
		clientId: requiredText(credentials, 'clientId'),
		clientSecret: clientSecretOf(credentials),
	};
}

export function withFingerprint(grant: Omit<Grant, 'fingerprint'>): Grant {
	const { tokenUrl, address, clientId, clientSecret, purpose } = grant;
	const parts = [tokenUrl, address, clientId, ...clientSecret.identity, purpose];
	const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
	return { ...grant, fingerprint };
}

/**
 * Makes the Authorization header for HTTP Basic. This service expects the base64 of the UTF-8 pair as it is, without
 * the percent-encoding that RFC 6749 §2.3.1 requires.
 */
export function basic(clientId: string, clientSecret: string): string {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

/**
 * Describes the requests of a grant, so that their answers can be turned into errors. The list of secrets contains the
 * plain client secret as soon as it is known.
 */
export function originOf(grant: Grant, requestKind: RequestKind, tokens: string[] = []): Origin {
	const secrets = compact([grant.clientSecret.known(), ...tokens]);
	return { requestKind, words: grant.words, secrets };
}
