import omitBy from 'lodash/omitBy';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import { hintOnce } from '../hints';
import {
	isBlank,
	readChoices,
	readIds,
	readCollection,
	readFlag,
	readKnownChoices,
	readSetFilters,
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
	const given: unknown = context.getNodeParameter('filters', itemIndex, {});
	const values = isTool(context.getNode()) ? valuesOfModel(context, given, filters) : given;
	return filterQuery(values, filters, context.getTimezone());
}

/** A model cannot remove a filter that it does not want, so an empty one is left out, and the model is told. */
function valuesOfModel(context: IExecuteFunctions, given: unknown, filters: Filter[]): IDataObject {
	const values = readCollection('Filters', given);
	for (const filter of filters) {
		const { displayName, name } = filter.field;
		if (!isBlank(values[name])) requireKnown(filter, values[name]);
		else if (name in values) hintOnce(context, `“${displayName}” was empty: no filter.`);
	}
	return omitBy(values, isBlank);
}

/**
 * @param given what the filters are set to, by name
 * @param zone of the workflow
 * @throws FieldError
 */
export function filterQuery(given: unknown, filters: Filter[], zone: string): IDataObject {
	const fields = filters.map(({ field }) => field);
	const values = readSetFilters(given, fields);
	const set = filters.filter(({ field }) => field.name in values);
	return Object.fromEntries(
		set.map((filter) => [filter.parameter, toParameter(filter, values[filter.field.name], zone)]),
	);
}

/** A model guesses words, and a service may take one that it does not know for no filter at all. */
function requireKnown({ field }: Filter, value: unknown): void {
	const known = (field.options ?? []).flatMap((option) =>
		'value' in option ? [String(option.value)] : [],
	);
	if (known.length > 0) readKnownChoices(field, value, known);
}

function toParameter(filter: Filter, value: unknown, zone: string): string | string[] {
	const label = filter.field;
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
			return readIds(label, value, ', or choose them from the list');
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
