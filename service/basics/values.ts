import type { IDataObject } from 'n8n-workflow';

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object as it is, and an empty object for everything else. */
export function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

export function isList(value: unknown): value is IDataObject[] {
	return Array.isArray(value) && value.every(isObject);
}

/** Returns the objects of a list, and an empty list for everything else. */
export function objectsIn(value: unknown): IDataObject[] {
	return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns text as it is and a number as text, and an empty text for everything else. */
export function textOf(value: unknown): string {
	return typeof value === 'string' || Number.isFinite(value) ? String(value) : '';
}

/** Returns a text, a number or a boolean as it is, and null for everything else. */
export function plainValue(value: unknown): string | number | boolean | null {
	const isPlain =
		typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return isPlain ? value : null;
}
