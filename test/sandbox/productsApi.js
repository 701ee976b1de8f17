// @ts-check
const { productsError } = require('./errors');
const { Refusal, isRecord, isType, json } = require('./http');
const { listingOf } = require('./products');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./products').ActivationRecord} ActivationRecord */
/** @typedef {import('./products').ActivationRequest} ActivationRequest */
/** @typedef {import('./products').Highlight} Highlight */
/** @typedef {import('./products').Product} Product */

const LARGEST_DETAILS = 640_000;
const LIST_PARAMETERS = ['listingId', 'customerListingId', 'date_from', 'date_to'];
const PATH = /^\/products\/(premium-listings|weekly-featured-properties)(?:\/([^/]+))?$/;

/** @type {Record<Product, { pending: number, active: number }>} */
const DUPLICATE_CODES = {
	'premium-listings': { pending: 1_011_003, active: 1_011_004 },
	'weekly-featured-properties': { pending: 2_011_004, active: 2_011_005 },
};

/** The requests for both products. */
class ProductsApi {
	/**
	 * @param {import('./products').Products} products
	 * @param {string} base the path that a Location starts with
	 */
	constructor(products, base) {
		this.products = products;
		this.base = base;
	}

	/** @param {string} path below the base address */
	template(path) {
		const match = PATH.exec(path);
		if (match === null) return undefined;
		return `/products/${match[1]}${match[2] === undefined ? '' : '/{uuid}'}`;
	}

	/**
	 * @param {string} path below the base address
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	handle(path, call, client) {
		const [, name, id] = PATH.exec(path) ?? [];
		const product = /** @type {Product} */ (name);
		if (id === undefined && call.method === 'GET') return this.#list(product, call.query);
		if (call.search !== '') throw invalid('no parameters here');
		if (id === undefined && call.method === 'POST') return this.#activate(product, call, client);
		if (id !== undefined && call.method === 'GET') return this.#get(product, id);
		if (id !== undefined && call.method === 'PATCH' && product === 'premium-listings') {
			return this.#update(product, id, call, client);
		}
		throw refusal(405, 'The method is not allowed here');
	}

	/**
	 * @param {Product} product
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	#activate(product, call, client) {
		const request = readActivation(product, readBody(call));
		const current = this.products.current(product, request.listingId);
		if (current !== undefined) return this.#duplicate(current);
		return json(202, this.products.activate(product, request, client.clientId));
	}

	/**
	 * @param {ActivationRecord} current
	 * @returns {Answer}
	 */
	#duplicate({ product, shown }) {
		const { duplicates, location } = this.products.behaviour;
		if (duplicates === 'refuse') {
			const pending = shown.status.result === 'PENDING';
			const { pending: pendingCode, active } = DUPLICATE_CODES[product];
			const reason = `The listing has a ${pending ? 'pending' : 'current'} activation`;
			throw refusal(400, reason, pending ? pendingCode : active);
		}
		const path = `/products/${product}/${shown.id}`;
		return json(303, shown, { Location: location === 'full' ? this.base + path : path });
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @returns {Answer}
	 */
	#get(product, id) {
		const record = this.#record(product, id);
		this.products.look(record);
		return json(200, record.shown);
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	#update(product, id, call, client) {
		const record = this.#record(product, id);
		if (record.shown.createdBy !== client.clientId) {
			throw refusal(403, 'The activation is not of this client');
		}
		const highlights = readUpdate(readBody(call));
		const { result, currently } = record.shown.status;
		if (result !== 'ACTIVATED') throw refusal(409, 'The activation is not active');
		if (currently === 'WAITING_FOR_UPDATE') throw refusal(409, 'An update is in flight');
		this.products.update(record, highlights);
		return json(202, record.shown);
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @returns {ActivationRecord}
	 */
	#record(product, id) {
		const record = this.products.find(product, id);
		if (record === undefined) throw refusal(404, 'No such activation');
		return record;
	}

	/**
	 * @param {Product} product
	 * @param {URLSearchParams} query
	 * @returns {Answer}
	 */
	#list(product, query) {
		requireSingle(query);
		const listings = readListings(query);
		const from = readDate(query, 'date_from', 'T00:00:00Z') ?? -Infinity;
		const to = readDate(query, 'date_to', 'T23:59:59Z') ?? Infinity;
		const found = this.products.list(product).filter(({ shown }) => {
			const created = Date.parse(shown.createdAt);
			const asked = listings.every((listing) => listing === shown.listingId);
			return asked && created >= from && created <= to;
		});
		return json(
			200,
			found.map((record) => record.shown),
		);
	}
}

/**
 * @param {number} status
 * @param {string} reason
 * @param {number} [code]
 */
function refusal(status, reason, code) {
	return new Refusal(productsError(status, reason, code));
}

/** @param {string} reason */
function invalid(reason) {
	return refusal(400, reason);
}

/**
 * @param {Call} call
 * @returns {Record<string, unknown>}
 */
function readBody(call) {
	if (call.bodyTooLarge) throw refusal(413, 'The body is too large');
	if (!isType(call.headers['content-type'], 'application/json')) throw invalid('The body is JSON');
	const body = parsed(call.body);
	if (!isRecord(body)) throw invalid('The body is not a JSON object');
	return body;
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * @param {Record<string, unknown>} body
 * @param {string[]} fields
 */
function requireOnly(body, fields) {
	const extra = Object.keys(body).find((name) => !fields.includes(name));
	if (extra !== undefined) throw invalid(`Unexpected ${extra}`);
}

/**
 * @param {Product} product
 * @param {Record<string, unknown>} body
 * @returns {ActivationRequest}
 */
function readActivation(product, body) {
	const premium = product === 'premium-listings';
	const fields = ['listingId', 'customerListingId', 'customDetails'];
	requireOnly(body, premium ? [...fields, 'highlights'] : fields);
	return {
		listingId: readListing(body),
		customDetails: readDetails(body.customDetails),
		highlights: body.highlights === undefined ? undefined : readHighlights(body.highlights),
	};
}

/**
 * @param {Record<string, unknown>} body
 * @returns {number}
 */
function readListing({ listingId, customerListingId }) {
	if ((listingId === undefined) === (customerListingId === undefined)) {
		throw invalid('Exactly one of listingId and customerListingId');
	}
	if (customerListingId === undefined) {
		if (typeof listingId === 'number' && Number.isSafeInteger(listingId) && listingId > 0) {
			return listingId;
		}
		throw invalid('listingId is a number');
	}
	if (typeof customerListingId !== 'string' || customerListingId.trim() === '') {
		throw invalid('customerListingId is a string');
	}
	return listingOf(customerListingId);
}

/**
 * @param {unknown} details
 * @returns {Record<string, unknown> | undefined}
 */
function readDetails(details) {
	if (details === undefined) return undefined;
	if (!isRecord(details)) throw invalid('customDetails is an object');
	if (Buffer.byteLength(JSON.stringify(details)) > LARGEST_DETAILS) {
		throw refusal(413, 'customDetails is larger than 640 kB');
	}
	return details;
}

/**
 * @param {unknown} value
 * @returns {Highlight[]}
 */
function readHighlights(value) {
	if (!Array.isArray(value)) throw invalid('highlights is an array');
	return value.map(readHighlight);
}

/**
 * @param {unknown} value
 * @returns {Highlight}
 */
function readHighlight(value) {
	if (!isRecord(value)) throw invalid('A highlight is an object');
	requireOnly(value, ['id', 'description']);
	const { id, description } = value;
	if (typeof id !== 'number' || !Number.isInteger(id))
		throw invalid('The id of a highlight is an integer');
	if (description === undefined) return { id };
	if (typeof description !== 'string') throw invalid('The description of a highlight is a string');
	return { id, description };
}

/**
 * @param {Record<string, unknown>} body
 * @returns {Highlight[]}
 */
function readUpdate(body) {
	requireOnly(body, ['highlights']);
	return readHighlights(body.highlights);
}

/** @param {URLSearchParams} query */
function requireSingle(query) {
	for (const [name, value] of query) {
		if (!LIST_PARAMETERS.includes(name)) throw invalid(`Unknown parameter ${name}`);
		if (value === '' || query.getAll(name).length > 1) throw invalid(`${name} has one value`);
	}
}

/**
 * @param {URLSearchParams} query
 * @returns {number[]} the listings that an activation has to be of
 */
function readListings(query) {
	/** @type {number[]} */
	const listings = [];
	const listingId = query.get('listingId');
	if (listingId !== null) {
		if (!/^\d{1,15}$/.test(listingId)) throw invalid('listingId is a number');
		listings.push(Number(listingId));
	}
	const customerListingId = query.get('customerListingId');
	if (customerListingId !== null) listings.push(listingOf(customerListingId));
	return listings;
}

/**
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {string} dayTime what a day without a time means
 * @returns {number | undefined} epoch milliseconds
 */
function readDate(query, name, dayTime) {
	const text = query.get(name);
	if (text === null) return undefined;
	const day = /^\d{4}-\d\d-\d\d$/.test(text);
	const full = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);
	const time = day || full ? Date.parse(day ? text + dayTime : text) : NaN;
	if (Number.isNaN(time)) throw invalid(`${name} is not a date`);
	return time;
}

module.exports = { ProductsApi };
