// @ts-check
const { isRecord } = require('./http');

/** @typedef {import('./index').Sandbox} Sandbox */
/** @typedef {import('./faults').FaultRule} FaultRule */
/** @typedef {Record<string, unknown>} Input */

const FAULT_KINDS = ['status', 'html', 'reset', 'hang', 'truncate', 'cutJson', 'latency'];

/**
 * @param {Input} input
 * @param {string} name
 * @returns {string}
 */
function text(input, name) {
	const value = input[name];
	if (typeof value !== 'string') throw new Error(`${name} is a string`);
	return value;
}

/**
 * @param {Input} input
 * @param {string} name
 * @returns {number}
 */
function whole(input, name) {
	const value = input[name];
	if (typeof value !== 'number' || !Number.isInteger(value))
		throw new Error(`${name} is an integer`);
	return value;
}

/**
 * Adds that many leads, or one that came just now.
 *
 * @param {Input} input
 * @returns {(sandbox: Sandbox) => unknown} gives the ids
 */
function parseLeads(input) {
	const { kind, count, overrides = {}, ...options } = input;
	if (kind !== 'applicant' && kind !== 'appraisal')
		throw new Error('kind is applicant or appraisal');
	if (!isRecord(overrides)) throw new Error('overrides is an object');
	if (count === undefined) {
		return (sandbox) => ({ ids: [sandbox.addLead(kind, overrides, options).id] });
	}
	const number = whole(input, 'count');
	return (sandbox) => ({
		ids: sandbox.addLeads(kind, number, { ...options, overrides }).map((lead) => lead.id),
	});
}

/**
 * @param {Input} input
 * @returns {FaultRule}
 */
function parseRule(input) {
	const { pathPattern, times, ...rest } = input;
	if (!FAULT_KINDS.includes(text(input, 'kind'))) throw new Error('kind is unknown');
	if (rest.kind === 'status') whole(input, 'status');
	if (rest.kind === 'latency') whole(input, 'ms');
	const rule = {
		...rest,
		...(pathPattern === undefined ? {} : { path: new RegExp(text(input, 'pathPattern')) }),
		...(times === undefined ? {} : { times: Number(times) }),
	};
	return /** @type {FaultRule} */ (rule);
}

/**
 * @param {Input} input
 * @returns {(sandbox: Sandbox) => void}
 */
function parseClient(input) {
	const clientId = text(input, 'clientId');
	const { clientId: _named, integration, ...patch } = input;
	return (sandbox) => {
		if (sandbox.clients.find(clientId) !== undefined) {
			sandbox.updateClient(clientId, patch);
			return;
		}
		if (integration !== 'leads' && integration !== 'products' && integration !== 'inventory') {
			throw new Error('integration is leads, products or inventory');
		}
		sandbox.addClient({
			...patch,
			integration,
			clientId,
			clientSecret: text(input, 'clientSecret'),
		});
	};
}

/**
 * @param {Input} input
 * @returns {import('./wild').WildSettings}
 */
function parseWild(input) {
	const { seed, dripMs, rate, strength, only, without, ...rest } = input;
	const [unknown] = Object.keys(rest);
	if (unknown !== undefined) throw new Error(`${unknown} is unknown`);
	if (strength !== undefined && strength !== 'allowed' && strength !== 'misbehaving') {
		throw new Error('strength is allowed or misbehaving');
	}
	if (rate !== undefined && (typeof rate !== 'number' || rate < 0 || rate > 1)) {
		throw new Error('rate is a number from 0 to 1');
	}
	return {
		...(seed !== undefined && { seed: whole(input, 'seed') }),
		...(dripMs !== undefined && { dripMs: whole(input, 'dripMs') }),
		...(rate !== undefined && { rate }),
		...(strength !== undefined && { strength }),
		...(only !== undefined && { only: texts(input, 'only') }),
		...(without !== undefined && { without: texts(input, 'without') }),
	};
}

/**
 * @param {Input} input
 * @param {string} name
 * @returns {string[]}
 */
function texts(input, name) {
	const value = input[name];
	if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
	throw new Error(`${name} is a list of strings`);
}

module.exports = { parseClient, parseLeads, parseRule, parseWild, text, whole };
