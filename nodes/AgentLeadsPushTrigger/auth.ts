import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { HOUR_MS, SECOND_MS } from '../../service/basics/times';
import { isObject } from '../../service/basics/values';

/** The lifetime of a token: long enough that few are needed, and short enough that a leaked one soon expires. */
const LIFETIME_MS = HOUR_MS;

/** Matches a Bearer token in a header (RFC 6750 §2.1). The scheme is not case-sensitive (RFC 9110 §11.1). */
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

/** The challenge for Basic, which must have a realm of any name (RFC 7617 §2). */
const BASIC_CHALLENGE = 'Basic realm="leads"';

/** A client ID and its secret, which a person made up and gave to the operator. */
interface PushClient {
	clientId: string;
	clientSecret: string;
}

/**
 * The keys or secrets that authorize a push. The second one of a list is valid while the operator changes from the
 * first.
 */
export type PushAuth = { authentication: 'apiKey'; keys: string[] } | TokenAuth;

export interface TokenAuth {
	authentication: 'clientCredentials';
	clients: PushClient[];
	/** The audience that a token request must contain; empty if it is not checked. */
	audience: string;
	/** The name of this node, which every token contains: no other node accepts the token. */
	name: string;
}

/** The errors of a token request (RFC 6749 §5.2). */
type TokenError =
	'invalid_request' | 'invalid_client' | 'invalid_target' | 'unsupported_grant_type';

export interface TokenResponse {
	status: 200 | 400 | 401;
	/** The body of the answer (RFC 6749 §5.1); `expires_in` is in seconds. */
	body: { access_token: string; token_type: 'Bearer'; expires_in: number } | { error: TokenError };
	/** The scheme that the client used: a refusal has to name it (RFC 6749 §5.2). */
	challenge?: string;
}

/**
 * True if a push is authorized. The header is the only proof, because a push is not signed.
 *
 * @param authorization the header Authorization: the key itself, or a Bearer token
 * @param now epoch milliseconds
 */
export function isAuthorized(
	auth: PushAuth,
	authorization: string | undefined,
	now: number,
): boolean {
	if (authorization === undefined) return false;
	if (auth.authentication === 'apiKey') {
		return auth.keys.some((key) => isSame(key, authorization));
	}
	const [, token] = BEARER.exec(authorization) ?? [];
	return token !== undefined && isTokenOf(auth, token, now);
}

/**
 * Answers a token request with client credentials (RFC 6749 §4.4). The contract does not say how the operator sends
 * client ID and secret, so Basic, a form and JSON are all accepted.
 *
 * @param body the fields of the form, or of the JSON body
 * @param now epoch milliseconds
 */
export function answerTokenRequest(
	{ clients, audience, name }: TokenAuth,
	{ authorization = '', body }: { authorization?: string; body: unknown },
	now: number,
): TokenResponse {
	const fields = isObject(body) ? body : {};
	const [, basic] = /^Basic +(\S+) *$/i.exec(authorization) ?? [];
	const pairs = basic === undefined ? [pairIn(fields)] : basicPairs(basic);
	const refusal = (error: TokenError): TokenResponse => ({ status: 400, body: { error } });
	if (fields.grant_type === undefined) return refusal('invalid_request');
	if (fields.grant_type !== 'client_credentials') return refusal('unsupported_grant_type');
	const client = clients.find((each) => pairs.some((pair) => isClient(each, pair)));
	if (!client) {
		const challenge = basic !== undefined && { challenge: BASIC_CHALLENGE };
		return { status: 401, body: { error: 'invalid_client' }, ...challenge };
	}
	if (audience !== '' && fields.audience !== audience) return refusal('invalid_target');
	const expiresAt = Math.floor((now + LIFETIME_MS) / SECOND_MS).toString(36);
	const token = pushTokenOf(name, client, expiresAt);
	return {
		status: 200,
		body: { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_MS / SECOND_MS },
	};
}

/**
 * Makes a token that needs no memory: the token contains its expiry and is signed with the client's secret. So each
 * process of n8n can check it, after a restart as well, and it becomes invalid with the secret.
 */
function pushTokenOf(
	name: string,
	{ clientId, clientSecret }: PushClient,
	expiresAt: string,
): string {
	const what = JSON.stringify(['push token', name, clientId, expiresAt]);
	return `${expiresAt}.${createHmac('sha256', clientSecret).update(what).digest('base64url')}`;
}

function isTokenOf({ name, clients }: TokenAuth, token: string, now: number): boolean {
	const [expiresAt = ''] = token.split('.');
	const leftMs = Number.parseInt(expiresAt, 36) * SECOND_MS - now;
	// A token that seems to live longer than any that is issued is refused: a clock that was set back must not prolong
	// it.
	const isValid = leftMs > 0 && leftMs <= LIFETIME_MS;
	return isValid && clients.some((client) => isSame(pushTokenOf(name, client, expiresAt), token));
}

function isClient({ clientId, clientSecret }: PushClient, [id, secret]: string[]): boolean {
	return (
		id !== undefined && secret !== undefined && isSame(clientId, id) && isSame(clientSecret, secret)
	);
}

function pairIn({ client_id: id, client_secret: secret }: Record<string, unknown>): string[] {
	return typeof id === 'string' && typeof secret === 'string' ? [id, secret] : [];
}

/**
 * Reads client ID and secret from a Basic header. RFC 6749 §2.3.1 wants both form-encoded, and many clients do not
 * encode them, so both forms are accepted.
 */
function basicPairs(encoded: string): string[][] {
	const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const pair = secret.length === 0 ? [] : [id, secret.join(':')];
	return [pair, pair.map((part) => new URLSearchParams(`part=${part}`).get('part') ?? '')];
}

/** Compares two texts in a time that does not depend on where they differ, nor on their lengths. */
function isSame(secret: string, given: string): boolean {
	return timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
