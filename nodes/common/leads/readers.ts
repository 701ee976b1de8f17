import type { FilterBy, LeadFilter, QueryNames } from '../../../service/leads/leads';
import { DEFAULT_QUERY_NAMES, FILTER_KINDS } from '../../../service/leads/leads';
import type { LeadType } from '../../../service/leads/leads';
import { LEAD_TYPES } from '../../../service/leads/leads';
import { FieldError, shown } from '../fieldError';
import type { FieldLabel } from '../labels';
import { readIds } from '../readers';
import { ANY_LEAD, NO_FILTER, NO_FILTER_NAME } from './fields';
import { quoted } from '../labels';

const FILTER_IDS = 'Filter IDs';

/**
 * @returns one filter per id, `[undefined]` (one request without a filter) for `none`
 * @throws FieldError for an empty id, such as one left by a stray comma, and for ids with something else than commas between them
 */
export function readFilters(filterBy: unknown, filterId: unknown): Array<LeadFilter | undefined> {
	if (filterBy === NO_FILTER) return [undefined];
	if (!isFilterBy(filterBy)) {
		throw new FieldError(
			'Filter By',
			'has an unknown value',
			`It is ${shown(filterBy)}; use ${FILTER_KINDS.join(', ')} or ${NO_FILTER}.`,
		);
	}
	const remedy = `, or set ${quoted('Filter By')} to “${NO_FILTER_NAME}”`;
	return readIds(FILTER_IDS, filterId, remedy).map((id) => ({ by: filterBy, id }));
}

/** @throws FieldError */
export function readQueryNames(options: Record<string, unknown>): QueryNames {
	const fromTime = queryName('From Time Parameter Name', options.fromTimeParameter);
	const toTime = queryName('To Time Parameter Name', options.toTimeParameter);
	const filter = queryName('Filter Parameter Name', options.filterParameter);
	const names = {
		fromTime: fromTime ?? DEFAULT_QUERY_NAMES.fromTime,
		toTime: toTime ?? DEFAULT_QUERY_NAMES.toTime,
		...(filter !== undefined && { filter }),
	};
	if (new Set(Object.values(names)).size < Object.values(names).length) {
		throw new FieldError(
			'Options',
			'gives two query parameters the same name',
			'Give the parameters for the start, the end and the filter three different names.',
		);
	}
	return names;
}

/**
 * The choice of “Trigger On”. A list from an expression may come as text with commas.
 *
 * @throws FieldError
 */
export function readLeadTypes(value: unknown): LeadType[] {
	const wanted = (Array.isArray(value) ? value : String(value).split(',')).map((each) =>
		String(each).trim(),
	);
	const known: string[] = [ANY_LEAD, ...LEAD_TYPES];
	if (wanted.length === 0 || wanted.some((each) => !known.includes(each))) {
		throw new FieldError(
			'Trigger On',
			wanted.join('') === '' ? 'is empty' : 'has an unknown value',
			'Choose applicant, appraisal or any from the list.',
		);
	}
	return LEAD_TYPES.filter((each) => wanted.includes(each) || wanted.includes(ANY_LEAD));
}

function queryName(field: FieldLabel, value: unknown): string | undefined {
	if (value === undefined || value === '') return undefined;
	if (typeof value === 'string' && /^[A-Za-z0-9_.-]+$/.test(value)) return value;
	throw new FieldError(
		field,
		'is not a name for a query parameter',
		`It is ${shown(value)}. Use letters, digits, hyphens, dots and underscores only.`,
	);
}

function isFilterBy(value: unknown): value is FilterBy {
	return FILTER_KINDS.some((kind) => kind === value);
}
