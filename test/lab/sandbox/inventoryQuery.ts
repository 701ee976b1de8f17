import { inventoryError } from './errors';
import { Refusal } from './http';
import type { Property } from './propertyData';
import {
	CATEGORIES,
	MAINTENANCE_TYPES,
	MANAGEMENT_TYPES,
	RECORD_TYPES,
	STATUSES,
} from './propertyData';

type Test = (property: Property) => boolean;
type Condition = (name: string, values: string[], query: URLSearchParams) => Test;

/** What a list request takes. The names of its page parameters differ between the lists. */
export interface ListRequest {
	/** By query parameter. */
	conditions: Record<string, Condition>;
	required: string[];
	sizeParameter: string;
	tokenParameter: string;
}

export function badRequest(detail: string): Refusal {
	return new Refusal(inventoryError(400, detail));
}

export function single(name: string, values: string[]): string {
	const [value, ...more] = values;
	if (value === undefined || value === '') throw badRequest(`${name} is empty`);
	if (more.length > 0) throw badRequest(`${name} is given more than once`);
	return value;
}

/** The field has this value of a list. “Unspecified” filters nothing. */
function equals(field: (property: Property) => string, allowed: readonly string[]): Condition {
	return (name, values) => {
		const wanted = single(name, values);
		if (!allowed.includes(wanted)) throw badRequest(`${name} is unknown`);
		return (property) => wanted === 'Unspecified' || field(property) === wanted;
	};
}

/** As `equals`, for a field that only lettings have: no sale passes. If the request is for sales, nothing is filtered. */
function ofLettings(field: (property: Property) => string, allowed: readonly string[]): Condition {
	return (name, values, query) => {
		const matches = equals(field, allowed)(name, values, query);
		if (query.get('recordType') === 'Sale' || values.includes('Unspecified')) return () => true;
		return (property) => property.recordType === 'Rent' && matches(property);
	};
}

const isOwnedBy: Condition = (name, values) => {
	const wanted = single(name, values);
	if (!/^\d{1,10}$/.test(wanted)) throw badRequest(`${name} is a whole number`);
	return ({ owners }) => owners.some(({ ownerId }) => ownerId === wanted);
};

const isArchived: Condition = (name, values) => {
	const wanted = single(name, values);
	if (wanted !== 'true' && wanted !== 'false') throw badRequest(`${name} is true or false`);
	return (property) => property.archived === (wanted === 'true');
};

const inBranches: Condition = (name, values) => {
	if (values.some((value) => value === '' || value.includes(','))) {
		throw badRequest(`${name} is repeated for several ids`);
	}
	return (property) => values.includes(property.branchId);
};

/** The text holds every word of the query, in any order. */
function contains(text: (property: Property) => string): Condition {
	return (name, values) => {
		const words = single(name, values)
			.toLowerCase()
			.split(/[\s,]+/)
			.filter(Boolean);
		return (property) => {
			const found = text(property).toLowerCase();
			return words.every((word) => found.includes(word));
		};
	};
}

/**
 * A date and time. A day without a time stands for its midnight.
 *
 * @returns epoch milliseconds
 */
function readDate(name: string, values: string[]): number {
	const text = single(name, values);
	const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
	const time = form.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(time)) throw badRequest(`${name} is not a date`);
	return time;
}

/** @param name the parameters are `{name}-from` and `{name}-to`, both inclusive */
function between(
	name: string,
	field: (property: Property) => string | null,
): Record<string, Condition> {
	return {
		[`${name}-from`]: (parameter, values) => {
			const from = readDate(parameter, values);
			return (property) => Date.parse(field(property) ?? '') >= from;
		},
		[`${name}-to`]: (parameter, values) => {
			const to = readDate(parameter, values);
			return (property) => Date.parse(field(property) ?? '') <= to;
		},
	};
}

function addressText({ address }: Property): string {
	const { subDwelling, nameNo, street, locality, town, county, postcode } = address;
	return [subDwelling, nameNo, street, locality, town, county, postcode].join(' ');
}

function searchText(property: Property): string {
	const names = property.owners.map(({ name }) => `${name.forename} ${name.surname}`);
	return [addressText(property), ...names].join(' ');
}

const category = equals((property) => property.category, CATEGORIES);
const shared = {
	recordType: equals((property) => property.recordType, RECORD_TYPES),
	archived: isArchived,
};
const dated = {
	branchIds: inBranches,
	...between('created', (property) => property.createdDate),
	...between('modified', (property) => property.modifiedDate),
};
const dashed = { sizeParameter: 'max-results', tokenParameter: 'next-token' };

export const LIST_REQUESTS: Record<'list' | 'search' | 'filter', ListRequest> = {
	list: {
		conditions: { ...shared, category, address: contains(addressText) },
		required: [],
		sizeParameter: 'maxResults',
		tokenParameter: 'nextToken',
	},
	search: {
		conditions: { ...shared, ...dated, query: contains(searchText) },
		required: ['query'],
		...dashed,
	},
	filter: {
		conditions: {
			...shared,
			...dated,
			categoryType: category,
			managementType: ofLettings((property) => property.managementType, MANAGEMENT_TYPES),
			'maintenance-type': ofLettings((property) => property.maintenanceType, MAINTENANCE_TYPES),
			'inventory-status': equals((property) => property.inventoryStatus, STATUSES),
			'owner-id': isOwnedBy,
			...between('instruction-date', (property) => property.instructionDate),
		},
		required: [],
		...dashed,
	},
};

export function readConditions(request: ListRequest, query: URLSearchParams): Test {
	const { conditions, required, sizeParameter, tokenParameter } = request;
	const missing = required.find((name) => !query.get(name));
	if (missing !== undefined) throw badRequest(`${missing} is required`);
	const tests: Test[] = [];
	for (const name of new Set(query.keys())) {
		if (name === sizeParameter || name === tokenParameter) continue;
		const condition = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
		if (condition === undefined) throw badRequest(`unknown parameter ${name}`);
		tests.push(condition(name, query.getAll(name), query));
	}
	return (property) => tests.every((test) => test(property));
}
