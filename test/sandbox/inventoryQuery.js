// @ts-check
const { inventoryError } = require('./errors');
const { Refusal } = require('./http');
const { STATUSES } = require('./propertyData');

/** @typedef {import('./propertyData').Property} Property */
/** @typedef {(property: Property) => boolean} Test */
/** @typedef {(name: string, values: string[]) => Test} Condition */

/**
 * What a request of the list kind takes; its page parameters have two spellings.
 *
 * @typedef {object} ListRequest
 * @property {Record<string, Condition>} conditions by query parameter
 * @property {string[]} required
 * @property {string} sizeParameter
 * @property {string} tokenParameter
 */

/** @param {string} detail */
function badRequest(detail) {
	return new Refusal(inventoryError(400, detail));
}

/**
 * @param {string} name
 * @param {string[]} values
 * @returns {string}
 */
function single(name, values) {
	const [value, ...more] = values;
	if (value === undefined || value === '') throw badRequest(`${name} is empty`);
	if (more.length > 0) throw badRequest(`${name} is given more than once`);
	return value;
}

/**
 * @param {(property: Property) => string} field
 * @param {readonly string[]} [allowed]
 * @returns {Condition}
 */
function equals(field, allowed) {
	return (name, values) => {
		const wanted = single(name, values);
		if (allowed !== undefined && !allowed.includes(wanted)) throw badRequest(`${name} is unknown`);
		return (property) => field(property) === wanted;
	};
}

/** @type {Condition} */
function isArchived(name, values) {
	const wanted = single(name, values);
	if (wanted !== 'true' && wanted !== 'false') throw badRequest(`${name} is true or false`);
	return (property) => property.archived === (wanted === 'true');
}

/** @type {Condition} */
function inBranches(name, values) {
	if (values.some((value) => value === '' || value.includes(','))) {
		throw badRequest(`${name} is repeated for several ids`);
	}
	return (property) => values.includes(property.branchId);
}

/**
 * Every word of the query has to be there, in any order.
 *
 * @param {(property: Property) => string} text
 * @returns {Condition}
 */
function contains(text) {
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
 * @param {string} name
 * @param {string[]} values
 * @param {string} dayTime what a day without a time means
 * @returns {number} epoch milliseconds
 */
function readDate(name, values, dayTime) {
	const text = single(name, values);
	const day = /^\d{4}-\d\d-\d\d$/.test(text);
	const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text);
	const time = day || full ? Date.parse(day ? text + dayTime : text) : NaN;
	if (Number.isNaN(time)) throw badRequest(`${name} is not a date`);
	return time;
}

/**
 * @param {string} name the parameters are `{name}-from` and `{name}-to`, both inclusive
 * @param {(property: Property) => string} field
 * @returns {Record<string, Condition>}
 */
function between(name, field) {
	return {
		[`${name}-from`]: (parameter, values) => {
			const from = readDate(parameter, values, 'T00:00:00Z');
			return (property) => Date.parse(field(property)) >= from;
		},
		[`${name}-to`]: (parameter, values) => {
			const to = readDate(parameter, values, 'T23:59:59Z');
			return (property) => Date.parse(field(property)) <= to;
		},
	};
}

/** @param {Property} property */
function addressText({ address }) {
	const { subDwelling, nameNo, street, locality, town, county, postcode } = address;
	return [subDwelling, nameNo, street, locality, town, county, postcode].join(' ');
}

/** @param {Property} property */
function searchText(property) {
	const { owner } = property;
	return `${addressText(property)} ${owner.firstName} ${owner.lastName} ${property.reference}`;
}

const category = equals((property) => property.categoryType, ['Residential', 'Commercial']);
const shared = {
	recordType: equals((property) => property.recordType, ['Sale', 'Rent']),
	archived: isArchived,
};
const dated = {
	branchIds: inBranches,
	...between('created', (property) => property.createdAt),
	...between('modified', (property) => property.modifiedAt),
};
const dashed = { sizeParameter: 'max-results', tokenParameter: 'next-token' };

/** @type {Record<'list' | 'search' | 'filter', ListRequest>} */
const LIST_REQUESTS = {
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
			managementType: equals((property) => property.managementType),
			'maintenance-type': equals((property) => property.maintenanceType),
			'inventory-status': equals((property) => property.status, STATUSES),
			'owner-id': equals((property) => property.ownerId),
			...between('instruction-date', (property) => property.instructionDate),
		},
		required: [],
		...dashed,
	},
};

/**
 * @param {ListRequest} request
 * @param {URLSearchParams} query
 * @returns {Test}
 */
function readConditions(request, query) {
	const { conditions, required, sizeParameter, tokenParameter } = request;
	const missing = required.find((name) => !query.get(name));
	if (missing !== undefined) throw badRequest(`${missing} is required`);
	/** @type {Test[]} */
	const tests = [];
	for (const name of new Set(query.keys())) {
		if (name === sizeParameter || name === tokenParameter) continue;
		const condition = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
		if (condition === undefined) throw badRequest(`unknown parameter ${name}`);
		tests.push(condition(name, query.getAll(name)));
	}
	return (property) => tests.every((test) => test(property));
}

module.exports = { LIST_REQUESTS, badRequest, readConditions, single };
