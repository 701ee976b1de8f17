import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { originOf } from './auth/grant';
import { requestToken } from './auth/requestToken';
import { TokenMemory } from './auth/tokenMemory';
import { orFailure, ServiceError } from './failure';
import type { HttpAnswer, Origin } from './http/answer';
import { failureIn } from './http/answer';
import { shownText } from './http/shown';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import type { SendHttp } from './http/transport';
import { PLAIN_ANSWER, send } from './http/transport';
import type { Integration, Introduction, Probe, TestRequest } from './integration';
import type { ApiWords } from './words';
import { describeTestFailure } from './words';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

/** The test is as good without an introduction. */
const INTRODUCTION_TIMEOUT_MS = 5_000;

const LONGEST_AGENCY_NAME = 100;

/**
 * Tests a credential: asks for a token with just what was typed in, then for the integration's probe, then
 * whom the credential reaches.
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
	const { accessToken } = await requestToken(withinDomains(http, credentials), grant, LIMITS);
	TokenMemory.of(grant).acceptPair();
	const asker: Asker = {
		http,
		address,
		accessToken,
		origin: originOf(grant, 'data', [accessToken]),
	};
	const failure = await failureOf(asker, probe);
	const mayIntroduce = !failure || failure.details.notFound === 'bare';
	const reached = mayIntroduce && introduction && (await introduce(asker, introduction));
	if (reached) return reached;
	if (failure) throw inTestWords(failure, integration.words.test);
	return 'The service issued a token and answered with it';
}

/** What the requests of a test have in common. */
interface Asker {
	http: SendHttp;
	address: string;
	accessToken: string;
	origin: Origin;
}

async function askOnce(
	{ http, address, accessToken }: Asker,
	{ path, query, headers }: TestRequest,
	timeoutMs: number,
): Promise<HttpAnswer> {
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'GET',
		url: `${address}${path}`,
		qs: query,
		headers: { ...headers, authorization: `Bearer ${accessToken}`, accept: 'application/json' },
	};
	return await send('data', async (depart) => await http({ ...options, ...depart() }), {
		timeoutMs,
	});
}

/** Why the probe shows that the credential is not good, if so. */
async function failureOf(asker: Asker, probe: Probe): Promise<ServiceError | undefined> {
	const probed = withRetry(async () => {
		const answer = await askOnce(asker, probe, TIMEOUT_MS);
		const failure = failureIn(asker.origin, answer, probe.isShape);
		if (failure && !probe.isGoodEnough?.(answer)) throw failure;
	}, LIMITS);
	return (await orFailure(probed)) ?? undefined;
}

/** Whom the credential reaches; undefined if the service does not tell it at once. */
async function introduce(asker: Asker, introduction: Introduction): Promise<string | undefined> {
	const answer = await orFailure(askOnce(asker, introduction, INTRODUCTION_TIMEOUT_MS));
	if (answer instanceof ServiceError || failureIn(asker.origin, answer)) return undefined;
	return introduction.read(answer.body, (text) =>
		shownText(text, asker.origin.secrets, LONGEST_AGENCY_NAME),
	);
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
