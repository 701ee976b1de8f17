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

/** The limits for retries in a test of a credential. They are short, because a person waits for the result. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8 * SECOND_MS };
const TIMEOUT_MS = 20 * SECOND_MS;

/**
 * The test of an API’s credential. n8n asks one of the nodes that use the credential. The test asks for a token with
 * the values in the form, and sends the API’s probe with it. n8n shows the message of a failed test, but not that of
 * a successful one.
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

/** The message of a failed test. An error of n8n itself keeps its message. */
function messageOf(error: unknown, { addressLabels }: Integration): string {
	if (error instanceof ServiceError) return describeTestFailure(error, addressLabels);
	return error instanceof Error ? error.message : 'The test failed';
}

/** @throws ServiceError if the test of the credential fails */
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
	// The service has just issued a token, so a refusal is not about the client ID and secret.
	if (failure?.kind === 'credential') {
		throw failure.with('The service issued a token, but refused it (401)');
	}
	if (failure) throw failure;
}

/**
 * Refuses the domains that n8n refuses. In a run, n8n lets the token request go only to the domains that the
 * credential allows, and a test must not be laxer.
 */
function withinDomains(http: SendHttp, credentials: ICredentialDataDecryptedObject): SendHttp {
	const { allowedHttpRequestDomains: mode, allowedDomains } = credentials;
	if (mode !== 'domains' || typeof allowedDomains !== 'string') return http;
	return async (options) => await http({ ...options, allowedDomains });
}

/**
 * Wraps n8n's older request helper, the only one in a credential test, so that it returns the whole answer with any
 * status, as the newer helper does.
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
