import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { HttpAnswer } from '../http/answer';
import { tokenRefusalIn } from '../http/answer';
import type { RetryLimits } from '../http/retry';
import { DEFAULT_LIMITS, withRetry } from '../http/retry';
import type { Depart, SendHttp } from '../http/request';
import type { Grant } from './grant';
import { requestToken } from './requestToken';
import { isAlive, TokenCache } from './tokenCache';

/*
 * n8n stores tokens, so that they outlive the process and serve other workers and the HTTP Request node. It lets a
 * credential do two things: get a token, and put it into a request. A request for data therefore goes through n8n
 * twice:
 *
 *   session → sendWithToken → n8n's helper
 *     → preAuthentication = renewToken     if the token is empty. n8n stores every key that this returns.
 *     → authenticate                       adds the header, or fails like a 401 if the token is used up
 *     → the service
 *   → sendWithToken                        after a 401 or 403: again with an empty token, if another may help
 *
 * n8n calls `preAuthentication` only if the stored token is empty, or after a 401. For the HTTP Request node it also
 * calls it after any other failed request, and once more if `preAuthentication` itself failed. Since n8n 2.41, a node
 * can have it called after a 403 as well, but then after every 403: docs/architecture.md says what that costs. n8n may
 * call it several times at once: `TokenCache` makes sure that only one token request is sent at a time. Nothing but the
 * credentials travels through n8n from a node to the hooks, so the details of a request are stored under its
 * credentials object.
 */

/** What n8n's credential hooks need to know about one request of a node. */
interface Call {
	/** The limits for retries of the token request. */
	limits: RetryLimits;
	/**
	 * Starts the timeout of the data request. The hook `authenticate` calls this function after any token request, so
	 * the timeout does not include the time that the token request takes.
	 */
	depart: Depart;
}

const calls = new WeakMap<ICredentialDataDecryptedObject, Call>();

/**
 * Stores, under the credentials object of a request, what the credential hooks need to know about this request. n8n
 * passes the same object to the hooks, which find the stored `Call` by it.
 */
export function handToHooks(credentials: ICredentialDataDecryptedObject, call: Call): void {
	calls.set(credentials, call);
}

/**
 * How many times one request gets another token at most: the service may first refuse the token that n8n has stored,
 * and then the token that this process knows.
 */
const MOST_RENEWALS = 2;

/**
 * Sends a request with the token that n8n has stored. If the service refuses the token and another one may help, the
 * request is sent again.
 *
 * @param send passes the credentials to n8n, which gets a token if they have none, and sends the request with it
 */
export async function sendWithToken(
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
	send: (credentials: ICredentialDataDecryptedObject) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
	const cache = TokenCache.of(grant.fingerprint);
	let used = { ...credentials };
	if (!holdsUsableToken(grant, used)) used.accessToken = '';
	for (let renewals = 0; ; renewals++) {
		const answer = await send(used);
		const refusal = tokenRefusalIn(answer);
		if (!refusal) cache.accept(tokenOf(used));
		const isOver = !refusal || renewals === MOST_RENEWALS;
		if (isOver || !cache.refuse(tokenOf(used), refusal)) return answer;
		used = { ...used, accessToken: '' };
	}
}

/**
 * The hook `preAuthentication` of n8n's credentials. It returns the token that this process knows, or asks for a new
 * one.
 *
 * @returns the values that n8n stores in the credential's hidden fields (`credentials/common/token.properties.ts`); the
 * secret is not among them
 * @throws ServiceError if the service issued no token
 */
export async function renewToken(
	http: SendHttp,
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const cache = TokenCache.of(grant.fingerprint);
	// n8n's HTTP Request node calls the hook `preAuthentication` even after a 404. The token cache treats each such
	// call like one after a 401, and it limits how often a token is replaced after a 401.
	if (holdsUsableToken(grant, credentials)) cache.refuse(tokenOf(credentials), 401);
	const attempt = async () => await cache.get(async () => await requestToken(http, grant));
	const token = await withRetry(attempt, calls.get(credentials)?.limits ?? DEFAULT_LIMITS);
	return {
		accessToken: token.accessToken,
		tokenExpiresAt: token.expiresAt,
		tokenFingerprint: grant.fingerprint,
	};
}

/**
 * The hook `authenticate` of n8n's credentials, which adds the header with the token. n8n checks neither the lifetime
 * of a token nor the client ID for which it was issued, so this hook does.
 *
 * @throws an error in the form of a 401 if the stored token must not be used: n8n then renews the token and calls this
 * hook again
 */
export function authenticate<T extends { headers?: object }>(
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
	options: T,
): T {
	if (!holdsUsableToken(grant, credentials)) {
		throw Object.assign(new Error('The stored token is used up'), { response: { status: 401 } });
	}
	const authorization = { Authorization: `Bearer ${tokenOf(credentials)}` };
	const bounds = calls.get(credentials)?.depart();
	return { ...options, ...bounds, headers: { ...options.headers, ...authorization } };
}

/** Returns the stored token; empty if there is none. */
export function tokenOf({ accessToken }: ICredentialDataDecryptedObject): string {
	return typeof accessToken === 'string' ? accessToken : '';
}

/** True if the stored token was issued for this client ID, secret and address, and has not expired. */
function holdsUsableToken(
	{ fingerprint }: Grant,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	const { tokenFingerprint, tokenExpiresAt } = credentials;
	const isOwn = tokenFingerprint === fingerprint;
	return tokenOf(credentials) !== '' && isOwn && isAlive(tokenExpiresAt);
}
