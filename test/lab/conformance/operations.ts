import { isRecord } from '../values';
import type { Api } from './schemas';
import { APIS, CONTRACTS } from './schemas';

type Schema = Record<string, unknown>;

export interface Operation {
	api: Api;
	id: string;
	/** In capitals. */
	method: string;
	/** The path with its parameters in braces. */
	template: string;
	/** Of an object with the values of the parameters in `path`, `query` and `header` (names in lower case). */
	parameters: Schema;
	/** Names of query parameters that exclude each other. */
	atMostOne: string[];
	/** The schema of the JSON that is sent. */
	body: Schema | undefined;
	/** By status. `bare`: there is no body. `content` is undefined: the contract does not say which. */
	answers: Map<number, { bare: boolean; content: Schema | undefined }>;
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];
const AUTHORIZATION = { type: 'string', pattern: '^Bearer [\\x21-\\x7e]+$' };

export const OPERATIONS = APIS.flatMap((api) =>
	Object.entries(recordOf(CONTRACTS[api].paths)).flatMap(([template, item]) => {
		const path = recordOf(item);
		const methods = METHODS.filter((method) => method in path);
		return methods.map((method) => readOperation(api, template, method, path));
	}),
);

/** @returns the one whose path has the fewest parameters */
export function findOperation(
	api: Api,
	{ method, path }: { method: string; path: string },
): Operation | undefined {
	return OPERATIONS.filter(
		(each) => each.api === api && each.method === method && pathValues(each.template, path),
	).sort((one, other) => one.template.split('{').length - other.template.split('{').length)[0];
}

/** @returns the parameters in the path, decoded */
export function pathValues(template: string, path: string): Record<string, string> | undefined {
	const pattern = template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
	const match = new RegExp(`^${pattern}$`).exec(path);
	if (match === null) return undefined;
	return Object.fromEntries(
		Object.entries(match.groups ?? {}).map(([name, text]) => [name, decoded(text)]),
	);
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function readOperation(api: Api, template: string, method: string, path: Schema): Operation {
	const operation = recordOf(path[method]);
	const json = recordOf(recordOf(recordOf(operation.requestBody).content)['application/json']);
	const parameters = [...listOf(path.parameters), ...listOf(operation.parameters)];
	return {
		api,
		id: String(operation.operationId),
		method: method.toUpperCase(),
		template,
		parameters: schemaOf(parameters.map((parameter) => resolved(api, parameter))),
		atMostOne: listOf(operation['x-at-most-one']).map(String),
		body: isRecord(json.schema) ? json.schema : undefined,
		answers: readAnswers(api, recordOf(operation.responses)),
	};
}

function schemaOf(parameters: Schema[]): Schema {
	const group = (place: string) => {
		const here = parameters.filter((parameter) => parameter.in === place);
		const named = here.map(({ name, ...rest }) => ({ ...rest, name: nameOf(place, name) }));
		const required = named.filter((parameter) => 'required' in parameter && parameter.required);
		return {
			type: 'object',
			properties: Object.fromEntries(
				named.map((each) => [each.name, 'schema' in each ? each.schema : {}]),
			),
			required: required.map(({ name }) => name),
		};
	};
	const { properties, required } = group('header');
	const header = {
		properties: { ...properties, authorization: AUTHORIZATION },
		required: [...required, 'authorization'],
	};
	return { properties: { path: group('path'), query: group('query'), header } };
}

function nameOf(place: string, name: unknown): string {
	return place === 'header' ? String(name).toLowerCase() : String(name);
}

/** @returns its own statuses and those that any operation of the API may answer */
function readAnswers(api: Api, responses: Schema): Operation['answers'] {
	const facts = recordOf(CONTRACTS[api]['x-facts']);
	// They are named alone or as "401or403".
	const everywhere = Object.keys(recordOf(facts.everywhere ?? facts.statuses))
		.flatMap((key) => key.match(/\d{3}/g) ?? [])
		.map((status) => [Number(status), { bare: false, content: undefined }] as const);
	const own = Object.entries(responses).map(([status, response]) => {
		const { content, description } = resolved(api, response);
		const bare = String(description).includes('without a body');
		return [Number(status), { bare, content: isRecord(content) ? content : undefined }] as const;
	});
	return new Map([...everywhere, ...own]);
}

/**
 * @param part perhaps a reference
 * @returns what it refers to
 */
export function resolved(api: Api, part: unknown): Schema {
	const { $ref: reference } = recordOf(part);
	if (typeof reference !== 'string') return recordOf(part);
	const target = reference
		.replace('#/', '')
		.split('/')
		.reduce((whole: unknown, name) => recordOf(whole)[name], CONTRACTS[api]);
	return resolved(api, target);
}

/** @returns itself, or none */
function recordOf(value: unknown): Schema {
	return isRecord(value) ? value : {};
}

/** @returns itself, or none */
function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
