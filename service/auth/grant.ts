import { createHash } from 'node:crypto';

import compact from 'lodash/compact';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RequestKind } from '../failure';
import type { Origin } from '../http/answer';
import type { ApiWords } from '../words';
import { requiredText } from './credentialFields';
import type { ClientSecret } from './secret';
import { clientSecretOf } from './secret';

/** What authenticates the client in a token request. */
export interface Authentication {
	/** The urlencoded form; it may carry the client authentication too (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** The Authorization header, if the client authenticates by HTTP Basic. */
	authorization?: string;
}

/** A client-credentials grant (RFC 6749 §4.4), ready to be asked for. Each API has a form of its own. */
export interface Grant {
	/** How a refusal is told. */
	words: ApiWords;
	/** The API's base address, without a slash at its end. */
	address: string;
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The client id as it was issued. */
	clientId: string;
	/** May have to be decrypted, which only a token request needs. */
	clientSecret: ClientSecret;
	/** Puts the plain secret into the form or the header that the API wants. */
	authenticate: (clientSecret: string) => Authentication;
	/** The audience or scope of the token, if the API has one. */
	purpose?: string;
	/** Tells pairs and addresses apart: a token belongs to exactly one fingerprint. */
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
 * The Authorization header of HTTP Basic as this service reads it: base64 of the plain UTF-8 pair, not percent-encoded
 * before as RFC 6749 §2.3.1 has it.
 */
export function basic(clientId: string, clientSecret: string): string {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

/** Where the answers to a grant's requests come from. The plain secret is hidden as soon as it is known. */
export function originOf(grant: Grant, requestKind: RequestKind, tokens: string[] = []): Origin {
	const secrets = compact([grant.clientSecret.known(), ...tokens]);
	return { requestKind, words: grant.words, secrets };
}
