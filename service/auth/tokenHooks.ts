import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { orFailure, ServiceError } from '../failure';
import type { RetryLimits } from '../http/retry';
import { DEFAULT_LIMITS } from '../http/retry';
import type { Depart, SendHttp } from '../http/request';
import type { Grant } from './grant';
import { requestTokenOnce } from './requestToken';
import type { StoredToken } from './storedToken';
import { holdsUsableToken, tokenOf } from './storedToken';
import { TokenMemory } from './tokenMemory';

/** What one call of n8n's request helper has to do with the hooks. */
interface Call {
	/** The limits of the node whose call it is. */
	limits?: RetryLimits;
	/** Tells when the node's request departs: its time begins only once it has its token. */
	depart?: Depart;
	/** Why no token could be had. n8n calls a hook that failed once more. */
	failure?: ServiceError;
}

/** By the very object that a node hands to n8n: n8n hands it on to the hooks. */
const calls = new WeakMap<ICredentialDataDecryptedObject, Call>();

/** Credentials for which n8n asks the hook for a token, within a node's limits. */
export function withoutToken(
	credentials: ICredentialDataDecryptedObject,
	limits: RetryLimits,
): ICredentialDataDecryptedObject {
	const emptied = { ...credentials, accessToken: '' };
	calls.set(emptied, { limits });
	return emptied;
}

/** Has the `authenticate` hook tell when the request with these credentials departs. */
export function onDeparture(credentials: ICredentialDataDecryptedObject, depart: Depart): void {
	callOf(credentials).depart = depart;
}

/**
 * n8n's `preAuthentication` hook: called while the stored token is empty, after a 401, and by the
 * HTTP Request node after any failed request, be it a 404 or a 429. n8n stores what it returns in the
 * credential, so the secret is not part of it.
 *
 * @throws ServiceError if no token could be had
 */
export async function renewToken(
	http: SendHttp,
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
): Promise<StoredToken> {
	const call = callOf(credentials);
	if (call.failure) throw call.failure;
	const limits: RetryLimits = call.limits ?? DEFAULT_LIMITS;
	const memory = TokenMemory.of(grant);
	memory.dismiss(credentials);
	// Without a deadline of its own: others may share it.
	const ask = async () => await requestTokenOnce(http, grant);
	const issued = await orFailure(memory.obtain(limits, ask));
	if (issued instanceof ServiceError) {
		call.failure = issued;
		throw issued;
	}
	return {
		accessToken: issued.accessToken,
		tokenExpiresAt: issued.expiresAt,
		tokenFingerprint: grant.fingerprint,
		tokenIssuedAt: issued.issuedAt,
		tokenAfterForbidden: issued.replaces === 403,
	};
}

/**
 * n8n's `authenticate` hook. n8n itself looks neither at a token's lifetime nor at the pair that it
 * was issued for. What n8n understands is a 401: then it renews the token and calls this hook again.
 *
 * @throws an error in the shape of a 401 if the stored token must not be used
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
	const bounds = callOf(credentials).depart?.();
	return { ...options, ...bounds, headers: { ...options.headers, ...authorization } };
}

function callOf(credentials: ICredentialDataDecryptedObject): Call {
	const call = calls.get(credentials) ?? {};
	calls.set(credentials, call);
	return call;
}
