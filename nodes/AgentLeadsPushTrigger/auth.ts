import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { HOUR_MS, SECOND_MS } from '../../service/basics/times';
import { isObject } from '../../service/basics/values';

/** How long a token is valid: long enough that few are needed, and short enough that a leak ends by itself. */
const LIFETIME_MS = HOUR_MS;

/** The RFC 6750 §2.1 form. The scheme is not case-sensitive (RFC 9110 §11.1). */
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

/** A realm belongs to it, whatever its name (RFC 7617 §2). */
const BASIC_CHALLENGE = 'Basic realm="leads"';

/** A client ID and its secret, which the person gave to the operator. */
interface PushClient {
	clientId: string;
	clientSecret: string;
}

/** Who may push, as the person set it; the second of a list is valid while the first is introduced. */
export type PushAuth = { authentication: 'apiKey'; keys: string[] } | TokenAuth;

export interface TokenAuth {
	authentication: 'clientCredentials';
	clients: PushClient[];
	/** Empty: not checked. */
	audience: string;
	/** What no other node accepts tokens for. */
	name: string;
}

/** RFC 6749 §5.2 */
type TokenError =
	'invalid_request' | 'invalid_client' | 'invalid_target' | 'unsupported_grant_type';

export interface TokenResponse {
	status: 200 | 400 | 401;
	/** RFC 6749 §5.1; `expires_in` in seconds. */
	body: { access_token: string; token_type: 'Bearer'; expires_in: number } | { error: TokenError };
	/** The scheme that the client used, which has to be named in a refusal (RFC 6749 §5.2). */
	challenge?: string;
}

/**
 * Whether a push is authorized. All that proves it is the header: a push is not signed.
 *
 * @param authorization the header as it came: the key verbatim, or a Bearer token
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
 * Answers a request for a token by client credentials (RFC 6749 §4.4). How the operator sends the pair is not known:
 * it may come by Basic, in a form, or as JSON.
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
 * A token that needs no memory: it says when it expires, and is signed with the client's secret. So each process of
 * n8n knows it, after a restart as well, and it ends with the secret.
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
	// No token is issued for longer: a clock that went back must not prolong it.
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

/** RFC 6749 §2.3.1 has both parts form-encoded, and many clients do not encode them: the pair is taken in either form. */
function basicPairs(encoded: string): string[][] {
	const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const pair = secret.length === 0 ? [] : [id, secret.join(':')];
	return [pair, pair.map((part) => new URLSearchParams(`part=${part}`).get('part') ?? '')];
}

/** Takes the same time whatever is wrong, the length of the texts included. */
function isSame(secret: string, given: string): boolean {
	return timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
