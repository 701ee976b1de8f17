import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Api } from './errors';
import { ServiceError } from './errors';
import { requiredText, text } from './fields';
import type { ClientSecret } from './secret';
import { clientSecretOf } from './secret';

/** What authenticates the client in a token request. */
export interface Authentication {
	/** The urlencoded form; for leads it carries the client authentication too (RFC 6749 §2.3.1). */
	form: Record<string, string>;
	/** The Authorization header, where the client authenticates by HTTP Basic. */
	authorization?: string;
}

/** What the service asks for where the operator names no other scope. */
export const DEFAULT_SCOPE = 'api/api_access';

/** A client-credentials grant (RFC 6749 §4.4), ready to be asked for. */
export interface Grant {
	api: Api;
	/** Full address of the token endpoint. */
	tokenUrl: string;
	/** The client id as it was issued. */
	clientId: string;
	/** May have to be decrypted, which only a token request needs. */
	clientSecret: ClientSecret;
	/** Puts the plain secret into the form or the header that the API wants. */
	authenticate: (clientSecret: string) => Authentication;
	/** Tells pairs and addresses apart: a token belongs to exactly one fingerprint. */
	fingerprint: string;
}

/** Values that must never reach a message or a log, the plain secret as soon as it is known. */
export function secretsOf({ clientId, clientSecret }: Grant): string[] {
	const plain = clientSecret.known();
	return plain === undefined ? [] : [plain, basicPair(clientId, plain)];
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
		clientId,
		clientSecret,
		authenticate: (secret) => ({
			form: {
				grant_type: 'client_credentials',
				client_id: clientId,
				client_secret: secret,
				audience,
			},
		}),
		fingerprint: fingerprintOf([tokenUrl, leadsUrl, clientId, ...clientSecret.identity, audience]),
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
	const productsUrl = productsAddress(credentials);
	const scope = text(credentials, 'scope') || DEFAULT_SCOPE;
	return {
		api: 'products',
		tokenUrl,
		clientId,
		clientSecret,
		authenticate: (secret) => ({
			form: { grant_type: 'client_credentials', scope },
			authorization: `Basic ${basicPair(clientId, secret)}`,
		}),
		fingerprint: fingerprintOf([tokenUrl, productsUrl, clientId, ...clientSecret.identity, scope]),
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
		clientId,
		clientSecret,
		authenticate: (secret) => ({
			form: { grant_type: 'client_credentials' },
			authorization: `Basic ${basicPair(clientId, secret)}`,
		}),
		fingerprint: fingerprintOf([
			tokenUrl,
			inventoryAddress(credentials),
			clientId,
			...clientSecret.identity,
		]),
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
function basicPair(clientId: string, clientSecret: string): string {
	return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
}

function pairOf(credentials: ICredentialDataDecryptedObject) {
	return {
		clientId: requiredText(credentials, 'clientId', 'Client ID'),
		clientSecret: clientSecretOf(credentials),
	};
}

/** The base address of the leads API, without a slash at its end. */
export function leadsAddress(credentials: ICredentialDataDecryptedObject): string {
	return address(credentials, 'leadsUrl', 'Leads URL');
}

function fingerprintOf(parts: string[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
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
