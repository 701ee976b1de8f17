import type { IncomingHttpHeaders } from 'node:http';

import isEqual from 'lodash/isEqual';

import { isRecord, jsonIn } from '../values';
import { findOperation, pathValues } from './operations';
import type { Api, Mode } from './schemas';
import { schemaProblems } from './schemas';

export interface Request {
	/** In capitals. */
	method: string;
	/** Below the base address, as it is sent: encoded, without the query; of a token request it is not looked at. */
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Answer {
	status: number;
	headers?: Record<string, string>;
	body: string;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The shapes of a refusal whose body the operation itself does not document. */
const ERRORS = { $ref: '#/components/schemas/Errors' };
const REFUSALS = {
	leads: ERRORS,
	products: ERRORS,
	inventory: {
		anyOf: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/ErrorList' }],
	},
};

/**
 * The three forms of a token request, which the contracts describe in words: whether the client's ID and secret are in a
 * Basic header, and exactly which fields the form has.
 */
const FORMS: Record<Api, { basic: boolean; fields: string[] }> = {
	products: { basic: true, fields: ['grant_type', 'scope'] },
	leads: { basic: false, fields: ['audience', 'client_id', 'client_secret', 'grant_type'] },
	inventory: { basic: true, fields: ['grant_type'] },
};

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

/** @returns what is wrong with a request for data, by the contract; secrets are never repeated */
export function requestProblems(api: Api, request: Request): string[] {
	const operation = findOperation(api, request);
	if (operation === undefined) return [`${request.method} ${request.path}: no such operation`];
	const { query, headers, body, path } = request;
	const sent = {
		path: pathValues(operation.template, path),
		query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
		header: { ...headers },
	};
	const together = operation.atMostOne.filter((name) => query.has(name));
	return [
		...schemaProblems(api, operation.parameters, sent, 'spelled'),
		...(together.length > 1 ? [`query ${together.join(', ')}: one of them at most`] : []),
		...(operation.body === undefined
			? [body === '' ? [] : 'body: none is taken'].flat()
			: jsonProblems(api, operation.body, headers['content-type'], body, 'closed')),
	];
}

/**
 * @param request what was asked
 * @param mode `closed` for a tame sandbox, `open` for a real service
 * @returns what is wrong with the answer; nothing if the operation is unknown, since it cannot be judged
 */
export function answerProblems(
	api: Api,
	request: { method: string; path: string },
	{ status, headers = {}, body }: Answer,
	mode: Mode,
): string[] {
	const operation = findOperation(api, request);
	if (operation === undefined) return [];
	const documented = operation.answers.get(status);
	if (documented === undefined) return [`status ${status}: not documented for ${operation.id}`];
	const { bare, content } = documented;
	const type = contentType(headers);
	if (content !== undefined) {
		const media = content[mediaType(type)];
		if (!isRecord(media)) return [`content-type: ${type}, not ${Object.keys(content).join(', ')}`];
		return jsonProblems(api, media.schema, JSON_TYPE, body, mode);
	}
	if (mode === 'open' || body === '') return [];
	if (bare) return [`body: ${status} comes without one`];
	return jsonProblems(api, REFUSALS[api], type, body, mode);
}

/**
 * @param api whose endpoint, and so which of the forms A (products), B (leads), C (inventory)
 * @returns what is wrong; the values of the form are never repeated
 */
export function tokenProblems(api: Api, { method, query, headers, body }: Request): string[] {
	const { basic, fields } = FORMS[api];
	const sent = new URLSearchParams(body);
	const names = [...sent.keys()].filter((name) => sent.get(name) !== '').sort();
	const { authorization, 'content-type': type } = headers;
	const rules: Array<[isKept: boolean, problem: string]> = [
		[method === 'POST', `method ${method}: a token is asked for with POST`],
		[query.size === 0, 'query: the form is the body'],
		[mediaType(type) === FORM_TYPE, `content-type: not ${FORM_TYPE}`],
		// URLSearchParams accepts a bare % and so hides that a secret was not encoded.
		[/^(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/.test(body), 'body: not a form'],
		[basic || authorization === undefined, 'authorization: id and secret are in the form'],
		[!basic || isPair(authorization), 'authorization: not Basic with id and secret'],
		[isEqual(names, fields), `fields: ${names.join()}; not ${fields.join()}`],
		[sent.get('grant_type') === 'client_credentials', 'grant_type: not client_credentials'],
	];
	return rules.filter(([isKept]) => !isKept).map(([, problem]) => problem);
}

/** @param answer of a token endpoint */
export function tokenAnswerProblems({ status, headers = {}, body }: Answer): string[] {
	if (![200, 400, 401, 403].includes(status)) return [`status ${status}: not documented`];
	const schema = status === 200 ? TOKEN_SCHEMA : REFUSAL_SCHEMA;
	return jsonProblems('leads', schema, contentType(headers), body, 'open');
}

function jsonProblems(
	api: Api,
	schema: unknown,
	type: string | undefined,
	body: string,
	mode: Mode,
): string[] {
	if (mediaType(type) !== JSON_TYPE) return [`content-type: ${type}, not ${JSON_TYPE}`];
	const value = jsonIn(body);
	if (value === undefined) return ['body: no JSON'];
	return schemaProblems(api, schema, value, mode).map((problem) => `body: ${problem}`);
}

function contentType(headers: Record<string, string>): string {
	return new Headers(headers).get('content-type') ?? '';
}

/** @returns without its parameters, in lower case */
function mediaType(type = ''): string {
	return (type.split(';')[0] ?? '').trim().toLowerCase();
}

function isPair(authorization = ''): boolean {
	const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization)?.[1] ?? '';
	return /^[^:]+:./s.test(Buffer.from(encoded, 'base64').toString('utf8'));
}
