import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import type { FailureDetails, FailureKind, RequestKind } from '../failure';
import { ServiceError } from '../failure';
import type { ApiWords } from '../words';
import { WORDS } from '../words';
import { looksLikeJson } from './body';
import { isErrorBody, problemOf, tokenProblemOf } from './problem';
import { parseRetryAfter } from './retryAfter';

/*
 * What an answer means. The service's own answers are JSON or empty. A web page or a text comes from between n8n and the
 * service: from a proxy, a gateway or a firewall. Such an answer says nothing about the client, its token or its request.
 *
 * | Status                  | The service's own                     | A web page or a text                         |
 * | ----------------------- | ------------------------------------- | -------------------------------------------- |
 * | 2xx                     | the data; `foreign`: another shape    | `foreign`: the address, or a login page      |
 * | 3xx                     | `foreign`: another address            | `foreign`: another address, or a login page  |
 * | 401                     | `credential`: the token, or the pair  | `unavailable`                                |
 * | 403                     | `forbidden`; a token's: `credential`  | `unavailable`                                |
 * | 404, 405, 410           | `rejected`; a token's: `foreign`      | `foreign`: the address                       |
 * | 408, 421, 425, 499, 5xx | `unavailable`                         | the same                                     |
 * | 429                     | `busy`                                | the same                                     |
 * | all others, as 400, 451 | `rejected`; a token's: `credential`   | `unavailable`                                |
 *
 * `busy` and `unavailable` are repeated (`http/retry.ts`). An order is repeated only after `busy`. A 401 or a 403 is
 * final here: before that, `sendWithToken` (`auth/n8nHooks.ts`) has sent the request with another token where one may
 * help, which `tokenRefusalIn` says. People read the words of `words.ts`, and for 401 and 403 those of the API's
 * `integration.ts`.
 */

/** An HTTP answer as n8n's helpers hand it over: the body is parsed if it was JSON. */
export interface HttpAnswer {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

/** Guards what n8n's helpers, which are not typed this far, return for a full response. */
export function isHttpAnswer(value: unknown): value is HttpAnswer {
	return isObject(value) && typeof value.statusCode === 'number' && isObject(value.headers);
}

/** A header's value; n8n hands over names in lower case. */
export function header(answer: HttpAnswer, name: string): string | undefined {
	return textOf(answer.headers[name]) || undefined;
}

/** The wait that the service asks for, in milliseconds; see `parseRetryAfter`. */
export function retryAfterOf(answer: HttpAnswer): number | undefined {
	return parseRetryAfter(header(answer, 'retry-after'), header(answer, 'date'));
}

/** Where an answer comes from: what it takes to tell of a failure. */
export interface Origin {
	requestKind: RequestKind;
	words: ApiWords;
	/** If one of these is in the service's own text, nothing of that text is shown. */
	secrets: string[];
}

/**
 * Reads a 2xx answer, and turns every other one into an error.
 *
 * @throws ServiceError
 */
export function readAnswer(origin: Origin, answer: HttpAnswer): IDataObject {
	const failure = failureIn(origin, answer);
	if (failure) throw failure;
	return isObject(answer.body) ? answer.body : {};
}

/**
 * The same for an answer that is a bare list.
 *
 * @throws ServiceError
 */
export function readList(origin: Origin, answer: HttpAnswer): IDataObject[] {
	const failure = failureIn(origin, answer, isList);
	if (failure) throw failure;
	return isList(answer.body) ? answer.body : [];
}

/** What is wrong with an answer that is not of the shape, in 2xx; without a shape it must be an object. */
export function failureIn(
	origin: Origin,
	answer: HttpAnswer,
	isShape: (body: unknown) => boolean = isObject,
): ServiceError | undefined {
	const { statusCode, body } = answer;
	if (statusCode < 200 || statusCode > 299 || isErrorBody(body)) return refusalIn(origin, answer);
	if (isShape(body)) return undefined;
	const { requestKind } = origin;
	const { webPage, unknownShape } = WORDS.foreign.messages;
	if (isWebPage(answer)) return new ServiceError('foreign', webPage, { requestKind });
	if (typeof body !== 'string' || !looksLikeJson(body)) {
		return new ServiceError('foreign', unknownShape, { requestKind });
	}
	const { cutShort } = WORDS.unavailable.messages;
	return new ServiceError('unavailable', cutShort, { requestKind, helpCode: 'noAnswer' });
}

/** The failure that an answer outside 2xx, or with errors in it, tells of. */
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
	if (isPassing(status)) {
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
 * Statuses of a server or gateway that cannot deal with the request at this moment: 408 Request Timeout, 421 Misdirected
 * Request, 425 Too Early, 499 (the gateway's own client was gone), and all of 5xx.
 */
function isPassing(status: number): boolean {
	return [408, 421, 425, 499].includes(status) || status >= 500;
}

/** Whether there is nothing at the address, or nothing that takes such a request. */
function isOfAddress(status: number): boolean {
	return [404, 405, 410].includes(status);
}

/** Whether the service, or a gateway before it, asks for fewer requests. */
export function isBusy({ statusCode }: HttpAnswer): boolean {
	return statusCode === 429;
}

/** The status by which an answer refuses the token of its request, if another token may help. */
export function tokenRefusalIn(answer: HttpAnswer): 401 | 403 | undefined {
	const { statusCode } = answer;
	// A gateway that checks tokens may refuse one with a page of its own.
	if (statusCode === 401) return 401;
	return statusCode === 403 && !isFromBetween(answer) ? 403 : undefined;
}

const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance'];

/** Whether it is the service that says 404, in its own form (RFC 9457): another API may be at the address. */
export function isOwnNotFound({ statusCode, body }: HttpAnswer): boolean {
	return statusCode === 404 && isObject(body) && PROBLEM_FIELDS.some((field) => field in body);
}

const SCOPE_CODES = ['access_denied', 'invalid_target', 'invalid_scope', 'unauthorized_client'];

/** What a person has to look at: the pair, or what its token is for. */
const PAIR = { helpCode: 'credentialRefused', remedy: WORDS.credential.remedies.pair } as const;
const TOKEN = { helpCode: 'tokenRefused' } as const;

/** RFC 6749 §5.2 names the reasons; 401 is the pair, whatever the body says. */
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

/** Whether an answer is none of the service's: JSON in any shape, and nothing at all, may be its own. Only proxies say 407. */
function isFromBetween(answer: HttpAnswer): boolean {
	const { statusCode, body } = answer;
	return (
		statusCode === 407 || isWebPage(answer) || (typeof body === 'string' && body.trim() !== '')
	);
}

function isWebPage({ headers, body }: HttpAnswer): boolean {
	const isHtml = textOf(headers['content-type']).includes('text/html') && typeof body !== 'object';
	return isHtml || !isNoPage(body);
}

/** Whether a body may be the service's own, in whatever shape: what a proxy says is a page. */
export function isNoPage(body: unknown): boolean {
	return typeof body !== 'string' || !/^\s*</.test(body);
}
