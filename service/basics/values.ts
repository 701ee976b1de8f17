import type { IDataObject } from 'n8n-workflow';

export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is IDataObject[] {
	return Array.isArray(value) && value.every(isObject);
}
