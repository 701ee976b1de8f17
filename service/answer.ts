import type { IDataObject } from 'n8n-workflow';

import type { Api, FailureDetails, NotFound, Step } from './errors';
import { ServiceError } from './errors';
import { parseRetryAfter } from './retry';

/** An HTTP answer as n8n's helpers hand it over: the body is parsed where it was JSON. */
export interface HttpAnswer {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

const LONGEST_REASON = 300;

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is IDataObject[] {
	return Array.isArray(value) && value.every(isObject);
}

/** Guards what n8n's helpers, which are not typed this far, return for a full response. */
export function isHttpAnswer(value: unknown): value is HttpAnswer {
	return isObject(value) && typeof value.statusCode === 'number' && isObject(value.headers);
}

/** A header's value; n8n hands header names over in lower case. */
export function header(answer: HttpAnswer, name: string): string | undefined {
	const value = answer.headers[name];
	return typeof value === 'string' ? value : undefined;
}

/** Where an answer comes from. */
export interface Origin {
	api: Api;
	step: Step;
	/** Values that are cut out of the service's words. */
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

/** What is wrong with an answer that is not of the shape, an object where none is named, in 2xx. */
export function failureIn(
	origin: Origin,
	answer: HttpAnswer,
	isShape: (body: unknown) => boolean = isObject,
): ServiceError | undefined {
	const { statusCode, body } = answer;
	const { step } = origin;
	if (statusCode < 200 || statusCode > 299 || isErrorBody(body)) return failureOf(origin, answer);
	if (isShape(body)) return undefined;
	if (isWebPage(answer)) {
		return new ServiceError('foreign', 'The service answered with a web page instead of data', {
			step,
		});
	}
	if (typeof body === 'string' && /^\s*[[{]/.test(body)) {
		return new ServiceError('unavailable', 'The service’s answer was cut short', { step });
	}
	return new ServiceError('foreign', 'The service’s answer has an unknown shape', { step });
}

/** A body of errors and nothing else is one, whatever the status says. */
function isErrorBody(body: unknown): boolean {
	return isObject(body) && Array.isArray(body.errors) && Object.keys(body).length === 1;
}

/** The error for an answer outside 2xx. */
function failureOf({ api, step, secrets }: Origin, answer: HttpAnswer): ServiceError {
	const { statusCode: status } = answer;
	const retryAfter = header(answer, 'retry-after');
	const details: FailureDetails = {
		api,
		step,
		status,
		...problemOf(answer.body, secrets),
		...(status === 404 && { notFound: notFoundOf(answer) }),
		...(retryAfter !== undefined && {
			retryAfter,
			retryAfterMs: parseRetryAfter(retryAfter, header(answer, 'date')),
		}),
	};
	if (status === 429) {
		const message =
			step === 'token'
				? 'The service is too busy to hand out a token (429)'
				: 'The service is busy and asks to wait (429)';
		return new ServiceError('busy', message, details);
	}
	if (status >= 500) {
		return new ServiceError(
			'unavailable',
			`The service cannot answer just now (${status})`,
			details,
		);
	}
	if (status >= 300 && status < 400) {
		return new ServiceError('foreign', `The service redirects elsewhere (${status})`, details);
	}
	return step === 'token' ? tokenRefusal(details) : dataRefusal(details);
}

const PROBLEM_FIELDS = ['type', 'title', 'status', 'detail', 'instance'];

/** Who says 404: the service, in its own form (RFC 9457), or whatever else is at this address. */
export function notFoundOf(answer: HttpAnswer): NotFound {
	const { body } = answer;
	if (isWebPage(answer)) return 'page';
	if (isEmptyBody(body)) return 'bare';
	const fields = isObject(body) ? Object.keys(body) : [];
	return fields.some((field) => PROBLEM_FIELDS.includes(field)) ? 'problem' : 'other';
}

function isEmptyBody(body: unknown): boolean {
	if (typeof body === 'string') return body.trim() === '';
	return body === undefined || body === null || (isObject(body) && Object.keys(body).length === 0);
}

const SCOPE_REFUSED: Record<Api, string> = {
	leads: 'The service refused the audience (the Leads URL, where Audience is empty)',
	inventory: 'The service refused this client at this address',
	products: 'The service refused the scope, or this client at this address',
};

const FORBIDDEN: Record<Api, string> = {
	leads: 'The service refused access (403)',
	inventory: 'The service refused the AgencyRef, or this client may not read properties (403)',
	products: 'The service refused access to the listing or the product (403)',
};

/** RFC 6749 §5.2 names the reasons; 401 is the pair, whatever the body says. */
function tokenRefusal(details: FailureDetails): ServiceError {
	const { status, code } = details;
	if (code === 'invalid_client' || status === 401) {
		return new ServiceError(
			'credential',
			'The service refused the client ID and client secret',
			details,
		);
	}
	const aboutAudience = ['access_denied', 'invalid_target', 'invalid_scope', 'unauthorized_client'];
	if (status === 403 || (code && aboutAudience.includes(code))) {
		return new ServiceError('credential', SCOPE_REFUSED[details.api ?? 'leads'], details);
	}
	if (status === 404 || status === 405) {
		return new ServiceError(
			'foreign',
			`There is no token service at this address (${status})`,
			details,
		);
	}
	return new ServiceError(
		'credential',
		`The service refused to hand out a token (${status})`,
		details,
	);
}

function dataRefusal(details: FailureDetails): ServiceError {
	const { status = 0 } = details;
	switch (status) {
		case 401:
			return new ServiceError(
				'credential',
				'The service refused the token, a new one too (401)',
				details,
			);
		case 403:
			return new ServiceError('forbidden', FORBIDDEN[details.api ?? 'leads'], details);
		case 404:
			return new ServiceError(
				'rejected',
				'The service found nothing at this address (404)',
				details,
			);
		default:
			return new ServiceError('rejected', `The service refused the request (${status})`, details);
	}
}

/**
 * The service's words and code in any of its error shapes: `errors[].message`, `errors[].reason`,
 * `title`/`detail` (RFC 9457), `error`/`error_description` (RFC 6749 §5.2). Pages have neither.
 */
export function problemOf(
	body: unknown,
	secrets: string[],
): Pick<FailureDetails, 'reason' | 'code'> {
	if (!isObject(body)) return {};
	const first: unknown = Array.isArray(body.errors) ? body.errors[0] : undefined;
	const problem: IDataObject = isObject(first)
		? { reason: first.message ?? first.reason, code: first.code }
		: {
				reason: body.error_description ?? body.detail ?? body.title ?? body.message,
				code: body.error ?? body.code,
			};
	return {
		reason: plainText(problem.reason, secrets),
		code: plainText(problem.code, secrets),
	};
}

/** One line of text without markup and secrets, short enough to read in an error. */
function plainText(value: unknown, secrets: string[]): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const line = withoutSecrets(String(value), secrets)
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	return line.slice(0, LONGEST_REASON) || undefined;
}

function withoutSecrets(text: string, secrets: string[]): string {
	return secrets
		.filter((secret) => secret !== '')
		.flatMap((secret) => [secret, encodeURIComponent(secret), formEncoded(secret)])
		.reduce((cleaned, secret) => cleaned.split(secret).join('…'), text);
}

function formEncoded(text: string): string {
	return new URLSearchParams([['', text]]).toString().slice(1);
}

function isWebPage(answer: HttpAnswer): boolean {
	const { body } = answer;
	return (
		(header(answer, 'content-type') ?? '').includes('text/html') ||
		(typeof body === 'string' && /^\s*</.test(body))
	);
}
