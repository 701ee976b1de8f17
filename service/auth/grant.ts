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
	/** The urlencoded form of the token request, which may also contain the client ID and secret (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** The Authorization header, if the client authenticates by HTTP Basic. */
	authorization?: string;
}

/** A client-credentials grant (RFC 6749 §4.4): all that a token request needs. Each API has a form of its own. */
export interface Grant {
	/** The sentences about a refusal. */
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
	/** Identifies client ID, secret and addresses. A token belongs to exactly one fingerprint. */
	fingerprint: string;
}

/** @throws ServiceError of kind `credential` when a field is empty or the secret cannot be one */
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
 * The Authorization header of HTTP Basic. This service expects the base64 of the plain UTF-8 pair, without the
 * percent-encoding of RFC 6749 §2.3.1.
 */
export function basic(clientId: string, clientSecret: string): string {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

/**
 * Describes where the answers to a grant’s requests come from. The secrets in it include the plain secret, once that
 * is known.
 */
export function originOf(grant: Grant, requestKind: RequestKind, tokens: string[] = []): Origin {
	const secrets = compact([grant.clientSecret.known(), ...tokens]);
	return { requestKind, words: grant.words, secrets };
}
