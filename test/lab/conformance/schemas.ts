import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import memoize from 'lodash/memoize';

import inventory from '../contract/inventory.json';
import leads from '../contract/leads.json';
import products from '../contract/products.json';
import { isRecord } from '../values';

export const APIS = ['leads', 'products', 'inventory'] as const;
export type Api = (typeof APIS)[number];

export const MODES = ['closed', 'open'] as const;

/**
 * `closed`: what we send and what a tame sandbox answers. Only values of the enums and names of the contract are right.
 * `open`: what the real service may answer. Unknown fields, and unknown values of open lists, are right as well.
 */
export type Mode = (typeof MODES)[number];

type Schema = Record<string, unknown>;

export const CONTRACTS: Record<Api, Schema> = { leads, products, inventory };

/** Parameters arrive as texts, one or several: `spelled` reads them as the types that the contract has. */
const VALIDATORS = {
	closed: createAjv('closed', {}),
	open: createAjv('open', {}),
	spelled: createAjv('closed', { coerceTypes: 'array' }),
};

const compiled = memoize(
	(api: Api, schema: unknown, how: keyof typeof VALIDATORS) => {
		const bound = bind(schema, api, how === 'open' ? 'open' : 'closed');
		return VALIDATORS[how].compile(isRecord(bound) ? bound : {});
	},
	(...key) => JSON.stringify(key),
);

/**
 * @param schema a part of that contract, references and all
 * @returns what is wrong, each with its place; no value is repeated
 */
export function schemaProblems(
	api: Api,
	schema: unknown,
	value: unknown,
	how: keyof typeof VALIDATORS,
): string[] {
	const check = compiled(api, schema, how);
	if (check(value)) return [];
	return (check.errors ?? []).map(({ instancePath, message, params }) => {
		const details = Object.values(params).filter((param) => typeof param === 'string');
		return `${instancePath || 'value'} ${message} (${details.join(', ')})`;
	});
}

function createAjv(mode: Mode, options: { coerceTypes?: 'array' }) {
	const ajv = new Ajv2020({ strict: false, allErrors: true, ...options });
	addFormats(ajv);
	for (const api of APIS) {
		const contract = bind(CONTRACTS[api], api, mode);
		if (isRecord(contract)) ajv.addSchema(contract, api);
	}
	return ajv;
}

/**
 * @param part of a contract
 * @returns a copy whose references name their contract, and which is as strict as the mode
 */
function bind(part: unknown, api: Api, mode: Mode): unknown {
	if (Array.isArray(part)) return part.map((each) => bind(each, api, mode));
	if (!isRecord(part)) return part;
	const copy = Object.fromEntries(
		Object.entries(part).map(([name, value]) => [name, bind(value, api, mode)]),
	);
	if (typeof part.$ref === 'string') copy.$ref = part.$ref.replace(/^#/, `${api}#`);
	return mode === 'closed' ? closed(copy) : opened(copy);
}

function closed(schema: Schema): Schema {
	const { 'x-prefix': prefix, type, properties } = schema;
	if (typeof prefix === 'string') return { ...schema, pattern: `^${prefix}[A-Z]` };
	if (type !== 'object' || !isRecord(properties)) return schema;
	return { additionalProperties: false, ...schema };
}

function opened(schema: Schema): Schema {
	const { enum: listed, ...others } = schema;
	return listed !== undefined && schema['x-open'] !== undefined ? others : schema;
}
