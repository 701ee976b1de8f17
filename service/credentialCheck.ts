import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { originOf } from './auth/grant';
import { requestToken } from './auth/requestToken';
import { TokenCache } from './auth/tokenCache';
import { orFailure, ServiceError } from './failure';
import type { HttpAnswer } from './http/answer';
import { failureIn } from './http/answer';
import { plainText } from './http/plainText';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import type { Depart, SendHttp } from './http/transport';
import { PLAIN_ANSWER, send } from './http/transport';
import type { Integration, TestRequest } from './integration';
import type { ApiWords } from './words';
import { describeTestFailure } from './words';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

/** The test is as good without an introduction. */
const INTRODUCTION_TIMEOUT_MS = 5_000;

const LONGEST_AGENCY_NAME = 100;

/**
 * Tests a credential: asks for a token with just what was typed in, sends the integration's probe with it, then asks
 * which agency the credential reaches.
 */
export async function checkCredential(
	integration: Integration,
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await check(integration, legacyHttp(helpers), credentials) };
	} catch (error) {
		if (error instanceof ServiceError) {
			return { status: 'Error', message: describeTestFailure(error, integration.addressLabels) };
		}
		return { status: 'Error', message: error instanceof Error ? error.message : 'The test failed' };
	}
}

/**
 * @returns what to say of a credential that is good
 * @throws ServiceError if it is not
 */
async function check(
	integration: Integration,
	http: SendHttp,
	credentials: ICredentialDataDecryptedObject,
): Promise<string> {
	const grant = integration.grant(credentials);
	const address = integration.address(credentials);
	const probe = integration.probe(credentials);
	const introduction = integration.introduction?.(credentials);
	const tokenHttp = withinDomains(http, credentials);
	const token = await withRetry(async () => await requestToken(tokenHttp, grant), LIMITS);
	TokenCache.of(grant.fingerprint).endCoolDown();

	const origin = originOf(grant, 'data', [token.accessToken]);
	const ask = asker(http, address, token.accessToken);
	const probing = withRetry(async () => {
		const answer = await ask(probe, TIMEOUT_MS);
		const failure = failureIn(origin, answer, probe.isShape);
		if (failure && !probe.isGoodEnough?.(answer)) throw failure;
	}, LIMITS);
	const failure = (await orFailure(probing)) ?? undefined;
	// A 404 without a word may mean that the agency has no property yet: then its name shows that the address is right.
	if (introduction && (!failure || failure.details.notFound === 'bare')) {
		const answer = await orFailure(ask(introduction, INTRODUCTION_TIMEOUT_MS));
		const isTold = !(answer instanceof ServiceError) && !failureIn(origin, answer);
		const reached =
			isTold &&
			introduction.read(answer.body, (text) =>
				plainText(text, origin.secrets, LONGEST_AGENCY_NAME),
			);
		if (reached) return reached;
	}
	if (failure) throw inTestWords(failure, integration.words.test);
	return 'The service issued a token and answered with it';
}

/** Sends one request of a test, once. */
function asker(http: SendHttp, address: string, accessToken: string) {
	return async ({ path, query, headers }: TestRequest, timeoutMs: number): Promise<HttpAnswer> => {
		const options = {
			...PLAIN_ANSWER,
			url: `${address}${path}`,
			qs: query,
			headers: { ...headers, authorization: `Bearer ${accessToken}`, accept: 'application/json' },
		};
		const request = async (depart: Depart) =>
			await http({ ...options, method: 'GET', ...depart() });
		return await send('data', request, { timeoutMs });
	};
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
