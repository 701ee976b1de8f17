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
