import type { WireRequest } from './http';
import { joined } from './http';

/** What tells a client from others; the secret in plain text. */
export interface Pair {
	clientId: string;
	clientSecret: string;
}

/** Form A: the pair in the header, the scope in the form. */
export const productsToken = (authUrl: string, pair: Pair, scope = 'api/api_access') =>
	tokenRequest(joined(authUrl, '/oauth2/token'), { scope }, pair);

/**
 * Form B: everything in the form, nothing in a header.
 *
 * @param audience the leads address, character by character as the operator gave it
 */
export const leadsToken = (authUrl: string, pair: Pair, audience: string) =>
	tokenRequest(joined(authUrl, '/oauth2/token'), {
		client_id: pair.clientId,
		client_secret: pair.clientSecret,
		audience,
	});

/**
 * Form C: the pair in the header, the form holds the grant alone.
 *
 * @param tokenUrl the full address, to which nothing is added and from which nothing is taken
 */
export const inventoryToken = (tokenUrl: string, pair: Pair) => tokenRequest(tokenUrl, {}, pair);

/** @param pair for a Basic header: Base64 of the UTF-8 text; no percent-encoding comes before */
function tokenRequest(url: string, fields: Record<string, string>, pair?: Pair): WireRequest {
	const encoded = Buffer.from(`${pair?.clientId}:${pair?.clientSecret}`).toString('base64');
	const form = { grant_type: 'client_credentials', ...fields };
	return {
		...{ method: 'POST' as const, url, body: new URLSearchParams(form).toString() },
		headers: {
			accept: 'application/json',
			'content-type': 'application/x-www-form-urlencoded',
			...(pair && { authorization: `Basic ${encoded}` }),
		},
	};
}
