import omitBy from 'lodash/omitBy';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hintOnce } from '../hints';
import { isBlank, readCollection, readChoices, readSetFilters } from '../readers';
import { isTool } from '../tool/isTool';
import type { Filter } from './filters';

/**
 * Makes the query parameters for the filters that a person or a model has set. A filter that the service's list does
 * not support is left out.
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

/**
 * Corrects the filters that a model has set. A model cannot remove a filter, so an empty one is left out, with a note
 * for the model. A model may also invent a value. The service might ignore a filter with an unknown value, so such a
 * value is refused.
 */
function valuesOfModel(context: IExecuteFunctions, given: unknown, filters: Filter[]): IDataObject {
	const values = readCollection('Filters', given);
	for (const { field } of filters) {
		const { displayName, name, options = [] } = field;
		const known = options.flatMap((option) => ('value' in option ? [String(option.value)] : []));
		if (!isBlank(values[name])) {
			if (known.length > 0) readChoices(field, values[name], known);
		} else if (name in values) hintOnce(context, `“${displayName}” was empty: no filter.`);
	}
	return omitBy(values, isBlank);
}

/**
 * Makes the query parameters for filters.
 *
 * @param given the values of the filters, by name
 * @param zone the time zone of the workflow
 * @throws FieldError
 */
export function filterQuery(given: unknown, filters: Filter[], zone: string): IDataObject {
	const fields = filters.map(({ field }) => field);
	const values = readSetFilters(given, fields);
	const set = filters.filter(({ field }) => field.name in values);
	return Object.fromEntries(
		set.map(({ field, parameter, read }) => [parameter, read(field, values[field.name], zone)]),
	);
}
