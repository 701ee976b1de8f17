import compact from 'lodash/compact';
import isEmpty from 'lodash/isEmpty';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { isObject, objectOf, objectsIn, textOf } from '../basics/values';
import type { FailureDetails } from '../failure';
import { shownText } from './shown';

/** How many errors of one answer a message shows. */
const MOST_SHOWN = 3;

/**
 * True if a body contains errors. The request has then failed, even with a 2xx status, because the answer may lack
 * rows.
 */
export function isErrorBody(body: unknown): boolean {
	return isObject(body) && !isEmpty(body.errors);
}

type Problem = Pick<FailureDetails, 'reason' | 'code'>;

/**
 * Reads the service's text and code from all forms in which it reports errors: a list `errors` with `message` or
 * `reason`, or an object `errors` with texts by field; `title` and `detail` (RFC 9457). Gateways use `message`. If
 * there are several errors, the code is that of the first one.
 */
export function problemOf(body: unknown, secrets: string[]): Problem {
	if (!isObject(body)) return {};
	const errors = entriesIn(body.errors);
	const entryWords = errors.map(({ message, reason }) => textOf(message) || textOf(reason));
	const words = compact(uniq([textOf(body.detail), ...entryWords]));
	const instead = textOf(body.title) || textOf(body.message);
	return {
		reason: shownText(words.slice(0, MOST_SHOWN).join('; ') || instead, secrets),
		code: shownText(errors[0]?.code, secrets),
	};
}

/**
 * Reads the error code of a token endpoint, in the form of RFC 6749 §5.2. The text of the error is not shown, because
 * the endpoint has received the secret and might repeat it there.
 */
export function tokenProblemOf(body: unknown, secrets: string[]): Problem {
	const code = textOf(objectOf(body).error);
	return /^[a-z]+(_[a-z]+)+$/.test(code) ? { code: shownText(code, secrets) } : {};
}

/** Returns the entries of a list of errors, or of an object with texts by field. */
function entriesIn(errors: unknown): IDataObject[] {
	return isObject(errors) ? Object.entries(errors).map(entryOnField) : objectsIn(errors);
}

function entryOnField([field, messages]: [string, unknown]): IDataObject {
	const words = [messages].flat().map(textOf).join(' ');
	return { message: `${field}: ${words}` };
}
