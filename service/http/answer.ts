import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, objectOf, textOf } from '../basics/values';
import type { FailureDetails, FailureKind, RequestKind } from '../failure';
import { ServiceError } from '../failure';
import type { ApiWords } from '../words';
import { WORDS } from '../words';
import { isCutShort, looksLikeJson } from './body';
import { isErrorBody, problemOf, tokenProblemOf } from './problem';
import { parseRetryAfter } from './retryAfter';

/*
 * The meaning of an answer. The service's own answers are JSON or empty. A web page or a text comes from between n8n
 * and the service: from a proxy, a gateway or a firewall. Such an answer says nothing about the client, its token or
 * its request.
 *
 * | Status                  | The service's own                     | A web page or a text                         |
 * | ----------------------- | ------------------------------------- | -------------------------------------------- |
 * | 2xx                     | the data; `foreign`: another shape    | `foreign`: the address, or a login page      |
 * | 2xx with `errors`       | `rejected`                            |                                              |
 * | 2xx, cut short          | `unavailable`                         |                                              |
 * | 3xx                     | `foreign`: another address            | `foreign`: another address, or a login page  |
 * | 401                     | `credential`: the token, or the pair  | `unavailable`                                |
 * | 403                     | `forbidden`; a token's: `credential`  | `unavailable`                                |
 * | 403 of a rate limit     | `busy`                                | `busy`                                       |
 * | 404, 405, 410           | `rejected`; a token's: `foreign`      | `foreign`: the address                       |
 * | 407, 511                | `foreign`: a proxy asks for a login   | the same                                     |
 * | 408, 421, 425, 499, 5xx | `unavailable`                         | the same                                     |
 * | 429                     | `busy`                                | the same                                     |
 * | all others, as 400, 451 | `rejected`; a token's: `credential`,  | `unavailable`                                |
 * |                         | or `unavailable` by its code          |                                              |
 *
 * `http/retry.ts` repeats a request after `busy` and `unavailable`. An order is sent again only if the service
 * certainly did not accept it, as after `busy`. A 401 or a 403 is final here: before that, `sendWithToken`
 * (`auth/n8nHooks.ts`) has sent the request with another token if `tokenRefusalIn` says that one may help. People read
 * the sentences of `words.ts`, and for 401 and 403 those of the API's `integration.ts`.
 */

/** An HTTP answer as n8n's helpers return it. A JSON body is already parsed. */
export interface HttpAnswer {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

/** True if a value is a complete HTTP answer, which the types of n8n's helpers do not guarantee. */
export function isHttpAnswer(value: unknown): value is HttpAnswer {
	return isObject(value) && typeof value.statusCode === 'number' && isObject(value.headers);
}

/** Returns the value of a header. n8n's helpers return the names of headers in lower case. */
export function header(answer: HttpAnswer, name: string): string {
	return textOf(answer.headers[name]);
}

/** Returns how long an answer asks the client to wait, in milliseconds; see `parseRetryAfter`. */
export function retryAfterOf(answer: HttpAnswer): number | undefined {
	return parseRetryAfter(header(answer, 'retry-after'), header(answer, 'date'));
}

/** What is needed, besides an HTTP answer, to turn this answer into an error. */
export interface Origin {
	requestKind: RequestKind;
	words: ApiWords;
	/** The known secrets and tokens. If the service's own text contains one of them, the text is not shown. */
	secrets: string[];
}

/**
 * Reads a 2xx answer, and throws an error for every other answer.
 *
 * @throws ServiceError
 */
export function readAnswer(origin: Origin, answer: HttpAnswer): IDataObject {
	const failure = failureIn(origin, answer);
	if (failure) throw failure;
	return objectOf(answer.body);
}

/**
 * Reads a 2xx answer whose body is a list, and throws an error for every other answer.
 *
 * @throws ServiceError
 */
export function readList(origin: Origin, answer: HttpAnswer): IDataObject[] {
	const failure = failureIn(origin, answer, isList);
	if (failure) throw failure;
	return isList(answer.body) ? answer.body : [];
}

/**
 * Returns the failure of an answer whose status is not 2xx, or whose body does not have the expected shape. By default,
 * the body has to be an object.
 */
export function failureIn(
	origin: Origin,
	answer: HttpAnswer,
	isShape: (body: unknown) => boolean = isObject,
): ServiceError | undefined {
	const { statusCode, body } = answer;
	if (statusCode < 200 || statusCode > 299 || isErrorBody(body)) return refusalIn(origin, answer);
	if (isShape(body)) return undefined;
	const { requestKind } = origin;
	const { messages, remedies } = WORDS.foreign;
	if (isWebPage(answer)) return new ServiceError('foreign', messages.webPage, { requestKind });
	if (typeof body !== 'string' || !looksLikeJson(body)) {
		return new ServiceError('foreign', messages.unknownShape, { requestKind });
	}
	if (isCutShort(body)) {
		const { cutShort } = WORDS.unavailable.messages;
		return new ServiceError('unavailable', cutShort, { requestKind, helpCode: 'noAnswer' });
	}
	const remedy = remedies.noJson;
	return new ServiceError('foreign', messages.noJson, {
		...{ requestKind, remedy, helpCode: 'unreadableAnswer' },
	});
}

/** Makes the error for an answer with a status other than 2xx, or with errors in its body. */
function refusalIn({ requestKind, words, secrets }: Origin, answer: HttpAnswer): ServiceError {
	const { statusCode: status } = answer;
	const retryAfterMs = retryAfterOf(answer);
	const readProblem = requestKind === 'token' ? tokenProblemOf : problemOf;
	const details: RefusalDetails = {
		requestKind,
		status,
		...readProblem(answer.body, secrets),
		...(retryAfterMs !== undefined && { retryAfterMs }),
	};
	const failed = (kind: FailureKind, message: string, more: FailureDetails = {}) =>
		new ServiceError(kind, message, { ...details, ...more });
	const { busy, unavailable, foreign } = WORDS;
	if (isBusy(answer)) return failed('busy', busy.messages[requestKind](status));
	if (LOGIN_STATUSES.includes(status)) {
		const remedy = foreign.remedies.login;
		const more = { remedy, helpCode: 'unreachable', isUnsent: true } as const;
		return failed('foreign', foreign.messages.login(status), more);
	}
	const isTokenPassing = requestKind === 'token' && PASSING_CODES.includes(details.code ?? '');
	if (isPassing(status) || isTokenPassing) {
		return failed('unavailable', unavailable.messages.cannotAnswer(status));
	}
	if (status >= 300 && status < 400) {
		return failed('foreign', foreign.messages.elsewhere(status));
	}
	if (isFromBetween(answer)) {
		const { nothingThere, noTokenService } = foreign.messages;
		const wrongAddress = requestKind === 'token' ? noTokenService : nothingThere;
		if (isOfAddress(status)) return failed('foreign', wrongAddress(status));
		const more = { remedy: unavailable.remedies.between, helpCode: 'noAnswer' } as const;
		return failed('unavailable', unavailable.messages.between(status), more);
	}
	if (requestKind === 'token') return tokenRefusal(words, details);
	return dataRefusal(words, { ...details, ...(isOwnNotFound(answer) && { isOwnNotFound: true }) });
}

type RefusalDetails = FailureDetails & { status: number };

/**
 * The codes with which a token endpoint reports a temporary failure, even with status 400 (RFC 6749 §4.1.2.1). They do
 * not mean that the client ID or secret is wrong.
 */
const PASSING_CODES = ['temporarily_unavailable', 'server_error'];

/**
 * True for the statuses of a server or gateway that cannot handle the request at the moment: 408 Request Timeout, 421
 * Misdirected Request, 425 Too Early, 499 (the gateway's client has closed the connection), and all of 5xx.
 */
function isPassing(status: number): boolean {
	return [408, 421, 425, 499].includes(status) || status >= 500;
}

/**
 * The statuses of a proxy that asks for a login: 407 Proxy Authentication Required and 511 Network Authentication
 * Required. The request did not reach the service.
 */
const LOGIN_STATUSES = [407, 511];

/** True for a status that means a wrong address: nothing is there, or nothing that accepts a request of this kind. */
function isOfAddress(status: number): boolean {
	return [404, 405, 410].includes(status);
}

/**
 * True if the service, or a gateway in front of it, asks for fewer requests: with status 429, or with status 403 and
 * either a Retry-After header or words about a rate limit.
 */
export function isBusy(answer: HttpAnswer): boolean {
	const { statusCode, body } = answer;
	if (statusCode !== 403) return statusCode === 429;
	return retryAfterOf(answer) !== undefined || RATE_LIMIT.test(JSON.stringify(body ?? ''));
}

const RATE_LIMIT = /rate.?limit|too many requests|throttl/i;

/** Returns the status of an answer that refuses the token, if the request may succeed with another token. */
export function tokenRefusalIn(answer: HttpAnswer): 401 | 403 | undefined {
	const { statusCode } = answer;
	// A gateway that checks tokens may answer with a web page of its own. So a 401 means that the token was refused,
	// whatever the body is.
	if (statusCode === 401) return 401;
	return statusCode === 403 && !isBusy(answer) && !isFromBetween(answer) ? 403 : undefined;
}

const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance'];

/**
 * True for a 404 in the service's own JSON format for errors (RFC 9457). Any other 404 may come from another API at
 * this address.
 */
export function isOwnNotFound({ statusCode, body }: HttpAnswer): boolean {
	return statusCode === 404 && isObject(body) && PROBLEM_FIELDS.some((field) => field in body);
}

const SCOPE_CODES = ['access_denied', 'invalid_target', 'invalid_scope', 'unauthorized_client'];

/**
 * The advice about a refused credential: `PAIR` if the client ID and secret are wrong or the service gives no known
 * reason, `TOKEN` if it refused the audience, the scope or an issued token.
 */
const PAIR = { helpCode: 'credentialRefused', remedy: WORDS.credential.remedies.pair } as const;
const TOKEN = { helpCode: 'tokenRefused' } as const;

/**
 * Makes the error for a refused token request. RFC 6749 §5.2 lists the codes. Status 401 means that the client ID and
 * secret are wrong, whatever the code is.
 */
function tokenRefusal({ scopeRefused }: ApiWords, details: RefusalDetails): ServiceError {
	const { status, code = '' } = details;
	const { pairRefused, noToken } = WORDS.credential.messages;
	if (code === 'invalid_client' || status === 401) {
		return new ServiceError('credential', pairRefused, { ...details, ...PAIR });
	}
	if (status === 403 || SCOPE_CODES.includes(code)) {
		return new ServiceError('credential', scopeRefused.message, { ...details, ...TOKEN });
	}
	if (isOfAddress(status)) {
		return new ServiceError('foreign', WORDS.foreign.messages.noTokenService(status), details);
	}
	return new ServiceError('credential', noToken(status), { ...details, ...PAIR });
}

function dataRefusal({ tokenRefused, forbidden }: ApiWords, details: RefusalDetails): ServiceError {
	const { status } = details;
	if (status === 401) {
		const message = WORDS.credential.messages.tokenRefused;
		return new ServiceError('credential', message, { ...details, ...tokenRefused, ...TOKEN });
	}
	if (status === 403) {
		const { message, remedy } = forbidden;
		return new ServiceError('forbidden', message, { ...details, remedy });
	}
	if (status === 404) {
		const message = WORDS.foreign.messages.nothingThere(status);
		return new ServiceError('rejected', message, { ...details, helpCode: 'wrongAddress' });
	}
	return new ServiceError('rejected', WORDS.rejected.messages.refused(status), details);
}

/**
 * True if an answer cannot come from the service itself, because it is a web page or a text. JSON in any shape, and an
 * empty body, may come from the service.
 */
function isFromBetween(answer: HttpAnswer): boolean {
	const { body } = answer;
	return isWebPage(answer) || (typeof body === 'string' && body.trim() !== '');
}

function isWebPage({ headers, body }: HttpAnswer): boolean {
	const isHtml = textOf(headers['content-type']).includes('text/html') && typeof body !== 'object';
	return isHtml || !isNoPage(body);
}

/** True if a body is not a web page, so that it may come from the service. The pages of proxies start with `<`. */
export function isNoPage(body: unknown): boolean {
	return typeof body !== 'string' || !/^\s*</.test(body);
}
