import type { WireRequest } from './http';
import { joined } from './http';

/** What tells a client from others; the secret in plain text. */
export interface Pair {
	clientId: string;
	clientSecret: string;
}

/** The scope of the products, which a client may have another of. */
export const PRODUCTS_SCOPE = 'api/api_access';

/** Form A: the pair in the header, the scope in the form. */
export function productsToken(authUrl: string, pair: Pair, scope = PRODUCTS_SCOPE): WireRequest {
	const grant = form(joined(authUrl, '/oauth2/token'), [['scope', scope]]);
	return { ...grant, headers: { ...grant.headers, authorization: basic(pair) } };
}

/**
 * Form B: everything in the form, nothing in a header.
 *
 * @param audience the leads address, character by character as the operator gave it
 */
export function leadsToken(
	authUrl: string,
	{ clientId, clientSecret }: Pair,
	audience: string,
): WireRequest {
	return form(joined(authUrl, '/oauth2/token'), [
		['client_id', clientId],
		['client_secret', clientSecret],
		['audience', audience],
	]);
}

/**
 * Form C: the pair in the header, the form holds the grant alone.
 *
 * @param tokenUrl the full address, to which nothing is added and from which nothing is taken
 */
export function inventoryToken(tokenUrl: string, pair: Pair): WireRequest {
	const grant = form(tokenUrl, []);
	return { ...grant, headers: { ...grant.headers, authorization: basic(pair) } };
}

/** Base64 of the UTF-8 text; no percent-encoding comes before. */
function basic({ clientId, clientSecret }: Pair): string {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

function form(url: string, fields: Array<[name: string, value: string]>): WireRequest {
	return {
		method: 'POST',
		url,
		headers: {
			accept: 'application/json',
			'content-type': 'application/x-www-form-urlencoded',
		},
		body: new URLSearchParams([['grant_type', 'client_credentials'], ...fields]).toString(),
	};
}
