import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import type { FailureDetails } from '../failure';
import { ServiceError } from '../failure';

/**
 * Texts that cannot be the ID of a property: they are paths of other requests, or path segments that a URL parser
 * removes.
 */
const NO_IDS = ['', '.', '..', 'items', 'search', 'filter'];

/**
 * Matches characters that no ID contains, or that proxies treat as part of the path even if they are percent-encoded.
 */
const NOT_IN_IDS = /[/\\\p{Cc}\p{Cs}]/u;

export function isPropertyId(id: string): boolean {
	return !NO_IDS.includes(id.toLowerCase()) && !NOT_IN_IDS.test(id);
}

/** Returns the ID of a full record, or of a row of the search by address; empty if there is none. */
export function propertyIdOf({ id }: IDataObject): string {
	return textOf(id);
}

/** Returns the ID of a property in a row of any list. Two of the lists have it in the field `inventoryId`. */
export function listedIdOf(row: IDataObject): string {
	return propertyIdOf(row) || textOf(row.inventoryId);
}

/** Returns what identifies a row of a list: its ID, or the row itself if it has no ID. */
export function idOrRow(row: IDataObject): string | IDataObject {
	return listedIdOf(row) || row;
}

/** Returns the ID of a branch from the field `branchId`, which is the same in all answers; empty if it is missing. */
export function branchIdOf({ branchId }: IDataObject): string {
	return textOf(branchId);
}

const LIST_FIELDS = ['meta', 'totalCount', 'items'];

/**
 * The fields of which the record of a property has at least one. No single field is a sufficient sign of a record,
 * because the API's contract requires none.
 */
const RECORD_FIELDS = ['id', 'branchId', 'category', 'recordType', 'address', 'propertyType'];

/**
 * Finds the rows in the answer to a list request. The API's contract requires no field, so an answer without rows is an
 * empty list, unless it has fields that no list has.
 *
 * @returns undefined for an answer that is no list
 */
function rowsIn(body: IDataObject): IDataObject[] | undefined {
	const items: unknown = body.items;
	if (isList(items)) return items;
	const isOfList = Object.keys(body).every((key) => LIST_FIELDS.includes(key));
	return items === null || (items === undefined && isOfList) ? [] : undefined;
}

/** True if an answer is a list of properties. */
export function isPropertyList(body: unknown): boolean {
	return isObject(body) && rowsIn(body) !== undefined;
}

/**
 * Reads the rows in the answer to a list request.
 *
 * @param what the word for the records of the list in messages
 * @throws ServiceError of kind `foreign` for an answer that is no list
 */
export function readRows(body: IDataObject, what: string): IDataObject[] {
	const rows = rowsIn(body);
	if (rows) return rows;
	throw new ServiceError('foreign', `The service answered without a list of ${what}`);
}

/** Returns the token of the next page; undefined on the last page, where the token is absent, null or empty. */
export function nextTokenOf({ meta }: IDataObject): string | undefined {
	const token = isObject(meta) ? meta.nextToken : undefined;
	return textOf(token) || undefined;
}

/** @throws ServiceError if the answer is not the record of a property */
export function readProperty(body: IDataObject): IDataObject {
	if (RECORD_FIELDS.some((field) => field in body)) return body;
	throw new ServiceError('foreign', 'The service answered without the record of a property');
}

/**
 * Makes the error for a property ID that the service does not know: the answer to a request for several IDs lacks it,
 * or a request for it alone got status 404.
 */
export function unknownProperty(id: string, details: FailureDetails = {}): ServiceError {
	return new ServiceError('missing', 'The service found no such property (404)', {
		status: 404,
		...details,
		remedy: `You asked for the ID ${JSON.stringify(id)}. Check it, and that the property belongs to the agency of the AgencyRef. A property’s reference is rarely its ID: search for its address to find the ID.`,
		// The error of a 404 may contain the help code for a wrong address in the credential. The code is removed,
		// because this error is about a wrong property ID.
		helpCode: undefined,
	});
}

/** Replaces the message of a 404 for a single property, which means that the agency has no property with this ID. */
export function asUnknownProperty(failure: ServiceError, id: string): ServiceError {
	return failure.kind === 'rejected' && failure.details.status === 404
		? unknownProperty(id, failure.details)
		: failure;
}
