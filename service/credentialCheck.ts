import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { originOf } from './auth/grant';
import { requestToken } from './auth/requestToken';
import { TokenMemory } from './auth/tokenMemory';
import { ServiceError } from './failure';
import { failureIn } from './http/answer';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import type { Depart, SendHttp } from './http/transport';
import { PLAIN_ANSWER, send } from './http/transport';
import type { Integration } from './integration';
import type { ApiWords } from './words';
import { describeTestFailure } from './words';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

/** Tests a credential: asks for a token with just what was typed in, then for the integration's probe. */
export async function checkCredential(
	integration: Integration,
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	try {
		await check(integration, legacyHttp(helpers), credentials);
		return { status: 'OK', message: 'The service issued a token and answered with it' };
	} catch (error) {
		if (error instanceof ServiceError) {
			return { status: 'Error', message: describeTestFailure(error) };
		}
		return { status: 'Error', message: error instanceof Error ? error.message : 'The test failed' };
	}
}

async function check(
	integration: Integration,
	http: SendHttp,
	credentials: ICredentialDataDecryptedObject,
): Promise<void> {
	const grant = integration.grant(credentials);
	const address = integration.address(credentials);
	const { path, query, headers, isShape, isGoodEnough } = integration.probe(credentials);
	const { accessToken } = await requestToken(withinDomains(http, credentials), grant, LIMITS);
	TokenMemory.of(grant).acceptPair();
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'GET',
		url: `${address}${path}`,
		qs: query,
		headers: { ...headers, authorization: `Bearer ${accessToken}`, accept: 'application/json' },
	};
	const ask = async (depart: Depart) => await http({ ...options, ...depart() });
	await withRetry(async () => {
		const answer = await send('data', ask, { timeoutMs: TIMEOUT_MS });
		if (isGoodEnough?.(answer)) return;
		const failure = failureIn(originOf(grant, 'data', [accessToken]), answer, isShape);
		if (failure) throw inTestWords(failure, integration.words.test);
	}, LIMITS);
}

/** A refusal of a token that was issued a moment ago means something else than in a workflow. */
function inTestWords(
	failure: ServiceError,
	{ tokenRefused, forbidden, notFound }: ApiWords['test'],
): ServiceError {
	const { message, details } = failure;
	const { status } = details;
	if (status === 401) return failure.with(tokenRefused.message, { remedy: undefined });
	if (status === 403) return failure.with(forbidden.message, { remedy: forbidden.remedy });
	if (status === 404) return failure.with(message, { remedy: notFound?.remedy });
	return failure;
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
	return async ({ url, qs, method, headers, body, timeout, allowedDomains }): Promise<unknown> =>
		await helpers.request({
			uri: url,
			qs,
			method,
			headers,
			body,
			timeout,
			...(allowedDomains !== undefined && { allowedDomains }),
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
}
