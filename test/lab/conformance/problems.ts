import { isRecord } from '../values';
import type { Answer, Request } from './exchange';
import { header, jsonProblems, mediaType } from './exchange';
import type { Documented, Operation } from './operations';
import { findOperation, pathValues, resolved } from './operations';
import type { Api, Mode } from './schemas';
import { schemas } from './schemas';

const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The shapes of a refusal whose body the operation itself does not document. */
const REFUSALS = {
	leads: [{ $ref: '#/components/schemas/Errors' }],
	products: [{ $ref: '#/components/schemas/Errors' }],
	inventory: [{ $ref: '#/components/schemas/Problem' }, { $ref: '#/components/schemas/ErrorList' }],
};

/** @returns what is wrong with a request for data, by the contract; secrets are never repeated */
export function requestProblems(api: Api, request: Request): string[] {
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
	const documented = operation.answers.get(answer.status);
	if (documented === undefined)
		return [`status ${answer.status}: not documented for ${operation.id}`];
	if (documented.content !== undefined)
		return contentProblems(api, documented.content, answer, mode);
	return mode === 'closed' ? undocumentedProblems(api, documented, answer) : [];
}

/**
 * @param name of a schema in the components
 * @returns what is wrong with one record
 */
export function recordProblems(api: Api, name: string, value: unknown, mode: Mode): string[] {
	return schemas.problems(api, { $ref: `#/components/schemas/${name}` }, value, mode);
}

function authorizationProblems({ headers }: Request): string[] {
	const fits = /^Bearer [\x21-\x7e]+$/.test(header(headers, 'authorization') ?? '');
	return fits ? [] : ['header Authorization: not Bearer with a token'];
}

function headerProblems({ api, parameters }: Operation, { headers }: Request): string[] {
	return parameters
		.filter((parameter) => parameter.in === 'header')
		.flatMap(({ name, required, schema }) => {
			const value = header(headers, name);
			if (value === undefined) return required ? [`header ${name}: missing`] : [];
			if (name === 'AgencyRef' && !GUID.test(value)) return [`header ${name}: not a GUID`];
			return valueProblems(api, `header ${name}`, schema, [value]);
		});
}

function pathProblems({ api, template, parameters }: Operation, { path }: Request): string[] {
	const values = pathValues(template, path) ?? {};
	return parameters
		.filter((parameter) => parameter.in === 'path')
		.flatMap(({ name, schema }) =>
			valueProblems(api, `path ${name}`, schema, [values[name] ?? '']),
		);
}

function queryProblems(
	{ api, parameters, atMostOne }: Operation,
	query: [string, string][],
): string[] {
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

function valueProblems(
	api: Api,
	place: string,
	schema: Record<string, unknown>,
	values: string[],
): string[] {
	const isList = schema.type === 'array';
	if (!isList && values.length > 1) return [`${place}: more than once`];
	const value = isList
		? values.map((each) => typed(api, schema.items, each))
		: typed(api, schema, values[0] ?? '');
	return schemas.problems(api, schema, value, 'closed').map((problem) => `${place}: ${problem}`);
}

/** @returns the text as the type that the schema asks for, if it spells one */
function typed(api: Api, schema: unknown, text: string): unknown {
	const { type } = resolved(api, schema);
	if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
	if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
	if (type === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
	return text;
}

function bodyProblems({ api, body }: Operation, request: Request): string[] {
	if (body === undefined) return request.body === '' ? [] : ['body: none is taken'];
	const type = mediaType(header(request.headers, 'content-type'));
	if (type !== 'application/json') return [`body: content-type ${type}, not application/json`];
	return jsonProblems(request.body, (value) => schemas.problems(api, body, value, 'closed'));
}

/** @param content by media type */
function contentProblems(
	api: Api,
	content: Record<string, unknown>,
	answer: Answer,
	mode: Mode,
): string[] {
	const type = mediaType(header(answer.headers, 'content-type'));
	const documented = content[type];
	if (!isRecord(documented))
		return [`content-type: ${type}, not ${Object.keys(content).join(', ')}`];
	return jsonProblems(answer.body, (value) =>
		schemas.problems(api, documented.schema, value, mode),
	);
}

function undocumentedProblems(api: Api, { bare }: Documented, answer: Answer): string[] {
	if (answer.body === '') return [];
	if (bare) return [`body: ${answer.status} comes without one`];
	const type = mediaType(header(answer.headers, 'content-type'));
	if (type !== 'application/json') return [`content-type: ${type}, not application/json`];
	return jsonProblems(answer.body, (value) => {
		const tries = REFUSALS[api].map((schema) => schemas.problems(api, schema, value, 'closed'));
		return tries.some((problems) => problems.length === 0) ? [] : (tries[0] ?? []);
	});
}
