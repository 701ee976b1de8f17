import { createHash } from 'node:crypto';

import compact from 'lodash/compact';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RequestKind } from '../failure';
import type { Origin } from '../http/answer';
import type { ApiWords } from '../words';
import { requiredText } from './credentialFields';
import type { ClientSecret } from './secret';
import { clientSecretOf } from './secret';

/**
 * A client-credentials grant (RFC 6749 §4.4): everything that a token request needs. The request differs from API to
 * API.
 */
export interface Grant {
	/** The sentences that people read if this API refuses a request. */
	words: ApiWords;
	/** The API's base address, without a slash at its end. */
	address: string;
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The client ID as the operator of the service issued it. */
	clientId: string;
	/** The client secret. If it is an OpenPGP message, it is decrypted when a token is requested. */
	clientSecret: ClientSecret;
	/**
	 * True if the token request has the client ID and secret in its form (RFC 6749 §2.3.1). Otherwise it has them in
	 * the Authorization header (HTTP Basic).
	 */
	isPairInForm?: boolean;
	/** The audience or scope of the token, as a field of the token request, if the API has one. */
	purpose?: { audience: string } | { scope: string };
	/**
	 * A hash of the client ID, the secret, the addresses and the audience or scope. A stored token is used only if this
	 * hash was the same when the token was requested.
	 */
	fingerprint: string;
}

/**
 * Reads the client ID and the client secret, and makes the grant of an API (everything that its token request needs)
 * with them.
 *
 * @throws ServiceError of kind `credential` if a field is empty or contains something that cannot be a secret
 */
export function grantOf(
	credentials: ICredentialDataDecryptedObject,
	api: Omit<Grant, 'clientId' | 'clientSecret' | 'fingerprint'>,
): Grant {
	const clientId = requiredText(credentials, 'clientId');
	const clientSecret = clientSecretOf(credentials);
	const parts = [api.tokenUrl, api.address, clientId, ...clientSecret.identity, api.purpose];
	const fingerprint = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
	return { ...api, clientId, clientSecret, fingerprint };
}

/**
 * Returns what is needed to turn the answer to a request into an error: the kind of the request, the API's sentences
 * for people, and the secrets and tokens that must not be shown. The plain client secret is among these as soon as this
 * process knows it.
 */
export function originOf(grant: Grant, requestKind: RequestKind, tokens: string[] = []): Origin {
	const secrets = compact([grant.clientSecret.known(), ...tokens]);
	return { requestKind, words: grant.words, secrets };
}
