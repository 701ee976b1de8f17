// @ts-check
const { findOperation } = require('../conformance');
const { CONTRACTS } = require('../conformanceSchemas');
const { isRecord } = require('./http');

/** @typedef {import('./types').Integration} Integration */
/** @typedef {Record<string, unknown>} Fields */

/**
 * A value with its place in an answer.
 *
 * @typedef {object} Place
 * @property {Fields | unknown[]} holder
 * @property {string | number} key
 * @property {unknown} value
 * @property {Fields} schema of the value, references followed
 * @property {Array<string | number>} path from the top of the answer
 * @property {boolean} isRequired
 */

/**
 * @param {Integration} integration
 * @param {string} method
 * @param {string} path below the base address
 * @param {number} status
 * @returns {Fields | undefined} the schema of the body, references followed; undefined: none is documented
 */
function bodySchema(integration, method, path, status) {
	const media = fieldsAt(contentOf(integration, method, path, status), 'application/json');
	return 'schema' in media
		? followed(CONTRACTS[integration], fieldsAt(media, 'schema'))
		: undefined;
}

/**
 * @param {Integration} integration
 * @param {string} method
 * @param {string} path below the base address
 * @param {number} status
 * @returns {Fields} what is documented of the body, by media type
 */
function contentOf(integration, method, path, status) {
	return findOperation(integration, { method, path })?.answers.get(status)?.content ?? {};
}

/**
 * @param {Fields} holder
 * @param {string} name
 * @returns {Fields}
 */
function fieldsAt(holder, name) {
	const value = holder[name];
	return isRecord(value) ? value : {};
}

/**
 * What stands beside a reference narrows nothing in these documents; it only describes.
 *
 * @param {Fields} document
 * @param {Fields} schema
 * @returns {Fields}
 */
function followed(document, schema) {
	const { $ref } = schema;
	if (typeof $ref !== 'string') return schema;
	const target = $ref
		.slice(2)
		.split('/')
		.reduce((holder, name) => fieldsAt(holder, name), document);
	return followed(document, target);
}

/**
 * @param {Integration} integration
 * @param {Fields} schema
 * @param {unknown} value
 * @returns {Generator<Place>} everything below a value that the schema describes, innermost first
 */
function* places(integration, schema, value, path = /** @type {Place['path']} */ ([])) {
	const fitting = alternative(CONTRACTS[integration], schema, value);
	for (const [key, child, childSchema] of children(fitting, value)) {
		const described = alternative(CONTRACTS[integration], childSchema, child);
		const childPath = [...path, key];
		yield* places(integration, described, child, childPath);
		const { required } = fitting;
		const isRequired = Array.isArray(required) && required.includes(key);
		const holder = /** @type {Place['holder']} */ (value);
		yield { holder, key, value: child, schema: described, path: childPath, isRequired };
	}
}

/**
 * @param {Fields} schema
 * @param {unknown} value
 * @returns {Array<[string | number, unknown, Fields]>}
 */
function children(schema, value) {
	if (Array.isArray(value)) {
		const items = fieldsAt(schema, 'items');
		return value.map((child, index) => [index, child, items]);
	}
	if (!isRecord(value)) return [];
	const properties = fieldsAt(schema, 'properties');
	return Object.keys(properties)
		.filter((name) => name in value)
		.map((name) => [name, value[name], fieldsAt(properties, name)]);
}

/**
 * @param {Fields} document
 * @param {Fields} schema
 * @param {unknown} value
 * @returns {Fields} of several forms, the one that the value has
 */
function alternative(document, schema, value) {
	const whole = followed(document, schema);
	if (!Array.isArray(whole.anyOf)) return whole;
	const forms = whole.anyOf.filter(isRecord).map((form) => followed(document, form));
	return forms.find(({ type }) => type === typeOf(value)) ?? whole;
}

/** @param {unknown} value */
function typeOf(value) {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * @param {Fields} schema
 * @param {string} name
 */
function hasType({ type }, name) {
	return Array.isArray(type) ? type.includes(name) : type === name;
}

module.exports = { bodySchema, contentOf, places, hasType };
