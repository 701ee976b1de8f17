import compact from 'lodash/compact';
import keyBy from 'lodash/keyBy';
import uniq from 'lodash/uniq';

import { plainCharacters } from '../../../service/basics/tidy';
import { textOf } from '../../../service/basics/values';
import type { LeadFilter, LeadType, QueryNames } from '../../../service/leads/leads';
import { DEFAULT_QUERY_NAMES, FILTER_KINDS, LEAD_TYPES } from '../../../service/leads/leads';
import { FieldError, shown } from '../fieldError';
import { isBlank, readChoice, readIds, readChoices } from '../readers';
import { ANY_LEAD, NO_FILTER } from './fields';

/**
 * Reads the fields “Filter By” and “Filter IDs”.
 *
 * @returns one filter for each ID; for `none`, the list `[undefined]`, which leads to one request without a filter
 * @throws FieldError
 */
export function readFilters(filterBy: unknown, filterId: unknown): Array<LeadFilter | undefined> {
	const by = readChoice('Filter By', filterBy, keyBy([...FILTER_KINDS, NO_FILTER] as const));
	if (by === NO_FILTER) return [undefined];
	return readIds('Filter IDs', filterId).map((id) => ({ by, id }));
}

/**
 * Reads the names of the query parameters from the options.
 *
 * @throws FieldError
 */
export function readQueryNames(options: Record<string, unknown>): QueryNames {
	const { fromTime, toTime } = DEFAULT_QUERY_NAMES;
	const names = {
		fromTime: queryName('From Time Parameter Name', options.fromTimeParameter) ?? fromTime,
		toTime: queryName('To Time Parameter Name', options.toTimeParameter) ?? toTime,
		filter: queryName('Filter Parameter Name', options.filterParameter),
	};
	// If two query parameters had the same name, one would replace the other, and the service would answer a different
	// request.
	const given = compact(Object.values(names));
	if (uniq(given).length === given.length) return names;
	throw new FieldError(
		'Options',
		'gives two query parameters the same name',
		'Give the parameters for the start, the end and the filter three different names.',
	);
}

function queryName(field: string, value: unknown): string | undefined {
	if (isBlank(value)) return undefined;
	const name = plainCharacters(textOf(value));
	if (/^[A-Za-z0-9_.-]+$/.test(name)) return name;
	throw new FieldError(
		field,
		'is not a name for a query parameter',
		`It is ${shown(value)}. Use letters, digits, hyphens, dots and underscores only.`,
	);
}

/**
 * Reads the field “Trigger On”. An expression may return its list as text with commas.
 *
 * @throws FieldError
 */
export function readLeadTypes(value: unknown): LeadType[] {
	const wanted = readChoices('Trigger On', value, [ANY_LEAD, ...LEAD_TYPES]);
	return LEAD_TYPES.filter((each) => wanted.includes(each) || wanted.includes(ANY_LEAD));
}
