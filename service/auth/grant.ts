import { createHash } from 'node:crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Api } from '../failure';
import { ServiceError } from '../failure';
import { requiredText, text } from './credentialFields';
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
 * The leads form of the grant: id, secret and audience in the form, no Authorization header. Where
 * no audience is set, it is the Leads URL as it was entered, since a service compares it as text.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function leadsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = authAddress(credentials);
	const audience = text(credentials, 'audience') || addressAsEntered(credentials, 'leadsUrl');
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
		fingerprint: fingerprintOf([
			tokenUrl,
			leadsAddress(credentials),
			clientId,
			...clientSecret.identity,
			audience,
		]),
	};
}

/**
 * The products form of the grant: HTTP Basic, and a scope in the form.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function productsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = authAddress(credentials);
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
	return baseAddress(credentials, 'productsUrl');
}

/**
 * The inventory form of the grant: the full address of the token endpoint, to the letter, HTTP Basic,
 * and nothing but the grant type in the form.
 *
 * @throws ServiceError of kind `credential` when a field is empty or an address is not one.
 */
export function inventoryGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const { clientId, clientSecret } = pairOf(credentials);
	const tokenUrl = tokenAddress(credentials);
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
	return baseAddress(credentials, 'inventoryUrl');
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
	return baseAddress(credentials, 'leadsUrl');
}

function fingerprintOf(parts: string[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** A base address to which requests add their paths. */
interface BaseAddress {
	label: string;
	/** A path of a request that was pasted with the address, and surely is no part of it. */
	pasted: RegExp;
	/** One that was pasted as a rule, and may be a part of it. */
	doubtful?: string;
}

const BASE_ADDRESSES = {
	authUrl: { label: 'Auth URL', pasted: /\/oauth2\/token$/ },
	leadsUrl: { label: 'Leads URL', pasted: /\/(applicant|appraisal)-leads$/ },
	productsUrl: {
		label: 'Products URL',
		pasted: /\/products\/(premium-listings|weekly-featured-properties)$/,
		doubtful: '/products',
	},
	inventoryUrl: {
		label: 'Inventory URL',
		pasted: /\/inventory\/(filter|items|search)$/,
		doubtful: '/inventory',
	},
} satisfies Record<string, BaseAddress>;

type BaseAddressName = keyof typeof BASE_ADDRESSES;

function baseAddress(credentials: ICredentialDataDecryptedObject, name: BaseAddressName): string {
	return withoutSlashes(addressAsEntered(credentials, name));
}

/** To the letter, but for a path that was pasted with it. */
function addressAsEntered(
	credentials: ICredentialDataDecryptedObject,
	name: BaseAddressName,
): string {
	const { label, pasted, doubtful }: BaseAddress = BASE_ADDRESSES[name];
	const entered = requiredText(credentials, name, label);
	if (!isWebAddress(entered) || /[?#]/.test(entered)) {
		throw new ServiceError(
			'credential',
			`“${label}” in the credential is not a web address: it must start with https:// or http:// and hold no user name, query or fragment`,
		);
	}
	if (doubtful !== undefined && entered.endsWith(doubtful)) {
		throw new ServiceError(
			'credential',
			`“${label}” in the credential ends in ${doubtful}, which each request adds to it`,
			{
				remedy: `Leave ${doubtful} out. If the operator’s own address ends like that, put a slash behind it.`,
			},
		);
	}
	const bare = withoutSlashes(entered);
	return pasted.test(bare) ? bare.replace(pasted, '') : entered;
}

/** The token endpoint below the Auth URL, whose path the specification fixes. */
function authAddress(credentials: ICredentialDataDecryptedObject): string {
	return `${baseAddress(credentials, 'authUrl')}/oauth2/token`;
}

/** The token endpoint as the operator named it: a slash at its end or a query belongs to it. */
function tokenAddress(credentials: ICredentialDataDecryptedObject): string {
	const entered = requiredText(credentials, 'tokenUrl', 'Token URL');
	if (isWebAddress(entered) && !entered.includes('#')) return entered;
	throw new ServiceError(
		'credential',
		'“Token URL” in the credential is not a web address: it must start with https:// or http:// and hold no user name or fragment',
	);
}

function withoutSlashes(address: string): string {
	return address.replace(/\/+$/, '');
}

/** URL drops line breaks and encodes spaces: text with one of them was no address. */
function isWebAddress(value: string): boolean {
	if (/\s/.test(value) || !URL.canParse(value)) return false;
	const { protocol, username, password } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password;
}
