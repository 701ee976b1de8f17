import { isRecord } from '../../values';
import { findOperation } from '../../conformance/operations';
import { CONTRACTS } from '../../conformance/schemas';
import type { Integration } from '../types';

export type Fields = Record<string, unknown>;

/** A value with its place in an answer. */
export interface Place {
	holder: Fields | unknown[];
	key: string | number;
	value: unknown;
	/** Of the value, references followed. */
	schema: Fields;
	/** From the top of the answer. */
	path: Array<string | number>;
	isRequired: boolean;
}

/**
 * @param path below the base address
 * @returns the schema of the body, references followed; undefined: none is documented
 */
export function bodySchema(
	integration: Integration,
	method: string,
	path: string,
	status: number,
): Fields | undefined {
	const media = fieldsAt(contentOf(integration, method, path, status), 'application/json');
	return 'schema' in media
		? followed(CONTRACTS[integration], fieldsAt(media, 'schema'))
		: undefined;
}

/**
 * @param path below the base address
 * @returns what is documented of the body, by media type
 */
export function contentOf(
	integration: Integration,
	method: string,
	path: string,
	status: number,
): Fields {
	return findOperation(integration, { method, path })?.answers.get(status)?.content ?? {};
}

function fieldsAt(holder: Fields, name: string): Fields {
	const value = holder[name];
	return isRecord(value) ? value : {};
}

/** In these documents, what stands beside a reference describes only; it does not narrow the schema. */
function followed(document: Fields, schema: Fields): Fields {
	const { $ref } = schema;
	if (typeof $ref !== 'string') return schema;
	const target = $ref
		.slice(2)
		.split('/')
		.reduce((holder, name) => fieldsAt(holder, name), document);
	return followed(document, target);
}

/** @returns everything below a value that the schema describes, innermost first */
export function* places(
	integration: Integration,
	schema: Fields,
	value: unknown,
	path: Place['path'] = [],
): Generator<Place> {
	if (!isRecord(value) && !Array.isArray(value)) return;
	const fitting = alternative(CONTRACTS[integration], schema, value);
	for (const [key, child, childSchema] of children(fitting, value)) {
		const described = alternative(CONTRACTS[integration], childSchema, child);
		const childPath = [...path, key];
		yield* places(integration, described, child, childPath);
		const { required } = fitting;
		const isRequired = Array.isArray(required) && required.includes(key);
		yield { holder: value, key, value: child, schema: described, path: childPath, isRequired };
	}
}

function children(schema: Fields, value: unknown): Array<[string | number, unknown, Fields]> {
	if (Array.isArray(value)) {
		const items = fieldsAt(schema, 'items');
		return value.map((child, index) => [index, child, items]);
	}
	if (!isRecord(value)) return [];
	const properties = fieldsAt(schema, 'properties');
	return Object.keys(properties)
		.filter((name) => name in value)
		.map((name) => [name, value[name], fieldsAt(properties, name)]);
}

/** @returns the form that the value has, if the schema allows several */
function alternative(document: Fields, schema: Fields, value: unknown): Fields {
	const whole = followed(document, schema);
	if (!Array.isArray(whole.anyOf)) return whole;
	const forms = whole.anyOf.filter(isRecord).map((form) => followed(document, form));
	return forms.find(({ type }) => type === typeOf(value)) ?? whole;
}

function typeOf(value: unknown) {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

export function hasType({ type }: Fields, name: string): boolean {
	return Array.isArray(type) ? type.includes(name) : type === name;
}
