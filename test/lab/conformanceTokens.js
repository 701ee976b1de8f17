// @ts-check
const { CONTRACTS, isRecord } = require('./conformanceSchemas');

/** @typedef {import('./conformanceSchemas').Api} Api */
/** @typedef {import('./conformance').Request} Request */
/** @typedef {import('./conformance').Answer} Answer */

/**
 * The three forms, as each contract describes its own in words: who says who it is in a header,
 * and the fields of the form, no more and no fewer.
 *
 * @type {Record<Api, { form: 'A' | 'B' | 'C', basic: boolean, fields: string[] }>}
 */
const FORMS = {
	products: { form: 'A', basic: true, fields: ['grant_type', 'scope'] },
	leads: {
		form: 'B',
		basic: false,
		fields: ['grant_type', 'client_id', 'client_secret', 'audience'],
	},
	inventory: { form: 'C', basic: true, fields: ['grant_type'] },
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The body of an issued token and of a refusal: RFC 6749, 5.1 and 5.2. */
const TOKEN_SCHEMA = {
	type: 'object',
	required: ['access_token', 'expires_in', 'token_type'],
	properties: {
		access_token: { type: 'string', minLength: 1 },
		expires_in: { type: 'integer' },
		token_type: { type: 'string', pattern: '^[Bb]earer$' },
	},
};
const REFUSAL_SCHEMA = {
	type: 'object',
	required: ['error'],
	properties: { error: { type: 'string' }, error_description: { type: 'string' } },
};

/**
 * @param {Api} api
 * @param {Request} request
 * @param {(name: string) => string | undefined} header
 * @returns {string[]} what is wrong; texts of the form are never told
 */
function tokenRequestProblems(api, request, header) {
	const { form, basic, fields } = FORMS[api];
	const problems = [];
	if (request.method !== 'POST')
		problems.push(`method ${request.method}: a token is asked for with POST`);
	if ([...request.query].length > 0) problems.push('query: the form is the body');
	if (mediaType(header('content-type')) !== FORM_TYPE)
		problems.push(`content-type: not ${FORM_TYPE}`);
	problems.push(...authorizationProblems(basic, header('authorization')));
	const sent = new URLSearchParams(request.body);
	problems.push(...fieldProblems(fields, sent), ...valueProblems(api, sent));
	return problems.map((problem) => `form ${form}: ${problem}`);
}

/**
 * @param {boolean} basic
 * @param {string | undefined} authorization
 */
function authorizationProblems(basic, authorization) {
	if (!basic)
		return authorization === undefined ? [] : ['authorization: id and secret are in the form'];
	const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization ?? '')?.[1];
	const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
	return /^[^:]+:./s.test(pair) ? [] : ['authorization: not Basic with id and secret'];
}

/**
 * @param {string[]} fields
 * @param {URLSearchParams} sent
 */
function fieldProblems(fields, sent) {
	const names = new Set(sent.keys());
	return [
		...fields.filter((name) => !sent.get(name)).map((name) => `field ${name}: missing`),
		...[...names].filter((name) => !fields.includes(name)).map((name) => `field ${name}: unknown`),
		...[...names]
			.filter((name) => sent.getAll(name).length > 1)
			.map((name) => `field ${name}: more than once`),
	];
}

/**
 * @param {Api} api
 * @param {URLSearchParams} sent
 */
function valueProblems(api, sent) {
	const problems = [];
	if (sent.get('grant_type') !== 'client_credentials')
		problems.push('field grant_type: not client_credentials');
	const scope = sent.get('scope');
	if (scope !== null && !scopesOf(api).includes(scope)) problems.push('field scope: not declared');
	return problems;
}

/**
 * @param {Api} api
 * @returns {string[]}
 */
function scopesOf(api) {
	const { components } = CONTRACTS[api];
	const scopes = ['securitySchemes', 'token', 'flows', 'clientCredentials', 'scopes'].reduce(
		(part, name) => (isRecord(part) ? part[name] : undefined),
		components,
	);
	return isRecord(scopes) ? Object.keys(scopes) : [];
}

/**
 * @param {string | undefined} contentType
 * @returns {string} without its parameters, in lower case
 */
function mediaType(contentType) {
	return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

module.exports = { FORMS, REFUSAL_SCHEMA, TOKEN_SCHEMA, mediaType, tokenRequestProblems };
