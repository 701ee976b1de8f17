// @ts-check
const { createHmac, randomBytes } = require('node:crypto');
const { inventoryError } = require('./errors');
const { Refusal, json } = require('./http');
const { LIST_REQUESTS, badRequest, readConditions, single } = require('./inventoryQuery');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./propertyData').Property} Property */
/** @typedef {import('./inventoryQuery').ListRequest} ListRequest */

/**
 * @typedef {object} Page
 * @property {Property[]} items
 * @property {string | null} nextToken
 * @property {string | null} previousToken
 */

const USUAL_PAGE = 50;
const LARGEST_PAGE = 250;
const MOST_IDS = 100;
const BY_ID = /^\/inventory\/([^/]+)$/;

/** The five requests for properties. */
class InventoryApi {
	/** @param {import('./inventory').Inventory} inventory */
	constructor(inventory) {
		this.inventory = inventory;
		this.tokenKey = randomBytes(16);
		/** @type {Record<string, (properties: Property[], call: Call, agencyRef: string) => Answer>} */
		this.requests = {
			'/inventory': (...request) => this.#list(...request),
			'/inventory/items': (properties, call) => items(properties, call.query),
			'/inventory/search': (...request) => this.#rows(LIST_REQUESTS.search, ...request),
			'/inventory/filter': (...request) => this.#rows(LIST_REQUESTS.filter, ...request),
		};
	}

	/** @param {string} path below the base address */
	template(path) {
		if (path in this.requests) return path;
		return BY_ID.test(path) ? '/inventory/{id}' : undefined;
	}

	/**
	 * @param {string} path below the base address
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	handle(path, call, client) {
		if (call.method !== 'GET') throw new Refusal(inventoryError(405, 'use GET', path));
		const agencyRef = readAgencyRef(call, client);
		const properties = this.inventory.of(agencyRef);
		const request = this.requests[path];
		return request === undefined
			? one(properties, path, call.query)
			: request(properties, call, agencyRef);
	}

	/**
	 * @param {Property[]} properties
	 * @param {Call} call
	 * @param {string} agencyRef
	 * @returns {Answer}
	 */
	#list(properties, call, agencyRef) {
		const page = this.#page(LIST_REQUESTS.list, properties, call, agencyRef);
		const { nextToken, previousToken } = page;
		const rows = page.items.map(({ id, address }) => ({ id, address }));
		return json(200, { meta: { nextToken, previousToken }, items: rows });
	}

	/**
	 * @param {ListRequest} request
	 * @param {Property[]} properties
	 * @param {Call} call
	 * @param {string} agencyRef
	 * @returns {Answer}
	 */
	#rows(request, properties, call, agencyRef) {
		const page = this.#page(request, properties, call, agencyRef);
		// The other way of saying that there is no more: here the token is absent, in the list it is null.
		const meta = page.nextToken === null ? {} : { nextToken: page.nextToken };
		return json(200, { meta, items: page.items.map(row) });
	}

	/**
	 * @param {ListRequest} request
	 * @param {Property[]} properties
	 * @param {Call} call
	 * @param {string} agencyRef
	 * @returns {Page}
	 */
	#page(request, properties, call, agencyRef) {
		const test = readConditions(request, call.query);
		const size = Math.min(readSize(request, call.query), this.inventory.mostOnPage);
		const token = this.#tokens(request, call, agencyRef);
		const start = token.read();
		const found = properties.filter(test);
		return {
			items: found.slice(start, start + size),
			nextToken: start + size < found.length ? token.write(start + size) : null,
			previousToken: start > 0 ? token.write(Math.max(0, start - size)) : null,
		};
	}

	/**
	 * A page token holds where to start, signed together with the question: it fits no other question.
	 *
	 * @param {ListRequest} request
	 * @param {Call} call
	 * @param {string} agencyRef
	 */
	#tokens({ tokenParameter }, call, agencyRef) {
		const question = new URLSearchParams(call.query);
		question.delete(tokenParameter);
		question.sort();
		const write = (/** @type {number} */ start) => {
			const signed = `${start}\n${agencyRef}\n${call.path}\n${question}`;
			const seal = createHmac('sha256', this.tokenKey).update(signed).digest('base64url');
			return Buffer.from(`${start}.${seal.slice(0, 22)}`).toString('base64url');
		};
		const read = () => {
			if (!call.query.has(tokenParameter)) return 0;
			const token = single(tokenParameter, call.query.getAll(tokenParameter));
			const start = Number.parseInt(Buffer.from(token, 'base64url').toString('latin1'), 10);
			if (token !== write(start)) throw badRequest(`${tokenParameter} does not fit this request`);
			return start;
		};
		return { read, write };
	}
}

/**
 * @param {Call} call
 * @param {Client} client
 * @returns {string}
 */
function readAgencyRef(call, client) {
	const agencyRef = call.headers.agencyref;
	if (typeof agencyRef !== 'string' || agencyRef === '') throw badRequest('AgencyRef is missing');
	if (!client.agencyRefs.includes(agencyRef)) {
		throw new Refusal(inventoryError(403, 'AgencyRef is not one of this client', call.path));
	}
	return agencyRef;
}

/**
 * @param {ListRequest} request
 * @param {URLSearchParams} query
 * @returns {number}
 */
function readSize({ sizeParameter }, query) {
	if (!query.has(sizeParameter)) return USUAL_PAGE;
	const text = single(sizeParameter, query.getAll(sizeParameter));
	const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
	if (size < 1 || size > LARGEST_PAGE) throw badRequest(`${sizeParameter} is 1 to ${LARGEST_PAGE}`);
	return size;
}

/**
 * @param {Property[]} properties
 * @param {URLSearchParams} query
 * @returns {Answer}
 */
function items(properties, query) {
	const unknown = [...query.keys()].find((name) => name !== 'inventory-id');
	if (unknown !== undefined) throw badRequest(`unknown parameter ${unknown}`);
	const ids = new Set(query.getAll('inventory-id'));
	if (ids.size === 0 || ids.has('')) throw badRequest('inventory-id is required');
	if (query.getAll('inventory-id').length > MOST_IDS) throw badRequest(`more than ${MOST_IDS} ids`);
	const found = properties.filter((property) => ids.has(property.id));
	return json(200, { totalCount: found.length, items: found });
}

/**
 * @param {Property[]} properties
 * @param {string} path
 * @param {URLSearchParams} query
 * @returns {Answer}
 */
function one(properties, path, query) {
	if (query.size > 0) throw badRequest('no parameters here');
	const id = decoded(BY_ID.exec(path)?.[1] ?? '');
	const found = properties.find((property) => property.id === id);
	if (found === undefined) throw new Refusal(inventoryError(404, 'no such property', path));
	return json(200, found);
}

/** @param {string} part */
function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		throw badRequest('the path is not percent-encoded');
	}
}

/**
 * What a list shows of a record, under the list's own names.
 *
 * @param {Property} property
 */
function row(property) {
	const { id, branchId, createdDate, modifiedDate, category, recordType } = property;
	const { archived, inventoryStatus, address, managementType, maintenanceType } = property;
	return {
		inventoryId: id,
		branchId,
		createdAt: createdDate,
		modifiedAt: modifiedDate,
		categoryType: category,
		recordType,
		archived,
		status: inventoryStatus,
		address,
		managementType,
		maintenanceType,
		instructionDate: property.instructionDate,
	};
}

module.exports = { InventoryApi, readAgencyRef };
