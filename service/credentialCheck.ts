import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunction,
	ICredentialTestFunctions,
} from 'n8n-workflow';

import { originOf } from './auth/grant';
import { requestToken } from './auth/requestToken';
import { TokenCache } from './auth/tokenCache';
import { orFailure, ServiceError } from './failure';
import type { HttpAnswer, Origin } from './http/answer';
import { failureIn } from './http/answer';
import { shownText } from './http/shown';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import type { Depart, SendHttp } from './http/request';
import { send } from './http/request';
import type { Integration, Introduction, TestRequest } from './integration';
import type { ApiWords, Words } from './words';
import { describeTestFailure } from './words';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

/** The test is as good without an introduction. */
const INTRODUCTION_TIMEOUT_MS = 5_000;

const LONGEST_AGENCY_NAME = 100;

/**
 * The test of an integration's credential, for a node that uses it: n8n asks one of these nodes. It asks for a token with
 * just what was typed in, sends the integration's probe with it, then asks which agency the credential reaches.
 */
export function credentialCheckOf(integration: Integration): ICredentialTestFunction {
	return async function ({ data = {} }) {
		try {
			return { status: 'OK', message: await check(integration, legacyHttp(this.helpers), data) };
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
	const mayIntroduce = !failure || failure.details.notFound === 'bare';
	const reached = mayIntroduce && introduction && (await introduce(ask, origin, introduction));
	if (reached) return reached;
	if (failure) throw inTestWords(failure, integration.words.test);
	return 'The service issued a token and answered with it';
}

type Ask = (request: TestRequest, timeoutMs: number) => Promise<HttpAnswer>;

/** Sends one request of a test, once. */
function asker(http: SendHttp, address: string, accessToken: string): Ask {
	return async ({ path, query: qs, headers: own }, timeoutMs) => {
		const url = `${address}${path}`;
		const authorization = `Bearer ${accessToken}`;
		const headers = { ...own, authorization, accept: 'application/json' };
		const request = async (depart: Depart) =>
			await http({ method: 'GET', url, qs, headers, ...depart() });
		return await send('data', request, { timeoutMs });
	};
}

/** Which agency the credential reaches; undefined if the service does not say so at once. */
async function introduce(ask: Ask, origin: Origin, introduction: Introduction) {
	const answer = await orFailure(ask(introduction, INTRODUCTION_TIMEOUT_MS));
	if (answer instanceof ServiceError || failureIn(origin, answer)) return undefined;
	return introduction.read(answer.body, (text) =>
		shownText(text, origin.secrets, LONGEST_AGENCY_NAME),
	);
}

/** A refusal of a token that was issued a moment ago means something else than in a workflow. */
function inTestWords(failure: ServiceError, words: ApiWords['test']): ServiceError {
	const byStatus: Record<number, Partial<Words> | undefined> = {
		401: words.tokenRefused,
		403: words.forbidden,
		404: words.notFound,
	};
	const own = byStatus[failure.details.status ?? 0];
	return own ? failure.with(own.message ?? failure.message, { remedy: own.remedy }) : failure;
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
			allowedDomains,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
}
