// @ts-check
const { DAY } = require('./clock');
const { leadsError } = require('./errors');
const { Refusal } = require('./http');
const { createRandom, shuffled } = require('./random');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./leadBodies').LeadKind} LeadKind */
/** @typedef {import('./leadBodies').LeadOwner} LeadOwner */
/** @typedef {import('./leads').StoredLead} StoredLead */

/** @typedef {{ field: keyof LeadOwner, ids: 'branches' | 'brands' | 'companies' | 'groups' }} Level */
/** @typedef {{ level: Level, id: string }} Filter */

/**
 * The names of the query parameters.
 *
 * @typedef {object} LeadParameters
 * @property {string} fromTime
 * @property {string} toTime
 * @property {string} branchId
 * @property {string} brandId
 * @property {string} companyId
 * @property {string} groupId
 */

/** @type {LeadParameters} */
const LEAD_PARAMETERS = {
	fromTime: 'from-time',
	toTime: 'to-time',
	branchId: 'branch-id',
	brandId: 'brand-id',
	companyId: 'company-id',
	groupId: 'group-id',
};

/** @type {Level[]} */
const LEVELS = [
	{ field: 'branchId', ids: 'branches' },
	{ field: 'brandId', ids: 'brands' },
	{ field: 'companyId', ids: 'companies' },
	{ field: 'groupId', ids: 'groups' },
];

/** @type {Record<string, { kind: LeadKind, list: string }>} */
const PATHS = {
	'/applicant-leads': { kind: 'applicant', list: 'applicants' },
	'/appraisal-leads': { kind: 'appraisal', list: 'appraisals' },
};

const LEADS_IN_ONE_PIECE = 1000;
const LEADS_IN_A_CHUNK = 250;

/** The two requests for leads. */
class LeadsApi {
	/**
	 * @param {object} service
	 * @param {import('./leads').Leads} service.leads
	 * @param {import('./clock').Clock} service.clock
	 * @param {number} service.seed
	 * @param {LeadParameters} service.parameters
	 */
	constructor(service) {
		this.service = service;
	}

	/** @param {string} path below the base address */
	template(path) {
		return path in PATHS ? path : undefined;
	}

	/**
	 * @param {string} path below the base address
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	handle(path, call, client) {
		const target = PATHS[path];
		if (target === undefined) throw refusal(404, 'not_found', 'no such path');
		if (call.method !== 'GET') throw refusal(405, 'method_not_allowed', 'use GET');
		const { leads, parameters, seed } = this.service;
		requireKnown(call.query, parameters);
		const window = this.#window(call.query);
		const filter = readFilter(call.query, parameters, client);
		const visible = visibility(filter, client);
		const found = leads
			.between(target.kind, window.from, window.to)
			.filter((lead) => visible(lead.owner));
		// No order is promised, so none is given.
		return leadsAnswer(target.list, shuffled(createRandom(seed + found.length), found));
	}

	/**
	 * @param {URLSearchParams} query
	 * @returns {{ from: number, to: number }} epoch milliseconds, inclusive
	 */
	#window(query) {
		const { fromTime, toTime } = this.service.parameters;
		const now = this.service.clock.now();
		if (!query.has(fromTime) && !query.has(toTime)) return { from: now - DAY, to: now };
		const from = readTime(query, fromTime);
		const to = readTime(query, toTime);
		if (from > to) throw refusal(400, 'invalid_time_range', `${fromTime} is after ${toTime}`);
		return { from, to };
	}
}

/**
 * @param {number} status
 * @param {string} code
 * @param {string} message
 */
function refusal(status, code, message) {
	return new Refusal(leadsError(status, message, code));
}

/**
 * @param {URLSearchParams} query
 * @param {LeadParameters} parameters
 */
function requireKnown(query, parameters) {
	const known = Object.values(parameters);
	for (const name of query.keys()) {
		if (!known.includes(name)) throw refusal(400, 'unknown_parameter', `unknown parameter ${name}`);
		if (query.getAll(name).length > 1) {
			throw refusal(400, 'repeated_parameter', `${name} is given more than once`);
		}
	}
}

/**
 * @param {URLSearchParams} query
 * @param {string} name
 * @returns {number} epoch milliseconds
 */
function readTime(query, name) {
	const text = query.get(name);
	if (text === null) throw refusal(400, 'missing_time', `${name} is missing`);
	const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
	// The 31st of a short month is read as the 1st of the next: only what comes back the same is a date.
	if (Number.isNaN(time) || new Date(time).toISOString() !== text.replace('Z', '.000Z')) {
		throw refusal(400, 'invalid_time', `${name} is not a time in whole seconds, UTC`);
	}
	return time;
}

/**
 * @param {URLSearchParams} query
 * @param {LeadParameters} parameters
 * @param {Client} client
 * @returns {Filter | undefined}
 */
function readFilter(query, parameters, client) {
	const given = LEVELS.filter((level) => query.has(parameters[level.field]));
	if (given.length > 1) throw refusal(400, 'too_many_filters', 'filter on exactly one id');
	const level = given[0];
	if (level === undefined) {
		if (configuredIds(client) > 1)
			throw refusal(400, 'filter_required', 'filter on exactly one id');
		return undefined;
	}
	const name = parameters[level.field];
	const id = query.get(name) ?? '';
	if (!client[level.ids].includes(id))
		throw refusal(400, `unknown_${level.field}`, `unknown ${name}`);
	return { level, id };
}

/** @param {Client} client */
function configuredIds(client) {
	return LEVELS.reduce((sum, { ids }) => sum + client[ids].length, 0);
}

/**
 * Without a filter, a client that has a single id sees what is that id's or nobody's; one without ids sees all.
 *
 * @param {Filter | undefined} filter
 * @param {Client} client
 * @returns {(owner: LeadOwner) => boolean}
 */
function visibility(filter, client) {
	if (filter !== undefined) return (owner) => owner[filter.level.field] === filter.id;
	const only = LEVELS.find(({ ids }) => client[ids].length > 0);
	if (only === undefined) return () => true;
	const id = client[only.ids][0];
	return (owner) => owner[only.field] === undefined || owner[only.field] === id;
}

/**
 * @param {string} name
 * @param {StoredLead[]} leads
 * @returns {Answer}
 */
function leadsAnswer(name, leads) {
	const body =
		leads.length > LEADS_IN_ONE_PIECE
			? chunks(name, leads)
			: `{"${name}":[${leads.map((lead) => lead.text).join(',')}]}`;
	const isOdd = leads.some((lead) => lead.isOdd);
	return {
		status: 200,
		headers: { 'Content-Type': 'application/json; charset=utf-8' },
		body,
		isOdd,
	};
}

/**
 * @param {string} name
 * @param {StoredLead[]} leads
 */
function* chunks(name, leads) {
	yield `{"${name}":[`;
	for (let start = 0; start < leads.length; start += LEADS_IN_A_CHUNK) {
		const part = leads.slice(start, start + LEADS_IN_A_CHUNK).map((lead) => lead.text);
		yield (start === 0 ? '' : ',') + part.join(',');
	}
	yield ']}';
}

module.exports = { LeadsApi, LEAD_PARAMETERS };
