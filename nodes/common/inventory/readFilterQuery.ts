import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import { hintOnce } from '../hints';
import {
	isEmpty,
	readChoices,
	readChosenIds,
	readCollection,
	readFlag,
	readKnownChoices,
	readText,
	readTime,
	wholeNumber,
} from '../readers';
import { isTool } from '../tool/isTool';
import type { Filter } from './filters';
import { statusesOf } from './statuses';

/** The service's integers have 32 bits. */
const LARGEST_ID = 2_147_483_647;

/**
 * The query for the filters that are set; a filter that the request does not take is left out.
 *
 * @throws FieldError
 */
export function readFilterQuery(
	context: IExecuteFunctions,
	itemIndex: number,
	filters: Filter[],
): IDataObject {
	const values = readCollection('Filters', context.getNodeParameter('filters', itemIndex, {}));
	if (isTool(context.getNode())) {
		for (const filter of filters) {
			const { displayName, name } = filter.field;
			if (!isUnset(values[name])) requireKnown(filter, values[name]);
			else if (name in values) hintOnce(context, `“${displayName}” was empty: no filter.`);
		}
	}
	return filterQuery(values, filters, context.getTimezone());
}

/**
 * @param values what the filters are set to, by name
 * @param zone of the workflow
 * @throws FieldError
 */
export function filterQuery(values: IDataObject, filters: Filter[], zone: string): IDataObject {
	const set = filters.filter(({ field }) => !isUnset(values[field.name]));
	return Object.fromEntries(
		set.map((filter) => [filter.parameter, toParameter(filter, values[filter.field.name], zone)]),
	);
}

/** A model guesses words, and a service may take one that it does not know for no filter at all. */
function requireKnown({ field: { displayName, options = [] } }: Filter, value: unknown): void {
	const known = options.flatMap((option) => ('value' in option ? [String(option.value)] : []));
	if (known.length > 0) readKnownChoices(displayName, value, known);
}

function toParameter(filter: Filter, value: unknown, zone: string): string | string[] {
	const label = filter.field.displayName;
	switch (filter.kind) {
		case 'choice':
			return readText(label, value);
		case 'statuses':
			return statusesOf(readChoices(label, value));
		case 'flag':
			return String(readFlag(label, value));
		case 'number':
			return String(wholeNumber(label, value, 1, LARGEST_ID));
		case 'ids':
			return readChosenIds(label, value);
		case 'from':
			return isoSeconds(readTime(label, value, zone, 'earliest'));
		case 'to':
			return isoSeconds(readTime(label, value, zone, 'latest'));
		case 'dayFrom':
			return isoSeconds(startOfDay(readTime(label, value, zone, 'earliest'), zone));
		case 'dayTo':
			return isoSeconds(startOfDay(readTime(label, value, zone, 'latest'), zone, 1) - 1);
	}
}

/**
 * When the day of a moment, or one after it, begins in the workflow's time zone. Where the clocks go
 * back at midnight it begins twice: the first time counts.
 *
 * @returns epoch milliseconds
 */
function startOfDay(epochMs: number, zone: string, daysLater = 0): number {
	const day = DateTime.fromMillis(epochMs, { zone }).plus({ days: daysLater }).startOf('day');
	return Math.min(...day.getPossibleOffsets().map((possible) => possible.toMillis()));
}

function isUnset(value: unknown): boolean {
	return isEmpty(value) || (typeof value === 'string' && value.trim() === '');
}
