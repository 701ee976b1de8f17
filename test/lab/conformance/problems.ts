import type { IncomingHttpHeaders } from 'node:http';

import mapValues from 'lodash/mapValues';
import pick from 'lodash/pick';

import { jsonIn } from '../values';
import { findOperation, pathValues } from './operations';
import type { Api, DocumentedAnswer, Mode } from './schemas';
import { CONTRACTS, schemaProblems, TOKENS } from './schemas';

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

/** The body of a refusal that the operation itself does not document. */
const REFUSALS = mapValues(CONTRACTS, ({ components: { schemas } }) => ({
	anyOf: Object.values(pick(schemas, 'Errors', 'Problem', 'ErrorList')),
}));

/** @returns what is wrong with a request for data, by the contract; secrets are never repeated */
export function requestProblems(api: Api, request: Request): string[] {
	const operation = findOperation(api, request);
	if (operation === undefined) return [`${request.method} ${request.path}: no such operation`];
	const { query, headers, body, path } = request;
	const sent = {
		path: pathValues(operation.template, path),
		query: valuesOf(query),
		header: { ...headers },
	};
	const { 'x-at-most-one': alternatives = [], requestBody } = operation;
	const together = alternatives.filter((name) => query.has(name));
	return [
		...schemaProblems(operation.sent, sent, 'spelled'),
		...(together.length > 1 ? [`query ${together.join(', ')}: one of them at most`] : []),
		...(requestBody === undefined && body !== '' ? ['body: none is taken'] : []),
		...(requestBody
			? bodyProblems(requestBody.content, headers['content-type'], body, 'closed')
			: []),
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
	answer: Answer,
	mode: Mode,
): string[] {
	const operation = findOperation(api, request);
	if (operation === undefined) return [];
	const { status, body } = answer;
	const documented = operation.responses[status];
	if (!documented?.content && documented && (mode === 'open' || body === '')) return [];
	if (documented?.description.includes('without a body'))
		return [`body: ${status} comes without one`];
	const content = { [JSON_TYPE]: { schema: REFUSALS[api] } };
	return documentedProblems(documented && { content, ...documented }, answer, mode);
}

/**
 * @param api whose endpoint, and so which of the forms A (products), B (leads), C (inventory)
 * @returns what is wrong; the values of the form are never repeated
 */
export function tokenProblems(api: Api, { method, query, headers, body }: Request): string[] {
	const { authorization, 'content-type': type } = headers;
	const form = valuesOf(new URLSearchParams(body));
	const sent = { method, query: valuesOf(query), authorization, body, form };
	const parts = { ...sent, type: mediaType(type), pair: basicIn(authorization) };
	return schemaProblems(TOKENS.requests[api], parts, 'closed');
}

/** @returns the client's ID and secret with a colon between them, if they are in a Basic header */
export function basicIn(authorization = ''): string | undefined {
	const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
	return encoded && Buffer.from(encoded, 'base64').toString('utf8');
}

/** @param answer of a token endpoint */
export function tokenAnswerProblems(answer: Answer): string[] {
	return documentedProblems(TOKENS.answers[answer.status], answer, 'open');
}

/** @returns each name with its values */
export function valuesOf(query: URLSearchParams): Record<string, string[]> {
	return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
}

function documentedProblems(
	documented: DocumentedAnswer | undefined,
	{ status, headers, body }: Answer,
	mode: Mode,
): string[] {
	if (documented === undefined) return [`status ${status}: not documented`];
	const type = new Headers(headers).get('content-type') ?? '';
	return bodyProblems(documented.content ?? {}, type, body, mode);
}

function bodyProblems(
	content: NonNullable<DocumentedAnswer['content']>,
	type: string | undefined,
	body: string,
	mode: Mode,
): string[] {
	const { schema } = content[mediaType(type)] ?? {};
	if (schema === undefined)
		return [`content-type: ${type}, not ${Object.keys(content).join(', ')}`];
	const value = jsonIn(body);
	if (value === undefined) return ['body: no JSON'];
	return schemaProblems(schema, value, mode).map((problem) => `body: ${problem}`);
}

/** @returns without its parameters, in lower case */
function mediaType(type = ''): string {
	return type.replace(/;.*/, '').trim().toLowerCase();
}
