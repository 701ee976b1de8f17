// @ts-check
const { inventoryError } = require('./errors');
const { Refusal } = require('./http');
const {
	CATEGORIES,
	MAINTENANCE_TYPES,
	MANAGEMENT_TYPES,
	RECORD_TYPES,
	STATUSES,
} = require('./propertyData');

/** @typedef {import('./propertyData').Property} Property */
/** @typedef {(property: Property) => boolean} Test */
/** @typedef {(name: string, values: string[], query: URLSearchParams) => Test} Condition */

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
 * One of a list of values, of which “Unspecified” filters nothing.
 *
 * @param {(property: Property) => string} field
 * @param {readonly string[]} allowed
 * @returns {Condition}
 */
function equals(field, allowed) {
	return (name, values) => {
		const wanted = single(name, values);
		if (!allowed.includes(wanted)) throw badRequest(`${name} is unknown`);
		return (property) => wanted === 'Unspecified' || field(property) === wanted;
	};
}

/**
 * The same for what lettings alone have: it leaves nothing else, and does nothing where sales are asked for.
 *
 * @param {(property: Property) => string} field
 * @param {readonly string[]} allowed
 * @returns {Condition}
 */
function ofLettings(field, allowed) {
	return (name, values, query) => {
		const matches = equals(field, allowed)(name, values, query);
		if (query.get('recordType') === 'Sale' || values.includes('Unspecified')) return () => true;
		return (property) => property.recordType === 'Rent' && matches(property);
	};
}

/** @type {Condition} */
function isOwnedBy(name, values) {
	const wanted = single(name, values);
	if (!/^\d{1,10}$/.test(wanted)) throw badRequest(`${name} is a whole number`);
	return ({ owners }) => owners.some(({ ownerId }) => ownerId === wanted);
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
 * A date and time; a day alone is its midnight.
 *
 * @param {string} name
 * @param {string[]} values
 * @returns {number} epoch milliseconds
 */
function readDate(name, values) {
	const text = single(name, values);
	const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
	const time = form.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(time)) throw badRequest(`${name} is not a date`);
	return time;
}

/**
 * @param {string} name the parameters are `{name}-from` and `{name}-to`, both inclusive
 * @param {(property: Property) => string | null} field
 * @returns {Record<string, Condition>}
 */
function between(name, field) {
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

/** @param {Property} property */
function addressText({ address }) {
	const { subDwelling, nameNo, street, locality, town, county, postcode } = address;
	return [subDwelling, nameNo, street, locality, town, county, postcode].join(' ');
}

/** @param {Property} property */
function searchText(property) {
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
		tests.push(condition(name, query.getAll(name), query));
	}
	return (property) => tests.every((test) => test(property));
}

module.exports = { LIST_REQUESTS, badRequest, readConditions, single };
