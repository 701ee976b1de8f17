import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import type { FailureDetails } from '../failure';
import { ServiceError } from '../failure';

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

/** The ID of a property in any list; the rows of two of them name it in their own way. */
export function listedIdOf(row: IDataObject): string {
	return propertyIdOf(row) || textOf(row.inventoryId);
}

/** What tells one row of a list from another: the ID, or the row itself if it has none. */
export function idOrRow(row: IDataObject): string | IDataObject {
	return listedIdOf(row) || row;
}

/** The ID of a branch, which has a name of its own everywhere; empty if it has none. */
export function branchIdOf({ branchId }: IDataObject): string {
	return textOf(branchId);
}

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
	throw new ServiceError('foreign', 'The service answered without the record of a property');
}

/** An ID that a batch surely does not have, or that alone is answered with 404. */
export function unknownProperty(id: string, details: FailureDetails = {}): ServiceError {
	return new ServiceError('missing', 'The service found no such property (404)', {
		status: 404,
		...details,
		remedy: `You asked for the ID ${JSON.stringify(id)}. Check it, and that the property belongs to the agency of the AgencyRef. A property’s reference is rarely its ID: search for its address to find the ID.`,
		// A 404 may have had that of a wrong address.
		helpCode: undefined,
	});
}

/** A failed request for a property: a 404 says that there is none. */
export function asUnknownProperty(failure: ServiceError, id: string): ServiceError {
	return failure.kind === 'rejected' && failure.details.status === 404
		? unknownProperty(id, failure.details)
		: failure;
}
