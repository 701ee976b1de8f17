import type { IDataObject } from 'n8n-workflow';

import type { Api, FailureDetails, NotFound, Step } from '../failure';
import { ServiceError } from '../failure';
import { isList, isObject } from '../basics/values';
import { LONGEST_TEXT, plainText } from './plainText';
import { parseRetryAfter } from './retry';

/** An HTTP answer as n8n's helpers hand it over: the body is parsed where it was JSON. */
export interface HttpAnswer {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

/** How many errors of one answer are told. */
const MOST_TOLD = 3;

/** What belongs to one thing that the service has made or found, be it that errors stand beside it. */
const MARKS_OF_A_RECORD = ['id', 'inventoryId', 'listingId', 'access_token'];

/** Deeper inside of an error nobody looks for what it says. */
const DEEPEST = 5;

/** Guards what n8n's helpers, which are not typed this far, return for a full response. */
export function isHttpAnswer(value: unknown): value is HttpAnswer {
	return isObject(value) && typeof value.statusCode === 'number' && isObject(value.headers);
}

/** A header's value, several of one name as a list; n8n hands header names over in lower case. */
export function header(answer: HttpAnswer, name: string): string | undefined {
	const value = answer.headers[name];
	const values: unknown[] = Array.isArray(value) ? value : [value];
	return values.filter((each) => typeof each === 'string').join(', ') || undefined;
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

/**
 * Errors in an answer mean that it failed, whatever the status says: beside an empty list the rows
 * are missing, and beside others some may be. Only what is there with an ID of its own is no failure.
 */
function isErrorBody(body: unknown): boolean {
	if (!isObject(body) || !saysSomething(body.errors)) return false;
	return !MARKS_OF_A_RECORD.some((name) => (body[name] ?? '') !== '');
}

/** Whether errors name anything: not null, blank text, a count, `[]`, `{}`, nor lists of these. */
function saysSomething(value: unknown, depth = 0): boolean {
	if (typeof value === 'string') return value.trim() !== '';
	if (typeof value === 'number') return depth > 0;
	if (typeof value !== 'object' || value === null) return false;
	return depth > DEEPEST || Object.values(value).some((each) => saysSomething(each, depth + 1));
}

/** The error for an answer outside 2xx. */
function failureOf({ api, step, secrets }: Origin, answer: HttpAnswer): ServiceError {
	const { statusCode: status } = answer;
	const retryAfterMs = parseRetryAfter(header(answer, 'retry-after') ?? '', header(answer, 'date'));
	const details: FailureDetails = {
		api,
		step,
		status,
		...problemOf(answer.body, secrets),
		...(retryAfterMs !== undefined && { retryAfterMs }),
		...(status === 404 && { notFound: notFoundOf(answer) }),
	};
	if (status === 429) {
		const message =
			step === 'token'
				? 'The service is too busy to hand out a token (429)'
				: 'The service is busy and asks to wait (429)';
		return new ServiceError('busy', message, details);
	}
	if (status >= 500) return unavailable(details);
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

function unavailable(details: FailureDetails): ServiceError {
	const message = `The service cannot answer just now (${details.status})`;
	return new ServiceError('unavailable', message, details);
}

/** With 400 too they say nothing of the pair (RFC 6749 §4.1.2.1, RFC 8628 §3.5). */
const PASSING_CODES = ['temporarily_unavailable', 'server_error', 'slow_down'];

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
	if (code !== undefined && PASSING_CODES.includes(code)) return unavailable(details);
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
 * The service's words and code in any of its error shapes: `errors` as a list with `message` or
 * `reason`, or by field; `title`/`detail` (RFC 9457); `error`/`error_description` (RFC 6749 §5.2).
 * Of several errors the first one has the code. Pages have neither.
 */
export function problemOf(
	body: unknown,
	secrets: string[],
): Pick<FailureDetails, 'reason' | 'code'> {
	if (!isObject(body)) return {};
	const entries = entriesIn(body.errors);
	const whole: Entry = {
		words: textIn(body.error_description, body.detail, body.title, body.message),
		code: textIn(body.error, body.code),
	};
	// “One or more fields are wrong” says less than the fields do; a detail may say more.
	const isByField = entries.some(({ isOfField }) => isOfField);
	const detail: Entry[] = isByField && textIn(body.detail) ? [{ words: textIn(body.detail) }] : [];
	const told = entries.length > 0 ? [...detail, ...entries] : [whole];
	const { code } = entries.length > 0 && !isByField ? (entries[0] ?? whole) : whole;
	return { reason: tellingOf(told, secrets), code: plainText(code, secrets) };
}

/** One error of an answer; what it has is text, however long, and not yet fit to be shown. */
interface Entry {
	words?: string;
	code?: string;
	isOfField?: boolean;
}

function tellingOf(entries: Entry[], secrets: string[]): string | undefined {
	const words = [...new Set(entries.flatMap((entry) => entry.words ?? []))];
	const told = words.slice(0, MOST_TOLD);
	const longest = Math.floor(LONGEST_TEXT / told.length);
	const texts = told.flatMap((text) => plainText(text, secrets, longest) ?? []);
	const more = words.length - told.length;
	return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') || undefined;
}

/** The errors of a list, an object with such a list, one error alone, or messages by field. */
function entriesIn(errors: unknown): Entry[] {
	if (Array.isArray(errors)) return errors.flat(DEEPEST).flatMap((each) => entryOf(each) ?? []);
	const alone = typeof errors === 'number' ? undefined : entryOf(errors);
	if (alone) return [alone];
	if (!isObject(errors)) return [];
	if (Array.isArray(errors.errors)) return entriesIn(errors.errors);
	return Object.entries(errors).flatMap(([field, messages]) => {
		const words = entriesIn([messages]).flatMap((entry) => entry.words ?? []);
		return words.length > 0 ? [{ words: `${field}: ${words.join(' ')}`, isOfField: true }] : [];
	});
}

function entryOf(error: unknown): Entry | undefined {
	const { message, reason, detail, title, code }: IDataObject = isObject(error)
		? error
		: { message: textIn(error) };
	const entry = { words: textIn(message, reason, detail, title), code: textIn(code) };
	return entry.words === undefined && entry.code === undefined ? undefined : entry;
}

/** The first value that is text. */
function textIn(...values: unknown[]): string | undefined {
	return values
		.map((value) => (typeof value === 'number' ? String(value) : value))
		.filter((value) => typeof value === 'string')
		.find((text) => text.trim() !== '');
}

function isWebPage(answer: HttpAnswer): boolean {
	return (header(answer, 'content-type') ?? '').includes('text/html') || !isNoPage(answer.body);
}

/** Whether a body may be the service's own, in whatever shape: what a proxy says is a page. */
export function isNoPage(body: unknown): boolean {
	return typeof body !== 'string' || !/^\s*</.test(body);
}
