import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { HOUR_MS, SECOND_MS } from '../../service/basics/times';
import { objectOf } from '../../service/basics/values';

/**
 * How long a token is valid: long enough that the operator needs few tokens, and short enough that a leaked token soon
 * expires.
 */
const LIFETIME_MS = HOUR_MS;

/** Matches a Bearer token in a header (RFC 6750 §2.1). The scheme is not case-sensitive (RFC 9110 §11.1). */
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

/**
 * The WWW-Authenticate header of a refusal that asks for Basic authentication. It must contain a realm, whose name is
 * free (RFC 7617 §2).
 */
const BASIC_CHALLENGE = 'Basic realm="leads"';

/** A client ID with its secret. The agency made both up and gave them to the operator of the service. */
interface PushClient {
	clientId: string;
	clientSecret: string;
}

/**
 * The keys or client secrets that authorize a push. A list has a second entry while the operator changes to a new key:
 * both are then valid.
 */
export type PushAuth = { authentication: 'apiKey'; keys: string[] } | TokenAuth;

export interface TokenAuth {
	authentication: 'clientCredentials';
	clients: PushClient[];
	/** The audience that a token request must contain; empty to accept any audience. */
	audience: string;
	/**
	 * A text that identifies this node. The signature of a token covers the text, so no other node accepts the token.
	 */
	name: string;
}

/** The errors of a token request (RFC 6749 §5.2). */
type TokenError =
	'invalid_request' | 'invalid_client' | 'invalid_target' | 'unsupported_grant_type';

export interface TokenResponse {
	status: 200 | 400 | 401;
	/** The body of the answer (RFC 6749 §5.1); `expires_in` is in seconds. */
	body: { access_token: string; token_type: 'Bearer'; expires_in: number } | { error: TokenError };
	/**
	 * The value of the WWW-Authenticate header, set if the client used Basic: a refusal has to name the client's scheme
	 * (RFC 6749 §5.2).
	 */
	challenge?: string;
}

/**
 * True if a push is authorized. Only the header Authorization proves that, because a push is not signed.
 *
 * @param authorization the value of the header: the API key itself, or a Bearer token
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
 * Answers a token request with client credentials (RFC 6749 §4.4). The service's contract does not say how the operator
 * sends the client ID and secret, so HTTP Basic, a form and JSON are all accepted.
 *
 * @param body the fields of the form or of the JSON body
 * @param now epoch milliseconds
 */
export function answerTokenRequest(
	{ clients, audience, name }: TokenAuth,
	{ authorization = '', body }: { authorization?: string; body: unknown },
	now: number,
): TokenResponse {
	const fields = objectOf(body);
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
 * Makes a token that n8n does not have to store: the token contains its expiry time and is signed with the client's
 * secret. So each process of n8n can check it, even after a restart. If the agency changes the secret, the token
 * becomes invalid.
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
	// A token whose expiry is further away than the lifetime of a new token is refused, so that a clock that was set
	// back does not make tokens valid for longer.
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
 * Reads the client ID and the secret from a Basic header. RFC 6749 §2.3.1 requires both to be form-encoded, but many
 * clients do not encode them, so the result has both readings.
 */
function basicPairs(encoded: string): string[][] {
	const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const pair = secret.length === 0 ? [] : [id, secret.join(':')];
	return [pair, pair.map((part) => new URLSearchParams(`part=${part}`).get('part') ?? '')];
}

/**
 * Compares two texts. The duration does not depend on where they differ or how long they are, so it tells an attacker
 * nothing.
 */
function isSame(secret: string, given: string): boolean {
	return timingSafeEqual(digest(secret), digest(given));
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
