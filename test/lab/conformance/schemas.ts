import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import cloneDeepWith from 'lodash/cloneDeepWith';
import get from 'lodash/get';
import mapValues from 'lodash/mapValues';
import memoize from 'lodash/memoize';
import omit from 'lodash/omit';

import inventory from '../contract/inventory.json';
import leads from '../contract/leads.json';
import products from '../contract/products.json';
import tokens from '../contract/tokens.json';
import { isRecord } from '../values';

export const APIS = ['leads', 'products', 'inventory'] as const;
export type Api = (typeof APIS)[number];

/**
 * `closed`: what we send and what a tame sandbox answers. Only values of the enums and names of the contract are right.
 * `open`: what the real service may answer. Unknown fields, and unknown values of open lists, are right as well.
 */
export type Mode = 'closed' | 'open';

export type Schema = Record<string, unknown>;

export interface Parameter {
	name: string;
	in: string;
	required?: boolean;
	schema: Schema;
}

/** Without content, the contract does not say whether there is a body. */
export interface DocumentedAnswer {
	description: string;
	/** By media type. */
	content?: Record<string, { schema: Schema }>;
}

export interface DocumentedOperation {
	operationId: string;
	parameters?: Parameter[];
	'x-at-most-one'?: string[];
	requestBody?: Pick<Required<DocumentedAnswer>, 'content'>;
	/** By status. */
	responses: Record<string, DocumentedAnswer | undefined>;
}

/** The parts of an OpenAPI document that are read here. */
interface Contract {
	paths: Record<string, Record<string, DocumentedOperation> & { parameters?: Parameter[] }>;
	components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> };
	'x-facts': Record<string, Schema | undefined>;
}

/** Each reference is replaced by what it refers to. */
export const CONTRACTS: Record<Api, Contract> = mapValues(
	{ leads, products, inventory },
	(contract) => dereferenced(contract, contract) as Contract,
);

/** What a token is asked for with, and what is answered, by status. */
export const TOKENS = dereferenced(tokens, tokens) as {
	requests: Record<Api, Schema>;
	answers: DocumentedOperation['responses'];
};

/** Parameters arrive as texts, one or several: `spelled` reads them as the types that the contract has. */
const VALIDATORS = {
	closed: validators('closed'),
	open: validators('open'),
	spelled: validators('closed', { coerceTypes: 'array' }),
};

/**
 * @param schema a part of a contract
 * @returns what is wrong, each with its place; no value is repeated
 */
export function schemaProblems(
	schema: object,
	value: unknown,
	how: keyof typeof VALIDATORS,
): string[] {
	const check = VALIDATORS[how](schema);
	if (check(value)) return [];
	return (check.errors ?? []).map(({ instancePath, message, params }) => {
		const details = Object.values(params).filter((param) => typeof param === 'string');
		return `${instancePath || 'value'} ${message} (${details.join(', ')})`;
	});
}

function dereferenced(contract: object, part: unknown): unknown {
	return cloneDeepWith(part, (each: unknown) =>
		isRecord(each) && typeof each.$ref === 'string'
			? dereferenced(contract, get(contract, each.$ref.slice(2).split('/')))
			: undefined,
	);
}

function validators(mode: Mode, options?: { coerceTypes: 'array' }) {
	const ajv = new Ajv2020({ strict: false, allErrors: true, ...options });
	addFormats(ajv);
	return memoize((schema: object) => ajv.compile(asStrictAs(mode, schema)));
}

function asStrictAs(mode: Mode, schema: object): Schema {
	return JSON.parse(JSON.stringify(schema), (_, part: unknown) => {
		if (!isRecord(part)) return part;
		if (mode === 'open') return 'x-open' in part ? omit(part, 'enum') : part;
		const { 'x-prefix': prefix, type, properties } = part;
		if (typeof prefix === 'string') return { ...part, pattern: `^${prefix}[A-Z]` };
		return type === 'object' && isRecord(properties)
			? { additionalProperties: false, ...part }
			: part;
	}) as Schema;
}
