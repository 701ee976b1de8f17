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

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8 * SECOND_MS };
const TIMEOUT_MS = 20 * SECOND_MS;

/**
 * The test of an integration's credential, for a node that uses it: n8n asks one of these nodes. It asks for a token with
 * just what was typed in, and sends the integration's probe with it. n8n shows the message of a failed test only.
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

/** An error of n8n itself is shown as it is. */
function messageOf(error: unknown, { addressLabels }: Integration): string {
	if (error instanceof ServiceError) return describeTestFailure(error, addressLabels);
	return error instanceof Error ? error.message : 'The test failed';
}

/** @throws ServiceError if the credential is not good */
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
	if (failure?.kind === 'credential') {
		throw failure.with('The service issued a token, but refused it (401)');
	}
	if (failure) throw failure;
}

/**
 * n8n lets the token request of a run go only to the domains that its own field of the credential allows:
 * the test must not be laxer.
 */
function withinDomains(http: SendHttp, credentials: ICredentialDataDecryptedObject): SendHttp {
	const { allowedHttpRequestDomains: mode, allowedDomains } = credentials;
	if (mode !== 'domains' || typeof allowedDomains !== 'string') return http;
	return async (options) => await http({ ...options, allowedDomains });
}

/**
 * A credential test gets n8n's older request helper only. This gives it the manners of the newer
 * one: the whole answer whatever its status.
 */
function legacyHttp(helpers: ICredentialTestFunctions['helpers']): SendHttp {
	return async ({ url: uri, ...options }): Promise<unknown> =>
		await helpers.request({
			...omit(options, Object.keys(PLAIN_ANSWER)),
			uri,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
}
