// @ts-check
const { CONTRACTS, MODES, Schemas, isRecord } = require('./conformanceSchemas');
const {
	REFUSAL_SCHEMA,
	TOKEN_SCHEMA,
	mediaType,
	tokenRequestProblems,
} = require('./conformanceTokens');

/** @typedef {import('./conformanceSchemas').Api} Api */
/** @typedef {import('./conformanceSchemas').Mode} Mode */

/**
 * @typedef {object} Request
 * @property {string} method in capitals
 * @property {string} path below the base address, as it is sent: encoded, without the query; of a token request it is not looked at
 * @property {Iterable<[string, string]>} query names and values in their order, decoded
 * @property {Record<string, string | string[] | undefined>} headers names in any case
 * @property {string} body
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Record<string, string | string[] | undefined>} headers names in any case
 * @property {string} body
 */

/**
 * @typedef {object} Operation
 * @property {Api} api
 * @property {string} id
 * @property {string} method in capitals
 * @property {string} template the path with its parameters in braces
 * @property {Parameter[]} parameters
 * @property {string[]} atMostOne names of query parameters that exclude each other
 * @property {Record<string, unknown> | undefined} body the schema of the JSON that is sent
 * @property {Map<number, Documented>} answers by status
 */

/** @typedef {{ name: string, in: 'query' | 'path' | 'header', required: boolean, schema: Record<string, unknown> }} Parameter */
/** @typedef {{ bare: boolean, content: Record<string, unknown> | undefined }} Documented `bare`: there is no body; no content: nobody says which */

const API_NAMES = /** @type {Api[]} */ (Object.keys(CONTRACTS));
const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The shapes of a refusal whose body the operation itself does not document. */
const REFUSALS = {
	leads: [{ $ref: '#/components/schemas/Errors' }],
	products: [{ $ref: '#/components/schemas/Errors' }],
	inventory: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/ErrorList' }],
};

const schemas = new Schemas();
const operations = API_NAMES.flatMap((api) => operationsOf(api));

/**
 * @param {Api} api
 * @param {Request} request
 * @returns {string[]} what is wrong with a request for data, by the contract; secrets are never told
 */
function requestProblems(api, request) {
	const operation = findOperation(api, request);
	if (operation === undefined) return [`${request.method} ${request.path}: no such operation`];
	return [
		...authorizationProblems(request),
		...headerProblems(operation, request),
		...pathProblems(operation, request),
		...queryProblems(operation, [...request.query]),
		...bodyProblems(operation, request),
	];
}

/**
 * @param {Api} api
 * @param {{ method: string, path: string }} request what was asked
 * @param {Answer} answer
 * @param {Mode} mode `closed` for a tame sandbox, `open` for a real service
 * @returns {string[]} what is wrong with the answer; one to a request for nothing known cannot be judged
 */
function answerProblems(api, request, answer, mode) {
	const operation = findOperation(api, request);
	if (operation === undefined) return [];
	const documented = operation.answers.get(answer.status);
	if (documented === undefined)
		return [`status ${answer.status}: not documented for ${operation.id}`];
	if (documented.content !== undefined)
		return contentProblems(api, documented.content, answer, mode);
	return mode === 'closed' ? undocumentedProblems(api, documented, answer) : [];
}

/**
 * @param {Api} api whose endpoint, and so which of the forms A (products), B (leads), C (inventory)
 * @param {Request} request
 * @returns {string[]}
 */
function tokenProblems(api, request) {
	return tokenRequestProblems(api, request, (name) => header(request.headers, name));
}

/**
 * @param {Answer} answer of a token endpoint
 * @returns {string[]}
 */
function tokenAnswerProblems(answer) {
	const schema = answer.status === 200 ? TOKEN_SCHEMA : REFUSAL_SCHEMA;
	if (![200, 400, 401, 403].includes(answer.status))
		return [`status ${answer.status}: not documented`];
	const type = mediaType(header(answer.headers, 'content-type'));
	if (type !== 'application/json') return [`content-type: ${type}, not application/json`];
	return jsonProblems(answer.body, (value) => schemas.problems('leads', schema, value, 'open'));
}

/**
 * @param {Api} api
 * @param {{ method: string, path: string }} request
 * @returns {Operation | undefined} the one whose path has the fewest parameters
 */
function findOperation(api, { method, path }) {
	return operations
		.filter((each) => each.api === api && each.method === method && pathValues(each.template, path))
		.sort((one, other) => one.template.split('{').length - other.template.split('{').length)[0];
}

/**
 * @param {string} template
 * @param {string} path
 * @returns {Record<string, string> | undefined} the parameters in the path, decoded
 */
function pathValues(template, path) {
	const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
	const match = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
	if (match === null) return undefined;
	return Object.fromEntries(names.map((name, index) => [name, decoded(match[index + 1] ?? '')]));
}

/** @param {string} text */
function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** @param {Request} request */
function authorizationProblems({ headers }) {
	const fits = /^Bearer [\x21-\x7e]+$/.test(header(headers, 'authorization') ?? '');
	return fits ? [] : ['header Authorization: not Bearer with a token'];
}

/**
 * @param {Operation} operation
 * @param {Request} request
 */
function headerProblems({ api, parameters }, { headers }) {
	return parameters
		.filter((parameter) => parameter.in === 'header')
		.flatMap(({ name, required, schema }) => {
			const value = header(headers, name);
			if (value === undefined) return required ? [`header ${name}: missing`] : [];
			if (name === 'AgencyRef' && !GUID.test(value)) return [`header ${name}: not a GUID`];
			return valueProblems(api, `header ${name}`, schema, [value]);
		});
}

/**
 * @param {Operation} operation
 * @param {Request} request
 */
function pathProblems({ api, template, parameters }, { path }) {
	const values = pathValues(template, path) ?? {};
	return parameters
		.filter((parameter) => parameter.in === 'path')
		.flatMap(({ name, schema }) =>
			valueProblems(api, `path ${name}`, schema, [values[name] ?? '']),
		);
}

/**
 * @param {Operation} operation
 * @param {[string, string][]} query
 */
function queryProblems({ api, parameters, atMostOne }, query) {
	const known = parameters.filter((parameter) => parameter.in === 'query');
	const sent = new Set(query.map(([name]) => name));
	const unknown = [...sent].filter((name) => known.every((parameter) => parameter.name !== name));
	const together = atMostOne.filter((name) => sent.has(name));
	return [
		...unknown.map((name) => `query ${name}: unknown`),
		...(together.length > 1 ? [`query ${together.join(', ')}: one of them at most`] : []),
		...known.flatMap(({ name, required, schema }) => {
			const values = query.filter(([given]) => given === name).map(([, value]) => value);
			if (values.length === 0) return required ? [`query ${name}: missing`] : [];
			return valueProblems(api, `query ${name}`, schema, values);
		}),
	];
}

/**
 * @param {Api} api
 * @param {string} place
 * @param {Record<string, unknown>} schema
 * @param {string[]} values
 */
function valueProblems(api, place, schema, values) {
	const isList = schema.type === 'array';
	if (!isList && values.length > 1) return [`${place}: more than once`];
	const value = isList
		? values.map((each) => typed(api, schema.items, each))
		: typed(api, schema, values[0] ?? '');
	return schemas.problems(api, schema, value, 'closed').map((problem) => `${place}: ${problem}`);
}

/**
 * @param {Api} api
 * @param {unknown} schema
 * @param {string} text
 * @returns {unknown} the text as the type that the schema asks for, if it spells one
 */
function typed(api, schema, text) {
	const { type } = resolved(api, schema);
	if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
	if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
	if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	return text;
}

/**
 * @param {Operation} operation
 * @param {Request} request
 */
function bodyProblems({ api, body }, request) {
	if (body === undefined) return request.body === '' ? [] : ['body: none is taken'];
	const type = mediaType(header(request.headers, 'content-type'));
	if (type !== 'application/json') return [`body: content-type ${type}, not application/json`];
	return jsonProblems(request.body, (value) => schemas.problems(api, body, value, 'closed'));
}

/**
 * @param {Api} api
 * @param {Record<string, unknown>} content by media type
 * @param {Answer} answer
 * @param {Mode} mode
 */
function contentProblems(api, content, answer, mode) {
	const type = mediaType(header(answer.headers, 'content-type'));
	const documented = content[type];
	if (!isRecord(documented))
		return [`content-type: ${type}, not ${Object.keys(content).join(', ')}`];
	return jsonProblems(answer.body, (value) =>
		schemas.problems(api, documented.schema, value, mode),
	);
}

/**
 * @param {Api} api
 * @param {Documented} documented
 * @param {Answer} answer
 */
function undocumentedProblems(api, { bare }, answer) {
	if (answer.body === '') return [];
	if (bare) return [`body: ${answer.status} comes without one`];
	const type = mediaType(header(answer.headers, 'content-type'));
	if (type !== 'application/json') return [`content-type: ${type}, not application/json`];
	return jsonProblems(answer.body, (value) => {
		const tries = REFUSALS[api].map((schema) => schemas.problems(api, schema, value, 'closed'));
		return tries.some((problems) => problems.length === 0) ? [] : (tries[0] ?? []);
	});
}

/**
 * @param {string} text
 * @param {(value: unknown) => string[]} check
 */
function jsonProblems(text, check) {
	/** @type {unknown} */
	let value;
	try {
		value = JSON.parse(text);
	} catch {
		return ['body: no JSON'];
	}
	return check(value).map((problem) => `body: ${problem}`);
}

/**
 * @param {Record<string, string | string[] | undefined>} headers
 * @param {string} wanted
 * @returns {string | undefined}
 */
function header(headers, wanted) {
	const found = Object.entries(headers).find(
		([name]) => name.toLowerCase() === wanted.toLowerCase(),
	);
	const value = found?.[1];
	return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * @param {Api} api
 * @returns {Operation[]}
 */
function operationsOf(api) {
	return Object.entries(recordOf(CONTRACTS[api].paths)).flatMap(([template, item]) => {
		const path = recordOf(item);
		return METHODS.filter((method) => method in path).map((method) =>
			readOperation(api, template, method, path),
		);
	});
}

/**
 * @param {Api} api
 * @param {string} template
 * @param {string} method
 * @param {Record<string, unknown>} path
 * @returns {Operation}
 */
function readOperation(api, template, method, path) {
	const operation = recordOf(path[method]);
	const parameters = [...listOf(path.parameters), ...listOf(operation.parameters)];
	const json = recordOf(recordOf(recordOf(operation.requestBody).content)['application/json']);
	return {
		api,
		id: String(operation.operationId),
		method: method.toUpperCase(),
		template,
		parameters: parameters.map((parameter) => readParameter(resolved(api, parameter))),
		atMostOne: listOf(operation['x-at-most-one']).map(String),
		body: isRecord(json.schema) ? json.schema : undefined,
		answers: readAnswers(api, recordOf(operation.responses)),
	};
}

/**
 * @param {Record<string, unknown>} parameter
 * @returns {Parameter}
 */
function readParameter({ name, in: place, required, schema }) {
	if (place !== 'query' && place !== 'path' && place !== 'header')
		throw new Error(`a parameter in ${String(place)}`);
	return { name: String(name), in: place, required: required === true, schema: recordOf(schema) };
}

/**
 * @param {Api} api
 * @param {Record<string, unknown>} responses
 * @returns {Map<number, Documented>} with those that any operation of the API may answer
 */
function readAnswers(api, responses) {
	const everywhere = everywhereOf(api).map(
		(status) => /** @type {const} */ ([status, { bare: false, content: undefined }]),
	);
	const own = Object.entries(responses).map(([status, response]) => {
		const { content, description } = resolved(api, response);
		const bare = String(description).includes('without a body');
		return /** @type {const} */ ([
			Number(status),
			{ bare, content: isRecord(content) ? content : undefined },
		]);
	});
	return new Map([...everywhere, ...own]);
}

/**
 * @param {Api} api
 * @returns {number[]} the statuses that its facts name for all operations, alone or as "401or403"
 */
function everywhereOf(api) {
	const facts = recordOf(CONTRACTS[api]['x-facts']);
	const keys = Object.keys(recordOf(facts.everywhere ?? facts.statuses));
	return keys.flatMap((key) => (key.match(/\d{3}/g) ?? []).map(Number));
}

/**
 * @param {Api} api
 * @param {unknown} part perhaps a reference
 * @returns {Record<string, unknown>} what it refers to
 */
function resolved(api, part) {
	const { $ref: reference } = recordOf(part);
	if (typeof reference !== 'string') return recordOf(part);
	const target = reference
		.replace('#/', '')
		.split('/')
		.reduce((/** @type {unknown} */ whole, name) => recordOf(whole)[name], CONTRACTS[api]);
	return resolved(api, target);
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>} itself, or none
 */
function recordOf(value) {
	return isRecord(value) ? value : {};
}

/**
 * @param {unknown} value
 * @returns {unknown[]} itself, or none
 */
function listOf(value) {
	return Array.isArray(value) ? value : [];
}

/**
 * @param {Api} api
 * @param {string} name of a schema in the components
 * @param {unknown} value
 * @param {Mode} mode
 * @returns {string[]} what is wrong with one record
 */
function recordProblems(api, name, value, mode) {
	return schemas.problems(api, { $ref: `#/components/schemas/${name}` }, value, mode);
}

module.exports = {
	MODES,
	answerProblems,
	findOperation,
	operations,
	recordProblems,
	requestProblems,
	tokenAnswerProblems,
	tokenProblems,
};
