import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../basics/values';
import type { FailureDetails } from '../failure';
import { LONGEST_TEXT, plainText } from './plainText';

/** How many errors of one answer are told. */
const MOST_TOLD = 3;

/** Nobody looks deeper inside of an error for what it says. */
const DEEPEST = 5;

/** A body with one of these is a thing that the service has made or found, even if errors stand beside it. */
const MARKS_OF_A_RECORD = ['id', 'inventoryId', 'listingId', 'access_token'];

/**
 * Errors in an answer mean that it failed, whatever the status says: beside an empty list the rows
 * are missing, and beside others some may be. Only what is there with an ID of its own is no failure.
 */
export function isErrorBody(body: unknown): boolean {
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
