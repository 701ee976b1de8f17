import difference from 'lodash/difference';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { hiddenIn, plainCharacters, withoutBlankEnds } from '../../service/basics/tidy';
import { SECOND_MS } from '../../service/basics/times';
import { isObject, textOf } from '../../service/basics/values';
import { OPTION_LABELS } from '../../service/labels';
import type { RetryLimits } from '../../service/http/retry';
import { DEFAULT_LIMITS } from '../../service/http/retry';
import { FieldError, shown } from './fieldError';
import type { FieldLabel } from './labels';
import { limitField } from './fields/list';

/**
 * Reads a whole number between two bounds.
 *
 * @throws FieldError
 */
export function wholeNumber(
	field: FieldLabel,
	value: unknown,
	atLeast: number,
	atMost = Infinity,
): number {
	const number = numberOf(value);
	if (Number.isInteger(number) && number >= atLeast && number <= atMost) return number;
	const bound = atMost < Infinity ? ` and at most ${atMost}` : '';
	throw wrong(field, `must be a whole number of at least ${atLeast}${bound}`, value);
}

/**
 * Makes the error for a field with a wrong value. The advice mentions an expression, because a wrong value usually
 * comes from one.
 */
function wrong(field: FieldLabel, problem: string, value: unknown): FieldError {
	const advice = `It is ${shown(value)}. Change it, or the expression that it comes from.`;
	return new FieldError(field, problem, advice);
}

/**
 * Reads one ID, or several that are separated by commas or in a list. An ID that occurs twice is returned once.
 *
 * @throws FieldError for an empty list, for an empty ID (such as one left by a stray comma), and for an ID with a
 * character that no ID contains
 */
export function readIds(field: FieldLabel, value: unknown): string[] {
	const ids = listOf(value);
	const problem = ids.length === 0 ? problemOfId('') : ids.map(problemOfId).find(Boolean);
	if (problem === undefined) return uniq(ids);
	throw new FieldError(
		field,
		problem,
		`It is ${shown(value)}. Enter one ID, or several with single commas between them.`,
	);
}

function problemOfId(id: string): string | undefined {
	if (id === '') return 'contains an empty ID';
	// No ID contains a comma, a semicolon, a bracket or a quotation mark. A person may have separated two IDs with one
	// of these characters, or have pasted a list from code.
	const [sign] = /[,;\u3001[\]{}"]/.exec(id) ?? [];
	const hidden = hiddenIn(id);
	return sign ? `has “${sign}” in the ID “${id}”` : hidden && `has ${hidden}`;
}

/**
 * Reads one choice, or several that are separated by commas or in a list.
 *
 * @param known all valid choices; if it is missing, any word is valid
 * @throws FieldError if nothing is chosen, or if a choice is empty or unknown
 */
export function readChoices(
	field: FieldLabel,
	value: unknown,
	known?: readonly string[],
): string[] {
	const advice = known ? chooseFrom(known) : 'Choose from its list, or remove the field.';
	const choices = listOf(value);
	if (choices.length === 0 || choices.includes('')) {
		throw new FieldError(field, 'has nothing chosen', `It is ${shown(value)}. ${advice}`);
	}
	const unknown = difference(choices, known ?? choices)
		.map(shown)
		.join(', ');
	if (unknown === '') return choices;
	throw new FieldError(field, 'has an unknown value', `It is ${unknown}. ${advice}`);
}

/**
 * Reads a choice, and returns the value that belongs to it.
 *
 * @throws FieldError
 */
export function readChoice<T>(field: FieldLabel, value: unknown, choices: Record<string, T>): T {
	const choice = Object.hasOwn(choices, String(value)) ? choices[String(value)] : undefined;
	if (choice !== undefined) return choice;
	const advice = chooseFrom(Object.keys(choices));
	throw new FieldError(field, 'is unknown', `It is ${shown(value)}. ${advice}`);
}

function chooseFrom(known: readonly string[]): string {
	return `Choose from its list. In an expression, use ${known.join(', ')}.`;
}

/**
 * Reads how many results to return, from “Return All” and “Limit”.
 *
 * @throws FieldError
 */
export function readResultLimit(context: IExecuteFunctions, itemIndex: number): number {
	const returnAll: unknown = context.getNodeParameter('returnAll', itemIndex, false);
	if (!isEmpty(returnAll) && readFlag('Return All', returnAll)) return Infinity;
	return wholeNumber('Limit', context.getNodeParameter('limit', itemIndex, limitField.default), 1);
}

/**
 * Reads the limits for retries from “Max Tries”, “Max Wait” and “Requests at Once”.
 *
 * @throws FieldError
 */
export function readRetryLimits({
	maxTries = DEFAULT_LIMITS.maxTries,
	maxWait = DEFAULT_LIMITS.maxWaitMs / SECOND_MS,
	requestsAtOnce = DEFAULT_LIMITS.requestsAtOnce,
}: Record<string, unknown>): RetryLimits {
	const { requestsAtOnce: most } = DEFAULT_LIMITS;
	const seconds = numberOf(maxWait);
	if (!(seconds >= 0)) {
		throw wrong(OPTION_LABELS.maxWait, 'must be a number of seconds, 0 or more', maxWait);
	}
	return {
		maxTries: wholeNumber(OPTION_LABELS.maxTries, maxTries, 1),
		maxWaitMs: seconds * SECOND_MS,
		requestsAtOnce: wholeNumber(OPTION_LABELS.requestsAtOnce, requestsAtOnce, 1, most),
	};
}

/**
 * Reads a time from n8n's date-time field, from an expression or from a model: ISO 8601 or SQL text, a date object, or
 * epoch milliseconds. Text without an offset is read in the workflow's time zone. In autumn, when clocks are set back,
 * one hour occurs twice: `side` chooses its earlier or later occurrence, so that a period includes both.
 *
 * @param zone the IANA name of the workflow's time zone
 * @returns epoch milliseconds, rounded down to a whole second
 * @throws FieldError
 */
export function readTime(
	field: FieldLabel,
	value: unknown,
	zone: string,
	side: 'earliest' | 'latest',
): number {
	const time = parseTime(value, zone);
	// A number is read as milliseconds. A number of microseconds would give a year after 9999, and a number of seconds
	// a year before 1974, so both are refused. Typing errors in a year often lie outside these bounds too.
	if (!time?.isValid || time.year < 1974 || time.year > 9_999) {
		throw new FieldError(
			field,
			'is not a date and time',
			`It is ${shown(value)}. Use the date picker, a text such as 2026-07-01T09:00, or an expression that gives a date, such as {{ $now.minus({ days: 2 }) }}.`,
		);
	}
	// When clocks are set back, a time without an offset may stand for two moments. A time with an offset stands for
	// only one.
	const meant = typeof value === 'string' ? time.getPossibleOffsets() : [time];
	const times = meant.map((possible) => possible.startOf('second').toMillis());
	return side === 'earliest' ? Math.min(...times) : Math.max(...times);
}

/**
 * Reads a true-or-false field. Expressions often return its value as text.
 *
 * @throws FieldError
 */
export function readFlag(field: FieldLabel, value: unknown): boolean {
	const text = plainCharacters(String(value)).toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw new FieldError(field, 'is neither true nor false', `It is ${shown(value)}.`);
}

/**
 * Reads a text and removes blanks at both ends, or reads a number as text. The result is empty if the field was left
 * empty.
 *
 * @throws FieldError
 */
export function readText(field: FieldLabel, value: unknown): string {
	const text = withoutBlankEnds(textOf(value));
	if (text !== '' || isBlank(value)) return text;
	throw wrong(field, 'is not text', value);
}

/**
 * Reads a text that a person typed to search for something.
 *
 * @throws FieldError if the field is empty, or contains an invisible character with which the service would find
 * nothing
 */
export function readSearched(field: FieldLabel, value: unknown, advice: string): string {
	const text = readText(field, value).normalize('NFC');
	const hidden = hiddenIn(text, true);
	if (text !== '' && !hidden) return text;
	throw new FieldError(field, hidden ? `has ${hidden}` : 'is empty', advice);
}

/**
 * Reads a collection of fields, such as the options.
 *
 * @throws FieldError
 */
export function readCollection(field: FieldLabel, value: unknown): IDataObject {
	if (isEmpty(value)) return {};
	if (isObject(value)) return value;
	const advice = 'Set its fields one by one instead of all with one expression.';
	throw new FieldError(field, 'is not a collection of fields', `It is ${shown(value)}. ${advice}`);
}

/**
 * Reads the filters that a person has added, by name. An empty filter is refused: without the filter, the node would
 * return more than the person asked for, and the person might not notice.
 *
 * @param fields the definitions of all possible filters
 * @throws FieldError
 */
export function readSetFilters(value: unknown, fields: INodeProperties[]): IDataObject {
	const filters = readCollection('Filters', value);
	const empty = fields.find(({ name }) => name in filters && isBlank(filters[name]));
	if (!empty) return filters;
	throw new FieldError(empty, 'is empty', 'Enter a value, or remove this filter.');
}

/** True if a field was left empty, or contains only blanks. */
export function isBlank(value: unknown): boolean {
	return isEmpty(value) || (typeof value === 'string' && withoutBlankEnds(value) === '');
}

/** True if a field was left empty, or an expression has returned nothing for it. */
export function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

function parseTime(value: unknown, zone: string): DateTime | undefined {
	if (DateTime.isDateTime(value)) return value;
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value === 'number') return DateTime.fromMillis(value, { zone });
	const text = plainCharacters(textOf(value));
	// ISO 8601 also allows short forms that a person would not mean: 12 would be noon today, and 2026-1823 a time of
	// today. So only texts that start with a year and a month are read.
	if (!/^\d{4}-\d\d(-\d\d)?([T ]|$)/.test(text)) return undefined;
	const iso = DateTime.fromISO(text, { zone, setZone: true });
	return iso.isValid ? iso : DateTime.fromSQL(text, { zone, setZone: true });
}

/** Reads a list that an expression returned, or splits a text at its commas. */
function listOf(value: unknown): string[] {
	const texts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(',');
	return texts.map(plainCharacters);
}

/**
 * Reads a number. Expressions often return numbers as text. Text in another base, or with an exponent, is refused,
 * because it is probably a mistake.
 */
function numberOf(value: unknown): number {
	const text = plainCharacters(textOf(value));
	return typeof value === 'number' || /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}
