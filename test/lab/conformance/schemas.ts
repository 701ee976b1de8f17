import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';

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

export const CONTRACTS: Record<Api, Schema> = {
	leads,
	products,
	inventory,
};

/** The schemas of the three contracts, in both modes. */
class Schemas {
	private readonly ajv = { closed: createAjv('closed'), open: createAjv('open') };
	private readonly compiled: Record<Mode, Map<string, ValidateFunction>> = {
		closed: new Map(),
		open: new Map(),
	};

	/**
	 * @param schema a part of that contract, references and all
	 * @returns what is wrong, each with its place
	 */
	problems(api: Api, schema: unknown, value: unknown, mode: Mode): string[] {
		const check = this.compile(api, schema, mode);
		if (check(value)) return [];
		return (check.errors ?? []).map(({ instancePath, message, params }) => {
			const told = Object.values(params).filter((param) => typeof param === 'string');
			return `${instancePath || 'value'} ${message} (${told.join(', ')})`;
		});
	}

	private compile(api: Api, schema: unknown, mode: Mode) {
		const key = `${api} ${JSON.stringify(schema)}`;
		const known = this.compiled[mode].get(key);
		if (known !== undefined) return known;
		const bound = bind(schema, api, mode);
		const check = this.ajv[mode].compile(isRecord(bound) ? bound : {});
		this.compiled[mode].set(key, check);
		return check;
	}
}

export const schemas = new Schemas();

function createAjv(mode: Mode) {
	const ajv = new Ajv2020({ strict: false, allErrors: true });
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
