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

/** @type {Record<Product, string[]>} */
const LIST_PARAMETERS = {
	'premium-listings': ['listingId', 'customerListingId', 'date_from', 'date_to', 'isPremium'],
	'weekly-featured-properties': ['listingId', 'customerListingId', 'date_from', 'isWFP'],
};
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const PATH = /^\/products\/(premium-listings|weekly-featured-properties)(?:\/([^/]+))?$/;

/**
 * Why a request is refused, by the codes of the contract; the weekly register has fewer.
 *
 * @typedef {'unreadable' | 'shape' | 'twoIds' | 'query' | 'details' | 'highlights' | 'missing' | 'unmatched'
 *   | 'pending' | 'active' | 'inactive' | 'inFlight' | 'access'} Reason
 */

/** @type {Record<Product, Partial<Record<Reason, number>>>} */
const CODES = {
	'premium-listings': {
		unreadable: 1_011_001,
		shape: 1_011_904,
		twoIds: 1_011_065,
		query: 1_011_017,
		details: 1_011_009,
		highlights: 1_011_905,
		missing: 1_011_011,
		unmatched: 1_011_061,
		pending: 1_011_003,
		active: 1_011_004,
		inactive: 1_011_043,
		inFlight: 1_011_044,
		access: 1_011_901,
	},
	'weekly-featured-properties': {
		unreadable: 2_011_001,
		shape: 2_011_003,
		twoIds: 2_011_003,
		query: 2_011_003,
		details: 2_011_010,
		missing: 2_011_011,
		unmatched: 2_011_011,
		pending: 2_011_004,
		active: 2_011_005,
	},
};

/** A refusal whose code depends on the product. */
class Refused extends Error {
	/**
	 * @param {number} status
	 * @param {string} message
	 * @param {Reason} [reason]
	 */
	constructor(status, message, reason) {
		super(message);
		this.status = status;
		this.reason = reason;
	}

	/** @param {Product} product */
	answer(product) {
		const code = this.reason && CODES[product][this.reason];
		return productsError(this.status, this.message, code);
	}
}

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
		try {
			return this.#answer(product, id, call, client);
		} catch (error) {
			throw error instanceof Refused ? new Refusal(error.answer(product)) : error;
		}
	}

	/**
	 * @param {Product} product
	 * @param {string | undefined} id
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	#answer(product, id, call, client) {
		if (id === undefined && call.method === 'GET') return this.#list(product, call.query);
		if (call.search !== '') throw invalid('no parameters here');
		if (id === undefined && call.method === 'POST') return this.#activate(product, call, client);
		if (id !== undefined && call.method === 'GET') return this.#get(product, id);
		if (id !== undefined && call.method === 'PATCH' && product === 'premium-listings') {
			return this.#update(product, id, call, client);
		}
		throw new Refused(405, 'The method is not allowed here');
	}

	/**
	 * @param {Product} product
	 * @param {Call} call
	 * @param {Client} client
	 * @returns {Answer}
	 */
	#activate(product, call, client) {
		const request = readActivation(product, readBody(call), this.#finder());
		const current = this.products.current(product, request.listingId);
		if (current !== undefined) return this.#duplicate(current, call);
		const made = this.products.activate(product, request, client.clientId);
		return json(202, made, { Location: this.#location(product, made.id, call) });
	}

	/**
	 * A 303 brings the activation for one product, and errors for the other.
	 *
	 * @param {ActivationRecord} current
	 * @param {Call} call
	 * @returns {Answer}
	 */
	#duplicate({ product, shown }, call) {
		const pending = shown.status.result === 'PENDING';
		const reason = `The listing has a ${pending ? 'pending' : 'current'} activation`;
		const refused = new Refused(400, reason, pending ? 'pending' : 'active');
		if (this.products.behaviour.duplicates === 'refuse') throw refused;
		const body = product === 'premium-listings' ? shown : errorsOf(refused, product);
		return json(303, body, { Location: this.#location(product, shown.id, call) });
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @param {Call} call
	 */
	#location(product, id, call) {
		const products = this.products.behaviour.location === 'full' ? '/products' : '';
		return `http://${call.headers.host}${this.base}${products}/${product}/${id}`;
	}

	/** @returns {(customerListingId: string) => number} the listing that goes by the customer's id */
	#finder() {
		const { unknownListings } = this.products.behaviour;
		return (customerListingId) => {
			if (!unknownListings.includes(customerListingId)) return listingOf(customerListingId);
			throw new Refused(400, 'No listing goes by this customerListingId', 'unmatched');
		};
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
			throw new Refused(403, 'The activation is not of this client', 'access');
		}
		const highlights = readUpdate(readBody(call));
		const { result, currently } = record.shown.status;
		if (result !== 'ACTIVATED') {
			throw new Refused(409, 'The activation is not active', 'inactive');
		}
		if (currently === 'WAITING_FOR_UPDATE') {
			throw new Refused(409, 'An update is in flight', 'inFlight');
		}
		this.products.update(record, highlights);
		const isArray = this.products.behaviour.updateAnswer === 'array';
		return json(202, isArray ? [record.shown] : record.shown);
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @returns {ActivationRecord}
	 */
	#record(product, id) {
		const record = this.products.find(product, id);
		if (record === undefined) throw new Refused(404, 'No such activation', 'missing');
		return record;
	}

	/**
	 * @param {Product} product
	 * @param {URLSearchParams} query
	 * @returns {Answer}
	 */
	#list(product, query) {
		requireSingle(product, query);
		const listing = readListingFilter(query, this.#finder());
		const from = readDate(product, query, 'date_from') ?? -Infinity;
		const to = readDate(product, query, 'date_to') ?? Infinity;
		const activeOnly = query.has('isPremium') || query.has('isWFP');
		const found = this.products.list(product).filter(({ shown }) => {
			const created = Date.parse(shown.createdAt);
			const asked = listing === undefined || listing === shown.listingId;
			const active = !activeOnly || shown.status.result === 'ACTIVATED';
			return asked && active && created >= from && created <= to;
		});
		return json(
			200,
			found.map((record) => record.shown),
		);
	}
}

/**
 * @param {Refused} refused
 * @param {Product} product
 */
function errorsOf(refused, product) {
	return { errors: [{ reason: refused.message, code: CODES[product][refused.reason ?? 'shape'] }] };
}

/**
 * @param {string} message
 * @param {Reason} [reason]
 */
function invalid(message, reason = 'shape') {
	return new Refused(400, message, reason);
}

/**
 * @param {Call} call
 * @returns {Record<string, unknown>}
 */
function readBody(call) {
	if (call.bodyTooLarge) throw new Refused(413, 'The body is too large', 'details');
	if (!isType(call.headers['content-type'], 'application/json')) {
		throw invalid('The body is JSON', 'unreadable');
	}
	const body = parsed(call.body);
	if (!isRecord(body)) throw invalid('The body is not a JSON object', 'unreadable');
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
 * @param {(customerListingId: string) => number} find
 * @returns {ActivationRequest}
 */
function readActivation(product, body, find) {
	const premium = product === 'premium-listings';
	const fields = ['listingId', 'customerListingId', 'customDetails'];
	requireOnly(body, premium ? [...fields, 'highlights'] : fields);
	return {
		listingId: readListing(body, find),
		customDetails: readDetails(body.customDetails),
		highlights: body.highlights === undefined ? undefined : readHighlights(body.highlights),
	};
}

/**
 * @param {Record<string, unknown>} body
 * @param {(customerListingId: string) => number} find
 * @returns {number}
 */
function readListing({ listingId, customerListingId }, find) {
	if (listingId !== undefined && customerListingId !== undefined) {
		throw invalid('Not both of listingId and customerListingId', 'twoIds');
	}
	if (customerListingId === undefined) {
		if (typeof listingId === 'number' && Number.isSafeInteger(listingId) && listingId > 0) {
			return listingId;
		}
		throw invalid('listingId is a number, or there is a customerListingId');
	}
	if (typeof customerListingId !== 'string' || customerListingId.trim() === '') {
		throw invalid('customerListingId is a string');
	}
	return find(customerListingId);
}

/**
 * @param {unknown} details
 * @returns {Record<string, unknown> | undefined}
 */
function readDetails(details) {
	if (details === undefined) return undefined;
	if (!isRecord(details)) throw invalid('customDetails is an object');
	if (Buffer.byteLength(JSON.stringify(details)) > LARGEST_DETAILS) {
		throw new Refused(413, 'customDetails is larger than 640 kB', 'details');
	}
	return details;
}

/**
 * @param {unknown} value
 * @returns {Highlight[]}
 */
function readHighlights(value) {
	if (!Array.isArray(value)) throw invalid('highlights is an array', 'highlights');
	return value.map(readHighlight);
}

/**
 * @param {unknown} value
 * @returns {Highlight}
 */
function readHighlight(value) {
	if (!isRecord(value)) throw invalid('A highlight is an object', 'highlights');
	requireOnly(value, ['id', 'description']);
	const { id, description } = value;
	if (typeof id !== 'number' || !Number.isInteger(id)) {
		throw invalid('The id of a highlight is an integer', 'highlights');
	}
	if (description === undefined) return { id };
	if (typeof description !== 'string') {
		throw invalid('The description of a highlight is a string', 'highlights');
	}
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

/**
 * @param {Product} product
 * @param {URLSearchParams} query
 */
function requireSingle(product, query) {
	for (const [name, value] of query) {
		if (!LIST_PARAMETERS[product].includes(name))
			throw invalid(`Unknown parameter ${name}`, 'query');
		if (value === '' || query.getAll(name).length > 1)
			throw invalid(`${name} has one value`, 'query');
		if (name.startsWith('is') && value !== 'true') throw invalid(`${name} is true`, 'query');
	}
}

/**
 * @param {URLSearchParams} query
 * @param {(customerListingId: string) => number} find
 * @returns {number | undefined} the listing that an activation has to be of
 */
function readListingFilter(query, find) {
	const listingId = query.get('listingId');
	const customerListingId = query.get('customerListingId');
	if (listingId !== null && customerListingId !== null) {
		throw invalid('Not both of listingId and customerListingId', 'twoIds');
	}
	if (customerListingId !== null) return find(customerListingId);
	if (listingId === null) return undefined;
	if (!/^\d{1,15}$/.test(listingId)) throw invalid('listingId is a number', 'query');
	return Number(listingId);
}

/**
 * One product has times, the other days.
 *
 * @param {Product} product
 * @param {URLSearchParams} query
 * @param {string} name
 * @returns {number | undefined} epoch milliseconds
 */
function readDate(product, query, name) {
	const text = query.get(name);
	if (text === null) return undefined;
	const form = product === 'premium-listings' ? TIME : DAY;
	const time = form.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(time)) throw invalid(`${name} is not a date as it is wanted here`, 'query');
	return time;
}

module.exports = { ProductsApi };
