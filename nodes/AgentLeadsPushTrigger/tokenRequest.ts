import { isObject } from '../../service/basics/values';
import { isOneOf } from './door';
import type { PushClient, TokenAnswer } from './pushToken';
import { issueToken } from './pushToken';

/** A realm belongs to it, whatever its name (RFC 7617 §2). */
const BASIC_CHALLENGE = 'Basic realm="leads"';

/** RFC 6749 §5.2 */
type TokenError =
	'invalid_request' | 'invalid_client' | 'invalid_target' | 'unsupported_grant_type';

export interface TokenResponse {
	status: 200 | 400 | 401;
	body: TokenAnswer | { error: TokenError };
	/** The scheme that the client used, which has to be named in a refusal (RFC 6749 §5.2). */
	challenge?: typeof BASIC_CHALLENGE;
}

/** What the token address was asked. */
export interface TokenRequest {
	authorization?: string;
	/** The fields of the form or of the JSON body. */
	body: unknown;
}

interface TokenDoor {
	clients: PushClient[];
	audience: string;
	name: string;
}

/**
 * Answers a request for a token by client credentials (RFC 6749 §4.4). How the operator sends the pair is not known:
 * it may come by Basic, in a form, or as JSON.
 *
 * @param now epoch milliseconds
 */
export function answerTokenRequest(
	door: TokenDoor,
	{ authorization, body }: TokenRequest,
	now: number,
): TokenResponse {
	const fields = isObject(body) ? body : {};
	const basic = basicPairs(authorization);
	const pairs = basic ?? pairIn(fields);
	const refusal = (error: TokenError): TokenResponse => ({
		status: error === 'invalid_client' ? 401 : 400,
		body: { error },
		...(error === 'invalid_client' && basic && { challenge: BASIC_CHALLENGE }),
	});
	if (fields.grant_type === undefined) return refusal('invalid_request');
	if (fields.grant_type !== 'client_credentials') return refusal('unsupported_grant_type');
	if (pairs.length === 0) return refusal('invalid_client');
	const client = door.clients.filter((each) => pairs.some((pair) => isClient(each, pair))).at(0);
	if (!client) return refusal('invalid_client');
	if (!isAudienceOf(door, fields.audience)) return refusal('invalid_target');
	return { status: 200, body: issueToken(door.name, client, now) };
}

function isAudienceOf({ audience }: TokenDoor, given: unknown): boolean {
	return audience === '' || given === audience;
}

function isClient({ clientId, clientSecret }: PushClient, given: PushClient): boolean {
	const isId = isOneOf([clientId], given.clientId);
	const isSecret = isOneOf([clientSecret], given.clientSecret);
	return isId && isSecret;
}

function pairIn({ client_id: clientId, client_secret: clientSecret }: Record<string, unknown>) {
	const isPair = typeof clientId === 'string' && typeof clientSecret === 'string';
	return isPair ? [{ clientId, clientSecret }] : [];
}

/**
 * The pair in a Basic header. RFC 6749 §2.3.1 has both parts form-encoded, and many clients do not encode them: the pair is
 * taken in either form.
 *
 * @returns undefined if it is no Basic header
 */
function basicPairs(authorization: string | undefined): PushClient[] | undefined {
	const [, encoded] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? [];
	if (encoded === undefined) return undefined;
	const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	if (secret.length === 0) return [];
	const pair = { clientId, clientSecret: secret.join(':') };
	const decoded = formDecodedPair(pair);
	return decoded ? [pair, decoded] : [pair];
}

function formDecodedPair({ clientId, clientSecret }: PushClient): PushClient | undefined {
	try {
		return { clientId: formDecoded(clientId), clientSecret: formDecoded(clientSecret) };
	} catch {
		return undefined;
	}
}

/** @throws URIError if it is not form-encoded */
function formDecoded(text: string): string {
	return decodeURIComponent(text.replaceAll('+', ' '));
}
