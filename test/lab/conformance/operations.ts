import { isRecord } from '../values';
import type { Api } from './schemas';
import { APIS, CONTRACTS } from './schemas';

export interface Operation {
	api: Api;
	id: string;
	/** In capitals. */
	method: string;
	/** The path with its parameters in braces. */
	template: string;
	parameters: Parameter[];
	/** Names of query parameters that exclude each other. */
	atMostOne: string[];
	/** The schema of the JSON that is sent. */
	body: Record<string, unknown> | undefined;
	/** By status. */
	answers: Map<number, Documented>;
}

type Parameter = {
	name: string;
	in: 'query' | 'path' | 'header';
	required: boolean;
	schema: Record<string, unknown>;
};
/** `bare`: there is no body. `content` is undefined: the contract does not say which. */
export type Documented = { bare: boolean; content: Record<string, unknown> | undefined };

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

export const OPERATIONS = APIS.flatMap((api) => operationsOf(api));

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
	const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
	const match = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
	if (match === null) return undefined;
	return Object.fromEntries(names.map((name, index) => [name, decoded(match[index + 1] ?? '')]));
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function operationsOf(api: Api): Operation[] {
	return Object.entries(recordOf(CONTRACTS[api].paths)).flatMap(([template, item]) => {
		const path = recordOf(item);
		return METHODS.filter((method) => method in path).map((method) =>
			readOperation(api, template, method, path),
		);
	});
}

function readOperation(
	api: Api,
	template: string,
	method: string,
	path: Record<string, unknown>,
): Operation {
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

function readParameter({ name, in: place, required, schema }: Record<string, unknown>): Parameter {
	if (place !== 'query' && place !== 'path' && place !== 'header')
		throw new Error(`a parameter in ${String(place)}`);
	return { name: String(name), in: place, required: required === true, schema: recordOf(schema) };
}

/** @returns its own statuses and those that any operation of the API may answer */
function readAnswers(api: Api, responses: Record<string, unknown>): Map<number, Documented> {
	const everywhere = everywhereOf(api).map(
		(status) => [status, { bare: false, content: undefined }] as const,
	);
	const own = Object.entries(responses).map(([status, response]) => {
		const { content, description } = resolved(api, response);
		const bare = String(description).includes('without a body');
		return [Number(status), { bare, content: isRecord(content) ? content : undefined }] as const;
	});
	return new Map([...everywhere, ...own]);
}

/** @returns the statuses that its facts name for all operations, alone or as "401or403" */
function everywhereOf(api: Api): number[] {
	const facts = recordOf(CONTRACTS[api]['x-facts']);
	const keys = Object.keys(recordOf(facts.everywhere ?? facts.statuses));
	return keys.flatMap((key) => (key.match(/\d{3}/g) ?? []).map(Number));
}

/**
 * @param part perhaps a reference
 * @returns what it refers to
 */
export function resolved(api: Api, part: unknown): Record<string, unknown> {
	const { $ref: reference } = recordOf(part);
	if (typeof reference !== 'string') return recordOf(part);
	const target = reference
		.replace('#/', '')
		.split('/')
		.reduce((whole: unknown, name) => recordOf(whole)[name], CONTRACTS[api]);
	return resolved(api, target);
}

/** @returns itself, or none */
function recordOf(value: unknown): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

/** @returns itself, or none */
function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
