import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../service/basics/times';
import {
	isEmpty,
	readCollection,
	readFlag,
	readIds,
	readText,
	readTime,
	wholeNumber,
} from '../common/readers';

/** How a filter of the node becomes a query parameter. */
interface FilterRule {
	parameter: string;
	/** The field's name as the user sees it. */
	field: string;
	kind: 'choice' | 'flag' | 'ids' | 'number' | 'from' | 'to' | 'dayFrom' | 'dayTo';
}

export type FilterRules = Record<string, FilterRule>;

const shared: FilterRules = {
	recordType: { parameter: 'recordType', field: 'Record Type', kind: 'choice' },
	archived: { parameter: 'archived', field: 'Archived', kind: 'flag' },
};

const dated: FilterRules = {
	branchIds: { parameter: 'branchIds', field: 'Branch IDs', kind: 'ids' },
	createdFrom: { parameter: 'created-from', field: 'Created From', kind: 'from' },
	createdTo: { parameter: 'created-to', field: 'Created To', kind: 'to' },
	modifiedFrom: { parameter: 'modified-from', field: 'Modified From', kind: 'from' },
	modifiedTo: { parameter: 'modified-to', field: 'Modified To', kind: 'to' },
};

/** The service's integers have 32 bits. */
const LARGEST_ID = 2_147_483_647;

/** Per request, the filters that the service takes. */
export const FILTERS = {
	address: {
		...shared,
		category: { parameter: 'category', field: 'Category', kind: 'choice' },
	},
	text: { ...shared, ...dated },
	filter: {
		...shared,
		...dated,
		category: { parameter: 'categoryType', field: 'Category', kind: 'choice' },
		status: { parameter: 'inventory-status', field: 'Status', kind: 'choice' },
		ownerId: { parameter: 'owner-id', field: 'Owner ID', kind: 'number' },
		managementType: { parameter: 'managementType', field: 'Management Type', kind: 'choice' },
		maintenanceType: { parameter: 'maintenance-type', field: 'Maintenance Type', kind: 'choice' },
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
	const filters = readCollection('Filters', context.getNodeParameter('filters', itemIndex, {}));
	const query: IDataObject = {};
	for (const [name, rule] of Object.entries(rules)) {
		const value = filters[name];
		if (isEmpty(value) || isBlank(value)) continue;
		query[rule.parameter] = toParameter(rule, value, context.getTimezone());
	}
	return query;
}

function toParameter({ kind, field }: FilterRule, value: unknown, zone: string): string | string[] {
	switch (kind) {
		case 'choice':
			return readText(field, value);
		case 'flag':
			return String(readFlag(field, value));
		case 'number':
			return String(wholeNumber(field, value, 1, LARGEST_ID));
		case 'ids':
			return readIds(field, value);
		case 'from':
			return isoSeconds(readTime(field, value, zone, 'earliest'));
		case 'to':
			return isoSeconds(readTime(field, value, zone, 'latest'));
		case 'dayFrom':
			return isoSeconds(startOfDay(readTime(field, value, zone, 'earliest'), zone));
		case 'dayTo':
			return isoSeconds(startOfDay(readTime(field, value, zone, 'latest'), zone, 1) - 1);
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

function isBlank(value: unknown): boolean {
	return typeof value === 'string' && value.trim() === '';
}
