import inventory from '../contract/inventory.json';
import leads from '../contract/leads.json';
import products from '../contract/products.json';
import type { Api } from './settings';

type Schema = Record<string, unknown>;

const SCHEMAS: Record<Api, Schema> = {
	leads: leads.components.schemas,
	inventory: inventory.components.schemas,
	products: products.components.schemas,
};

/** What the contract does not have: places and prefixes, never a value, which may be about a person. */
export interface Strangers {
	/** Places of fields without a name in the contract, such as `contact.nickname`. */
	names: Set<string>;
	/** Places whose value is not listed, with the prefix of the value if it has one. */
	values: Set<string>;
}

/** Looks through records for what a schema of the contract does not name. */
export function strangersIn(api: Api, schema: string, records: unknown[]): Strangers {
	const found: Strangers = { names: new Set(), values: new Set() };
	for (const record of records) look(api, { $ref: `/${schema}` }, record, '', found);
	return found;
}

function look(api: Api, part: unknown, value: unknown, place: string, found: Strangers): void {
	const schema = resolved(api, part);
	if (Array.isArray(value)) {
		for (const each of value) look(api, schema.items, each, place, found);
	} else if (isRecord(value) && isRecord(schema.properties)) {
		for (const [name, inner] of Object.entries(value)) {
			const isKnown = Object.hasOwn(schema.properties, name);
			const at = [place, isKnown ? name : shownName(name)].filter(Boolean).join('.');
			if (isKnown) look(api, schema.properties[name], inner, at, found);
			else found.names.add(at);
		}
	} else if (typeof value === 'string' && !isListed(schema, value)) {
		found.values.add(`${place} (${prefixOf(value)})`);
	}
}

/** An unset text is no value. */
function isListed({ enum: listed, 'x-prefix': prefix }: Schema, value: string): boolean {
	if (value === '') return true;
	if (Array.isArray(listed)) return listed.includes(value);
	return typeof prefix !== 'string' || value.startsWith(prefix);
}

/** All of a word in capitals but what comes last: `ENQUIRY_TYPE_…`. */
function prefixOf(value: string): string {
	const prefix = /^(?:[A-Z]{2,20}_){1,5}/.exec(value)?.[0];
	return prefix === undefined ? 'a value without a prefix' : `${prefix}…`;
}

/** What does not look like the name of a field may be data that serves as a key. */
function shownName(name: string): string {
	return /^(?=\D*(?:\d\D*){0,2}$)[A-Za-z_$][\w$-]{0,39}$/.test(name)
		? name
		: '(a key that may be data)';
}

function resolved(api: Api, part: unknown): Schema {
	if (!isRecord(part)) return {};
	if (typeof part.$ref !== 'string') return part;
	return resolved(api, SCHEMAS[api][part.$ref.slice(part.$ref.lastIndexOf('/') + 1)]);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
