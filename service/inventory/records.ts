import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import { ServiceError } from '../failure';

const LIST_FIELDS = ['meta', 'totalCount', 'items'];

/** The service promises no field of a record; what has none of these is none. */
const RECORD_FIELDS = ['id', 'branchId', 'category', 'recordType', 'address', 'propertyType'];

/**
 * The service requires no field: an empty list may lack its items, and all that is beside them.
 *
 * @returns the records; undefined for an answer that is no list
 */
function rowsIn(body: IDataObject): IDataObject[] | undefined {
	const items: unknown = body.items;
	if (isList(items)) return items;
	const isOfList = Object.keys(body).every((key) => LIST_FIELDS.includes(key));
	return items === null || (items === undefined && isOfList) ? [] : undefined;
}

/** Whether an answer is a list of properties. */
export function isPropertyList(body: unknown): boolean {
	return isObject(body) && rowsIn(body) !== undefined;
}

/**
 * @param what the list is of, as a person calls it
 * @throws ServiceError of kind `foreign` for an answer that is no list
 */
export function readRows(body: IDataObject, what: string): IDataObject[] {
	const rows = rowsIn(body);
	if (rows) return rows;
	throw new ServiceError('foreign', `The service answered without a list of ${what}`);
}

/** The last page has none: absent, null, empty or 0. */
export function nextTokenOf({ meta }: IDataObject): string | undefined {
	const token = isObject(meta) ? meta.nextToken : undefined;
	return token === 0 ? undefined : textOf(token) || undefined;
}

/** @throws ServiceError if the answer is not the record of a property */
export function readProperty(body: IDataObject): IDataObject {
	if (RECORD_FIELDS.some((field) => field in body)) return body;
	if (Object.keys(body).length > 0) {
		throw new ServiceError('foreign', 'The service answered without the record of a property');
	}
	throw new ServiceError('unavailable', 'The service did not say whether this property exists', {
		helpCode: 'unreadableAnswer',
	});
}
