import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Api } from './errors';
import { ServiceError } from './errors';

/** What the service asks for where the operator names no other scope. */
export const DEFAULT_SCOPE = 'api/api_access';

/** A client-credentials grant (RFC 6749 §4.4), ready to be asked for. */
export interface Grant {
	api: Api;
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The urlencoded form; for leads it carries the client authentication too (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** The Authorization header, where the client authenticates by HTTP Basic. */
	authorization?: string;
	/** The client id as it was issued. */
	clientId: string;
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
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = `${address(credentials, 'authUrl', 'Auth URL')}/oauth2/token`;
	const leadsUrl = leadsAddress(credentials);
	const audience = text(credentials, 'audience') || leadsUrl;
	return {
		api: 'leads',
		tokenUrl,
		form: {
			grant_type: 'client_credentials',
			client_id: clientId,
			client_secret: clientSecret,
			audience,
		},
		clientId,
		fingerprint: fingerprintOf([tokenUrl, leadsUrl, clientId, clientSecret, audience]),
		secrets: [clientSecret],
	};
}

/**
 * The products form of the grant: HTTP Basic, and a scope in the form.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function productsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = `${address(credentials, 'authUrl', 'Auth URL')}/oauth2/token`;
	const scope = text(credentials, 'scope') || DEFAULT_SCOPE;
	const productsUrl = productsAddress(credentials);
	return {
		api: 'products',
		tokenUrl,
		form: { grant_type: 'client_credentials', scope },
		...basic(clientId, clientSecret),
		clientId,
		fingerprint: fingerprintOf([tokenUrl, productsUrl, clientId, clientSecret, scope]),
	};
}

/** The base address of the products API, without a slash at its end. */
export function productsAddress(credentials: ICredentialDataDecryptedObject): string {
	return address(credentials, 'productsUrl', 'Products URL');
}

/**
 * The inventory form of the grant: the full address of the token endpoint, HTTP Basic, and nothing
 * but the grant type in the form.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function inventoryGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = address(credentials, 'tokenUrl', 'Token URL');
	return {
		api: 'inventory',
		tokenUrl,
		form: { grant_type: 'client_credentials' },
		...basic(clientId, clientSecret),
		clientId,
		fingerprint: fingerprintOf([tokenUrl, inventoryAddress(credentials), clientId, clientSecret]),
	};
}

/** The base address of the inventory API, without a slash at its end. */
export function inventoryAddress(credentials: ICredentialDataDecryptedObject): string {
	return address(credentials, 'inventoryUrl', 'Inventory URL');
}

/**
 * HTTP Basic as this service reads it: base64 of the plain UTF-8 pair, not percent-encoded before
 * as RFC 6749 §2.3.1 has it.
 */
function basic(clientId: string, clientSecret: string): Pick<Grant, 'authorization' | 'secrets'> {
	const encoded = Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
	return { authorization: `Basic ${encoded}`, secrets: [clientSecret, encoded] };
}

function pairOf(credentials: ICredentialDataDecryptedObject) {
	return {
		clientId: requiredText(credentials, 'clientId', 'Client ID'),
		clientSecret: requiredText(credentials, 'clientSecret', 'Client Secret'),
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
