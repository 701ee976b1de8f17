import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import type { HttpAnswer, Origin } from './http/answer';
import { failureIn, notFoundOf } from './http/answer';
import { isList, isObject } from './basics/values';
import { describeTestFailure, ServiceError } from './failure';
import type { Grant } from './auth/grant';
import {
	inventoryAddress,
	inventoryGrant,
	leadsAddress,
	leadsGrant,
	productsAddress,
	productsGrant,
	secretsOf,
} from './auth/grant';
import { agencyHeader, agencyRefOf } from './inventory/agency';
import { isPropertyList } from './inventory/records';
import { isLeadList } from './leads/fetchLeads';
import type { RetryLimits } from './http/retry';
import { withRetry } from './http/retry';
import { requestToken } from './auth/requestToken';
import { TokenMemory } from './auth/tokenMemory';
import type { Depart, SendHttp } from './http/transport';
import { PLAIN_ANSWER, send } from './http/transport';

/** A person waits for the outcome. */
const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 8_000 };

const TIMEOUT_MS = 20_000;

const LONG_AGO = '2000-01-01T00:00:00Z';

/** A small request that shows whether the API takes the token. */
interface Probe {
	url: string;
	query?: IDataObject;
	headers?: Record<string, string>;
	/** What a 401 to a token that was just issued means. */
	unauthorized: string;
	forbidden: string;
	/** What to do about a 404, where it may mean more than a wrong address. */
	notFound?: string;
	/** What a 2xx answer holds. */
	isShape: (body: unknown) => boolean;
	/** Whether another answer than 2xx shows it as well. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}

/**
 * Tests a leads credential by asking for a token with just what was typed in, then for the leads
 * of the last 24 hours of the rarer type. The service's own 400 means that it took the token, and
 * only misses the filter that an agency with several branches must set.
 */
export async function testLeadsCredential(
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	return await testCredential(helpers, credentials, () => [
		leadsGrant(credentials),
		{
			url: `${leadsAddress(credentials)}/appraisal-leads`,
			unauthorized:
				'The service issued a token, but the leads API refused it (401): the audience may be wrong',
			forbidden: 'The service issued a token, but this client may not read leads (403)',
			isShape: (body) => isLeadList(body, 'appraisal'),
			isGoodEnough: ({ statusCode, body }) => statusCode === 400 && isRefusal(body),
		},
	]);
}

/** Tests an inventory credential by asking for a token, then for one property of the agency. */
export async function testInventoryCredential(
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	return await testCredential(helpers, credentials, () => [
		inventoryGrant(credentials),
		{
			url: `${inventoryAddress(credentials)}/inventory`,
			query: { maxResults: 1 },
			headers: agencyHeader(agencyRefOf(credentials)),
			unauthorized:
				'The service issued a token, but the inventory API refused it (401): the Token URL and the Inventory URL may belong to different services',
			forbidden:
				'The service issued a token, but refused the AgencyRef, or this client may not read properties (403)',
			notFound:
				'Check the Inventory URL; if it is right, this agency has no property yet, and the credential is good.',
			isShape: isPropertyList,
			// An agency without properties.
			isGoodEnough: (answer) => answer.statusCode === 404 && notFoundOf(answer) === 'problem',
		},
	]);
}

/**
 * Tests a products credential by asking for a token, then for the activations of a day long ago:
 * that spends nothing and brings nothing along.
 */
export async function testProductsCredential(
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	return await testCredential(helpers, credentials, () => [
		productsGrant(credentials),
		{
			url: `${productsAddress(credentials)}/products/premium-listings`,
			query: { date_from: LONG_AGO, date_to: LONG_AGO },
			isShape: isList,
			unauthorized:
				'The service issued a token, but the products API refused it (401): the scope may be wrong',
			forbidden: 'The service issued a token, but this client may not read activations (403)',
		},
	]);
}

async function testCredential(
	helpers: ICredentialTestFunctions['helpers'],
	credentials: ICredentialDataDecryptedObject,
	prepare: () => [Grant, Probe],
): Promise<INodeCredentialTestResult> {
	const http = legacyHttp(helpers);
	try {
		const [grant, probe] = prepare();
		const { accessToken } = await requestToken(withinDomains(http, credentials), grant, LIMITS);
		TokenMemory.of(grant).acceptPair();
		await tryToken(http, grant, probe, accessToken);
		return { status: 'OK', message: 'The service issued a token and answered with it' };
	} catch (error) {
		if (error instanceof ServiceError) {
			return { status: 'Error', message: describeTestFailure(error) };
		}
		return { status: 'Error', message: error instanceof Error ? error.message : 'The test failed' };
	}
}

/** The service's own errors, or the empty object: its contract requires nothing. */
function isRefusal(body: unknown): boolean {
	return isObject(body) && (Array.isArray(body.errors) || Object.keys(body).length === 0);
}

async function tryToken(
	http: SendHttp,
	grant: Grant,
	{ url, query, headers, unauthorized, forbidden, notFound, isShape, isGoodEnough }: Probe,
	accessToken: string,
): Promise<void> {
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'GET',
		url,
		qs: query,
		headers: { ...headers, authorization: `Bearer ${accessToken}`, accept: 'application/json' },
	};
	const ask = async (depart: Depart) => await http({ ...options, ...depart() });
	await withRetry(async () => {
		const answer = await send('data', ask, { timeoutMs: TIMEOUT_MS });
		if (isGoodEnough?.(answer)) return;
		const secrets = [...secretsOf(grant), accessToken];
		const origin: Origin = { api: grant.api, step: 'data', secrets };
		const failure = failureIn(origin, answer, isShape);
		const { status } = failure?.details ?? {};
		if (status === 401) throw new ServiceError('credential', unauthorized, failure?.details);
		if (status === 403) throw new ServiceError('forbidden', forbidden, failure?.details);
		if (failure && status === 404) throw failure.with(failure.message, { remedy: notFound });
		if (failure) throw failure;
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
