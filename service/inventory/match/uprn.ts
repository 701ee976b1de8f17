import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../basics/values';

/** A UPRN as it is compared: an integer in leads, a text in the inventory, with or without leading zeros. */
export function uprnText(value: unknown): string {
	const text = textOf(value).trim();
	return /^\d+$/.test(text) ? text.replace(/^0+/, '') : '';
}

/** That of a whole record; empty if it has none. */
export function uprnOf({ uprn }: IDataObject): string {
	return uprnText(uprn);
}
