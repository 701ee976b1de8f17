import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../service/clock';
import { isEmpty, readIds, readTime, textOf } from '../common/parameters';

/** How a filter of the node becomes a query parameter. */
interface FilterRule {
	parameter: string;
	/** The field's name as the user sees it. */
	field: string;
	kind: 'text' | 'ids' | 'from' | 'to' | 'dayFrom' | 'dayTo';
}

export type FilterRules = Record<string, FilterRule>;

const shared: FilterRules = {
	recordType: { parameter: 'recordType', field: 'Record Type', kind: 'text' },
	archived: { parameter: 'archived', field: 'Archived', kind: 'text' },
};

const dated: FilterRules = {
	branchIds: { parameter: 'branchIds', field: 'Branch IDs', kind: 'ids' },
	createdFrom: { parameter: 'created-from', field: 'Created From', kind: 'from' },
	createdTo: { parameter: 'created-to', field: 'Created To', kind: 'to' },
	modifiedFrom: { parameter: 'modified-from', field: 'Modified From', kind: 'from' },
	modifiedTo: { parameter: 'modified-to', field: 'Modified To', kind: 'to' },
};

/** Per request, the filters that the service takes. */
export const FILTERS = {
	address: {
		...shared,
		category: { parameter: 'category', field: 'Category', kind: 'text' },
	},
	text: { ...shared, ...dated },
	filter: {
		...shared,
		...dated,
		category: { parameter: 'categoryType', field: 'Category', kind: 'text' },
		status: { parameter: 'inventory-status', field: 'Status', kind: 'text' },
		ownerId: { parameter: 'owner-id', field: 'Owner ID', kind: 'text' },
		managementType: { parameter: 'managementType', field: 'Management Type', kind: 'text' },
		maintenanceType: { parameter: 'maintenance-type', field: 'Maintenance Type', kind: 'text' },
		instructedFrom: {
			parameter: 'instruction-date-from',
			field: 'Instructed From',
			kind: 'dayFrom',
		},
		instructedTo: { parameter: 'instruction-date-to', field: 'Instructed To', kind: 'dayTo' },
	},
} satisfies Record<string, FilterRules>;

/**
 * The query for the filters that are set; a filter that the request does not take is left out.
 *
 * @throws FieldError
 */
export function readFilterQuery(
	context: IExecuteFunctions,
	itemIndex: number,
	rules: FilterRules,
): IDataObject {
	const filters = context.getNodeParameter('filters', itemIndex, {});
	const query: IDataObject = {};
	for (const [name, rule] of Object.entries(rules)) {
		const value = filters[name];
		if (!isEmpty(value)) query[rule.parameter] = toParameter(rule, value, context.getTimezone());
	}
	return query;
}

function toParameter({ kind, field }: FilterRule, value: unknown, zone: string): string | string[] {
	switch (kind) {
		case 'text':
			return value === true || value === false ? String(value) : textOf(value).trim();
		case 'ids':
			return readIds(field, value);
		case 'from':
			return isoSeconds(readTime(field, value, zone, 'earliest'));
		case 'to':
			return isoSeconds(readTime(field, value, zone, 'latest'));
		case 'dayFrom':
			return day(readTime(field, value, zone, 'earliest'), zone);
		case 'dayTo':
			return day(readTime(field, value, zone, 'latest'), zone);
	}
}

/** An instruction has a date and no time: the one on the calendar of the workflow's time zone. */
function day(epochMs: number, zone: string): string {
	return DateTime.fromMillis(epochMs, { zone }).toFormat('yyyy-MM-dd');
}
