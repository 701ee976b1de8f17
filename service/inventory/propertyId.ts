import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../basics/values';

/** Paths of other requests, and what a URL resolves away: no property has such an ID. */
const NO_IDS = ['', '.', '..', 'items', 'search', 'filter'];

/** What proxies take for a part of the path even if it is encoded, and what no ID can hold. */
const NOT_IN_IDS = /[/\\\p{Cc}\p{Cs}]/u;

export function isPropertyId(id: string): boolean {
	return !NO_IDS.includes(id.toLowerCase()) && !NOT_IN_IDS.test(id);
}

/** The ID of a whole property, or of one that was found by its address; empty if it has none. */
export function propertyIdOf({ id }: IDataObject): string {
	return textOf(id);
}

/** The same of a row of the two other lists, which name it in their own way. */
function rowIdOf({ inventoryId }: IDataObject): string {
	return textOf(inventoryId);
}

/** The ID of a property in any list. */
export function listedIdOf(row: IDataObject): string {
	return propertyIdOf(row) || rowIdOf(row);
}

/** What tells one row of a list from another: the ID, or the row itself if it has none. */
export function idOrRow(row: IDataObject): string | IDataObject {
	return listedIdOf(row) || row;
}

/** The ID of a branch, which has a name of its own everywhere; empty if it has none. */
export function branchIdOf({ branchId }: IDataObject): string {
	return textOf(branchId);
}
