// @ts-check
const { Ajv2020 } = require('ajv/dist/2020');
const { default: addFormats } = require('ajv-formats');

/** @typedef {'leads' | 'products' | 'inventory'} Api */
/**
 * `closed` is what we send and what a tame sandbox answers: the enums bind, every name is one of the contract's.
 * `open` is what the real service may answer: values of open lists and unknown fields will come.
 *
 * @typedef {'closed' | 'open'} Mode
 */
/** @typedef {Record<string, unknown>} Schema */

const MODES = /** @type {const} */ (['closed', 'open']);

/** @type {Record<Api, Schema>} */
const CONTRACTS = {
	leads: require('./contract/leads.json'),
	products: require('./contract/products.json'),
	inventory: require('./contract/inventory.json'),
};

/** The schemas of the three contracts, each as it binds in a mode. */
class Schemas {
	constructor() {
		this.ajv = { closed: createAjv('closed'), open: createAjv('open') };
		/** @type {Record<Mode, Map<string, import('ajv').ValidateFunction>>} */
		this.compiled = { closed: new Map(), open: new Map() };
	}

	/**
	 * @param {Api} api
	 * @param {unknown} schema a part of that contract, references and all
	 * @param {unknown} value
	 * @param {Mode} mode
	 * @returns {string[]} what is wrong, each with its place
	 */
	problems(api, schema, value, mode) {
		const check = this.#compile(api, schema, mode);
		if (check(value)) return [];
		return (check.errors ?? []).map(({ instancePath, message, params }) => {
			const told = Object.values(params).filter((param) => typeof param === 'string');
			return `${instancePath || 'value'} ${message} (${told.join(', ')})`;
		});
	}

	/**
	 * @param {Api} api
	 * @param {unknown} schema
	 * @param {Mode} mode
	 */
	#compile(api, schema, mode) {
		const key = `${api} ${JSON.stringify(schema)}`;
		const known = this.compiled[mode].get(key);
		if (known !== undefined) return known;
		const bound = bind(schema, api, mode);
		const check = this.ajv[mode].compile(isRecord(bound) ? bound : {});
		this.compiled[mode].set(key, check);
		return check;
	}
}

/** @param {Mode} mode */
function createAjv(mode) {
	const ajv = new Ajv2020({ strict: false, allErrors: true });
	addFormats(ajv);
	for (const api of /** @type {Api[]} */ (Object.keys(CONTRACTS))) {
		const contract = bind(CONTRACTS[api], api, mode);
		if (isRecord(contract)) ajv.addSchema(contract, api);
	}
	return ajv;
}

/**
 * @param {unknown} part of a contract
 * @param {Api} api
 * @param {Mode} mode
 * @returns {unknown} a copy whose references name their contract, and which is as strict as the mode
 */
function bind(part, api, mode) {
	if (Array.isArray(part)) return part.map((each) => bind(each, api, mode));
	if (!isRecord(part)) return part;
	const copy = Object.fromEntries(
		Object.entries(part).map(([name, value]) => [name, bind(value, api, mode)]),
	);
	if (typeof part.$ref === 'string') copy.$ref = part.$ref.replace(/^#/, `${api}#`);
	return mode === 'closed' ? closed(copy) : opened(copy);
}

/**
 * @param {Schema} schema
 * @returns {Schema}
 */
function closed(schema) {
	const { 'x-prefix': prefix, type, properties } = schema;
	if (typeof prefix === 'string') return { ...schema, pattern: `^${prefix}[A-Z]` };
	if (type !== 'object' || !isRecord(properties)) return schema;
	return { additionalProperties: false, ...schema };
}

/**
 * @param {Schema} schema
 * @returns {Schema}
 */
function opened(schema) {
	const { enum: listed, ...others } = schema;
	return listed !== undefined && schema['x-open'] !== undefined ? others : schema;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = { CONTRACTS, MODES, Schemas, isRecord };
