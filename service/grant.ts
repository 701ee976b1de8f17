import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from './errors';

/** A client-credentials grant (RFC 6749 §4.4), ready to be asked for. */
export interface Grant {
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The urlencoded form; for leads it carries the client authentication too (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** Tells pairs and addresses apart: a token belongs to exactly one fingerprint. */
	fingerprint: string;
	/** Values that must never reach a message or a log. */
	secrets: string[];
}

/**
 * The leads form of the grant: id, secret and audience in the form, no Authorization header.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function leadsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const clientId = requiredText(credentials, 'clientId', 'Client ID');
	const clientSecret = requiredText(credentials, 'clientSecret', 'Client Secret');
	const tokenUrl = `${address(credentials, 'authUrl', 'Auth URL')}/oauth2/token`;
	const leadsUrl = leadsAddress(credentials);
	const audience = text(credentials, 'audience') || leadsUrl;
	return {
		tokenUrl,
		form: {
			grant_type: 'client_credentials',
			client_id: clientId,
			client_secret: clientSecret,
			audience,
		},
		fingerprint: fingerprintOf([tokenUrl, leadsUrl, clientId, clientSecret, audience]),
		secrets: [clientSecret],
	};
}

/** The base address of the leads API, without a slash at its end. */
export function leadsAddress(credentials: ICredentialDataDecryptedObject): string {
	return address(credentials, 'leadsUrl', 'Leads URL');
}

function fingerprintOf(parts: string[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Pasted values often bring a space or a line break along. */
function text(credentials: ICredentialDataDecryptedObject, name: string): string {
	const value = credentials[name];
	return typeof value === 'string' ? value.trim() : '';
}

function requiredText(
	credentials: ICredentialDataDecryptedObject,
	name: string,
	label: string,
): string {
	const value = text(credentials, name);
	if (value === '') {
		throw new ServiceError('credential', `“${label}” is empty in the credential`);
	}
	return value;
}

function address(credentials: ICredentialDataDecryptedObject, name: string, label: string): string {
	const value = requiredText(credentials, name, label);
	if (!isPlainHttpUrl(value)) {
		throw new ServiceError(
			'credential',
			`“${label}” in the credential is not a web address: it must start with https:// or http:// and hold no user name, query or fragment`,
		);
	}
	return value.replace(/\/+$/, '');
}

function isPlainHttpUrl(value: string): boolean {
	if (!URL.canParse(value)) return false;
	const { protocol, username, password, search, hash } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
}
