import compact from 'lodash/compact';
import isEmpty from 'lodash/isEmpty';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { isObject, textOf } from '../basics/values';
import type { FailureDetails } from '../failure';
import { shownText } from './shown';

/** How many errors of one answer a person reads. */
const MOST_SHOWN = 3;

/** Errors in an answer mean that the request failed, whatever its status is: rows may be missing. */
export function isErrorBody(body: unknown): boolean {
	return isObject(body) && !isEmpty(body.errors);
}

type Problem = Pick<FailureDetails, 'reason' | 'code'>;

/**
 * The service's words and code in any of its error shapes: `errors` as a list with `message` or
 * `reason`, or by field; `title` and `detail` (RFC 9457); `error` and `error_description` (RFC 6750).
 * Of several errors the first one has the code.
 */
export function problemOf(body: unknown, secrets: string[]): Problem {
	if (!isObject(body)) return {};
	const errors = entriesIn(body.errors);
	const [{ code: firstCode } = body] = errors;
	const words = compact(uniq([firstText(body.detail), ...errors.map(entryWords)]));
	const instead = firstText(body.error_description, body.title, body.message);
	return {
		reason: shownText(words.slice(0, MOST_SHOWN).join('; ') || instead, secrets),
		code: shownText(firstText(firstCode, body.error, body.code), secrets),
	};
}

/**
 * A token endpoint was sent the secret, and might repeat it in its words: only its code is shown, in the form of those of
 * RFC 6749 (§5.2).
 */
export function tokenProblemOf(body: unknown, secrets: string[]): Problem {
	const code = isObject(body) ? textOf(body.error) : '';
	return /^[a-z]+(_[a-z]+)+$/.test(code) ? { code: shownText(code, secrets) } : {};
}

/** The errors of a list, or of an object with the messages on each field, that say anything. */
function entriesIn(errors: unknown): IDataObject[] {
	if (isObject(errors)) return Object.entries(errors).flatMap(entriesOnField);
	const entries: unknown[] = Array.isArray(errors) ? errors : [errors];
	return entries
		.map((error) => (isObject(error) ? error : { message: textOf(error) }))
		.filter((error) => firstText(entryWords(error), error.code) !== '');
}

function entriesOnField([field, messages]: [string, unknown]): IDataObject[] {
	const words = compact([messages].flat().map(textOf)).join(' ');
	return words === '' ? [] : [{ message: `${field}: ${words}` }];
}

function entryWords({ message, reason, detail, title }: IDataObject): string {
	return firstText(message, reason, detail, title);
}

function firstText(...values: unknown[]): string {
	return values.map(textOf).find((text) => text.trim() !== '') ?? '';
}
