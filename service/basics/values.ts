import type { IDataObject } from 'n8n-workflow';

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is IDataObject[] {
	return Array.isArray(value) && value.every(isObject);
}

/** Text as it is, a number as text; empty for everything else. */
export function textOf(value: unknown): string {
	return typeof value === 'string' || Number.isFinite(value) ? String(value) : '';
}

/** A single value as it is; null instead of an object or a list, or if there is none. */
export function plainValue(value: unknown): string | number | boolean | null {
	const isPlain =
		typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return isPlain ? value : null;
}
