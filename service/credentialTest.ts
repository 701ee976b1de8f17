import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { isObject, readAnswer } from './answer';
import { describeTestFailure, ServiceError } from './errors';
import { leadsAddress, leadsGrant } from './grant';
import type { RetryLimits } from './retry';
import { withRetry } from './retry';
import { requestToken } from './token';
import type { SendHttp } from './transport';
import { PLAIN_ANSWER, send } from './transport';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

/**
 * Tests a leads credential by asking for a token with just what was typed in, then for the leads
 * of the last 24 hours of the rarer type. An answer that only misses a filter is a success.
 */
export async function testLeadsCredential(
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	const http = legacyHttp(helpers);
	try {
		const grant = leadsGrant(credentials);
		const { accessToken } = await requestToken(withinDomains(http, credentials), grant, LIMITS);
		const url = `${leadsAddress(credentials)}/appraisal-leads`;
		await probe(http, url, accessToken, [...grant.secrets, accessToken]);
		return { status: 'OK', message: 'The service issued a token and answered with it' };
	} catch (error) {
		if (error instanceof ServiceError) {
			return { status: 'Error', message: describeTestFailure(error) };
		}
		return { status: 'Error', message: error instanceof Error ? error.message : 'The test failed' };
	}
}

/**
 * Whether the leads API takes the token: the service's own 400 means that it did, and only misses
 * the filter that an agency with several branches must set.
 */
async function probe(
	http: SendHttp,
	url: string,
	accessToken: string,
	secrets: string[],
): Promise<void> {
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'GET',
		url,
		headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
		timeout: TIMEOUT_MS,
	};
	await withRetry(async () => {
		const answer = await send('data', async () => await http(options));
		if (answer.statusCode === 400 && isObject(answer.body)) return;
		if (answer.statusCode === 401) {
			throw new ServiceError(
				'credential',
				'The service issued a token, but the leads API refused it (401): the audience may be wrong',
				{ step: 'data', status: 401 },
			);
		}
		if (answer.statusCode === 403) {
			throw new ServiceError(
				'forbidden',
				'The service issued a token, but this client may not read leads (403)',
				{ step: 'data', status: 403 },
			);
		}
		readAnswer('data', answer, secrets);
	}, LIMITS);
}

/**
 * n8n holds the token request of a run to the domains that its own field of the credential allows:
 * the test must not be laxer.
 */
function withinDomains(http: SendHttp, credentials: ICredentialDataDecryptedObject): SendHttp {
	const { allowedHttpRequestDomains: mode, allowedDomains } = credentials;
	if (mode !== 'domains' || typeof allowedDomains !== 'string') return http;
	return async (options) => await http({ ...options, allowedDomains });
}

/**
 * A credential test gets n8n's older request helper only. This gives it the manners of the newer
 * one: the whole answer whatever its status, the body parsed where it is JSON.
 */
function legacyHttp(helpers: ICredentialTestFunctions['helpers']): SendHttp {
	return async ({ url, method, headers, body, timeout, allowedDomains }) => {
		const answer: unknown = await helpers.request({
			uri: url,
			method,
			headers,
			body,
			timeout,
			...(allowedDomains !== undefined && { allowedDomains }),
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
		if (!isObject(answer) || typeof answer.body !== 'string') return answer;
		return { ...answer, body: parsed(answer.body) };
	};
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return body;
	}
}
