import isEmpty from 'lodash/isEmpty';
import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import type { FailureDetails, NotFound, RequestKind } from '../failure';
import { ServiceError } from '../failure';
import type { ApiWords } from '../words';
import { WORDS } from '../words';
import { isErrorBody, problemOf, tokenProblemOf } from './problem';
import { parseRetryAfter } from './retryAfter';

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

/** The codes of a token endpoint that say nothing of the pair, even with a 400 (RFC 6749 §4.1.2.1). */
const PASSING_CODES = ['temporarily_unavailable', 'server_error'];

/**
 * Whether the same request may succeed a little later, whatever the answer says: 408 Request Timeout, 425 Too Early, and
 * all that servers and gateways say of themselves. A 429 is one of its own, `busy`.
 */
function isPassing(status: number): boolean {
	return status === 408 || status === 425 || status >= 500;
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
	if (typeof body === 'string' && /^\s*[[{]/.test(body)) {
		const { cutShort } = WORDS.unavailable.messages;
		return new ServiceError('unavailable', cutShort, { requestKind, helpCode: 'noAnswer' });
	}
	return new ServiceError('foreign', unknownShape, { requestKind });
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
		// A 404 of the token endpoint says nothing of the data.
		...(status === 404 && requestKind === 'data' && { notFound: notFoundOf(answer) }),
	};
	if (status === 429) return new ServiceError('busy', WORDS.busy.messages[requestKind], details);
	const isTokenPassing = requestKind === 'token' && PASSING_CODES.includes(details.code ?? '');
	if (isPassing(status) || isTokenPassing) {
		return new ServiceError(
			'unavailable',
			WORDS.unavailable.messages.cannotAnswer(status),
			details,
		);
	}
	if (status >= 300 && status < 400) {
		return new ServiceError('foreign', WORDS.foreign.messages.elsewhere(status), details);
	}
	return requestKind === 'token' ? tokenRefusal(words, details) : dataRefusal(words, details);
}

type RefusalDetails = FailureDetails & { status: number };

const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance'];

/** Who says 404: the service, in its own form (RFC 9457), or whatever else is at this address. */
export function notFoundOf(answer: HttpAnswer): NotFound {
	const { body } = answer;
	if (isWebPage(answer)) return 'page';
	if (isEmpty(typeof body === 'string' ? body.trim() : body)) return 'bare';
	const fields = isObject(body) ? Object.keys(body) : [];
	return fields.some((field) => PROBLEM_FIELDS.includes(field)) ? 'problem' : 'other';
}

const SCOPE_CODES = ['access_denied', 'invalid_target', 'invalid_scope', 'unauthorized_client'];

/** What a person has to look at: the pair, or what its token is for. */
const PAIR = { helpCode: 'credentialRefused' } as const;
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
	if (status === 404 || status === 405) {
		return new ServiceError('foreign', WORDS.foreign.messages.noTokenService(status), details);
	}
	return new ServiceError('credential', noToken(status), { ...details, ...PAIR });
}

/** A 401 or 403 is final here: the session has tried a new token if one may help. */
function dataRefusal({ tokenRefused, forbidden }: ApiWords, details: RefusalDetails): ServiceError {
	const { status } = details;
	const { nothingThere, refused } = WORDS.rejected.messages;
	if (status === 401) {
		const message = WORDS.credential.messages.tokenRefused;
		return new ServiceError('credential', message, { ...details, ...tokenRefused, ...TOKEN });
	}
	if (status === 403) {
		return new ServiceError('forbidden', forbidden.message, {
			...details,
			remedy: forbidden.remedy,
		});
	}
	if (status === 404) {
		return new ServiceError('rejected', nothingThere, { ...details, helpCode: 'wrongAddress' });
	}
	return new ServiceError('rejected', refused(status), details);
}

function isWebPage(answer: HttpAnswer): boolean {
	return (header(answer, 'content-type') ?? '').includes('text/html') || !isNoPage(answer.body);
}

/** Whether a body may be the service's own, in whatever shape: what a proxy says is a page. */
export function isNoPage(body: unknown): boolean {
	return typeof body !== 'string' || !/^\s*</.test(body);
}
