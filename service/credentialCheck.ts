import omit from 'lodash/omit';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunction,
	ICredentialTestFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { originOf } from './auth/grant';
import { requestToken } from './auth/requestToken';
import { TokenCache } from './auth/tokenCache';
import { SECOND_MS } from './basics/times';
import { orFailure, ServiceError } from './failure';
import { failureIn } from './http/answer';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import type { Depart, SendHttp } from './http/request';
import { PLAIN_ANSWER, send } from './http/request';
import type { Integration } from './integration';
import { describeTestFailure } from './words';

/** The limits for retries when a person tests a credential. They are low, because the person waits for the result. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8 * SECOND_MS };
const TIMEOUT_MS = 20 * SECOND_MS;

/**
 * Makes the function with which n8n tests the credential of an API; n8n takes it from one of the nodes that use the
 * credential. It asks for a token with the values in the form, and sends a small request with this token. n8n shows the
 * message of a failed test, but not that of a successful one.
 */
export function credentialCheckOf(integration: Integration): ICredentialTestFunction {
	return async function ({ data = {} }) {
		try {
			await check(integration, legacyHttp(this.helpers), data);
			return { status: 'OK', message: 'The service issued a token and answered with it' };
		} catch (error) {
			return { status: 'Error', message: messageOf(error, integration) };
		}
	};
}

/** Makes the message of a failed test. An error of n8n itself keeps its own message. */
function messageOf(error: unknown, { addressLabels }: Integration): string {
	if (error instanceof ServiceError) return describeTestFailure(error, addressLabels);
	return error instanceof Error ? error.message : 'The test failed';
}

/**
 * Tests the credential of an API.
 *
 * @throws ServiceError if the test fails
 */
async function check(
	integration: Integration,
	http: SendHttp,
	credentials: ICredentialDataDecryptedObject,
): Promise<void> {
	const grant = integration.grant(credentials);
	const { path, query: qs, headers, ...probe } = integration.probe(credentials);
	const tokenHttp = withinDomains(http, credentials);
	const { accessToken } = await withRetry(async () => await requestToken(tokenHttp, grant), LIMITS);
	TokenCache.of(grant.fingerprint).endCoolDown();

	const origin = originOf(grant, 'data', [accessToken]);
	const authorization = `Bearer ${accessToken}`;
	const options: IHttpRequestOptions = {
		method: 'GET',
		url: `${grant.address}${path}`,
		qs,
		headers: { ...headers, authorization, accept: 'application/json' },
	};
	const probing = withRetry(async () => {
		const ask = async (depart: Depart) => await http({ ...options, ...depart() });
		const answer = await send('data', ask, AbortSignal.timeout(TIMEOUT_MS));
		const failure = failureIn(origin, answer, probe.isShape);
		if (failure && !probe.isGoodEnough?.(answer)) throw failure;
	}, LIMITS);
	const failure = await orFailure(probing);
	// The service has just issued this token. So if it refuses the token, the client ID and secret are not the cause.
	if (failure?.kind === 'credential') {
		throw failure.with('The service issued a token, but refused it (401)');
	}
	if (failure) throw failure;
}

/**
 * Limits requests to the domains that the credential allows. In an execution, n8n applies this limit to token requests,
 * and a test must not allow more.
 */
function withinDomains(http: SendHttp, credentials: ICredentialDataDecryptedObject): SendHttp {
	const { allowedHttpRequestDomains: mode, allowedDomains } = credentials;
	if (mode !== 'domains' || typeof allowedDomains !== 'string') return http;
	return async (options) => await http({ ...options, allowedDomains });
}

/**
 * Wraps n8n's older request helper, the only one that a credential test has, so that it returns the full answer for
 * every status like the newer helper.
 */
function legacyHttp(helpers: ICredentialTestFunctions['helpers']): SendHttp {
	return async ({ url: uri, ...options }): Promise<unknown> =>
		await helpers.request({
			...omit(options, Object.keys(PLAIN_ANSWER)),
			uri,
			encoding: null,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
}
