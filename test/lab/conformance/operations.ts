import mapValues from 'lodash/mapValues';

import type { Api, DocumentedOperation, Parameter, Schema } from './schemas';
import { APIS, CONTRACTS } from './schemas';

export interface Operation extends DocumentedOperation {
	api: Api;
	method: (typeof METHODS)[number];
	/** The path with its parameters in braces. */
	template: string;
	parameters: Parameter[];
	/** Of an object with the values of the parameters in `path`, `query` and `header` (names in lower case). */
	sent: Schema;
}

const METHODS = ['GET', 'POST', 'PATCH'] as const;
const AUTHORIZATION = {
	name: 'authorization',
	in: 'header',
	required: true,
	schema: { type: 'string', pattern: '^Bearer [\\x21-\\x7e]+$' },
};

export const OPERATIONS = APIS.flatMap((api) =>
	Object.entries(CONTRACTS[api].paths).flatMap(([template, path]) =>
		METHODS.flatMap((method): Operation[] => {
			const operation = path[method.toLowerCase()];
			if (!operation) return [];
			const parameters = [...(path.parameters ?? []), ...(operation.parameters ?? [])];
			const sent = sentSchema([...parameters, AUTHORIZATION]);
			const responses = { ...responsesEverywhere(api), ...operation.responses };
			return [{ ...operation, api, template, method, parameters, sent, responses }];
		}),
	),
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
	return match ? mapValues(match.groups ?? {}, decoded) : undefined;
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function sentSchema(parameters: Parameter[]): Schema {
	const group = (place: string) => {
		const here = parameters.filter((each) => each.in === place);
		const nameOf = ({ name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);
		return {
			properties: Object.fromEntries(here.map((each) => [nameOf(each), each.schema])),
			required: here.filter(({ required }) => required).map(nameOf),
		};
	};
	const closed = (place: string) => ({ type: 'object', ...group(place) });
	return { properties: { path: closed('path'), query: closed('query'), header: group('header') } };
}

/** The statuses that any operation of the API may answer. They are named alone or as "401or403". */
function responsesEverywhere(api: Api): DocumentedOperation['responses'] {
	const { everywhere, statuses } = CONTRACTS[api]['x-facts'];
	const named =
		Object.keys(everywhere ?? statuses ?? {})
			.join()
			.match(/\d{3}/g) ?? [];
	return Object.fromEntries(named.map((status) => [status, { description: '' }]));
}
