import type { IDataObject } from 'n8n-workflow';

import { isList, isObject, textOf } from '../basics/values';
import type { FailureDetails } from '../failure';
import { ServiceError } from '../failure';

/**
 * Texts that cannot be a property's ID, because they are the paths of other requests, or parts that a URL resolves
 * away.
 */
const NO_IDS = ['', '.', '..', 'items', 'search', 'filter'];

/** Matches characters that no ID contains, or that proxies read as a part of the path even if they are encoded. */
const NOT_IN_IDS = /[/\\\p{Cc}\p{Cs}]/u;

export function isPropertyId(id: string): boolean {
	return !NO_IDS.includes(id.toLowerCase()) && !NOT_IN_IDS.test(id);
}

/** The ID of a whole record, or of a row of the search by address; empty if it has none. */
export function propertyIdOf({ id }: IDataObject): string {
	return textOf(id);
}

/** The ID of a property in a row of any list. Two of the lists have it in a field of another name. */
export function listedIdOf(row: IDataObject): string {
	return propertyIdOf(row) || textOf(row.inventoryId);
}

/** Identifies a row of a list: its ID, or the row itself if it has none. */
export function idOrRow(row: IDataObject): string | IDataObject {
	return listedIdOf(row) || row;
}

/** The ID of a branch, which is in the field `branchId` everywhere; empty if it is missing. */
export function branchIdOf({ branchId }: IDataObject): string {
	return textOf(branchId);
}

const LIST_FIELDS = ['meta', 'totalCount', 'items'];

/** The contract requires no field of a record. An object with none of these fields does not count as a record. */
const RECORD_FIELDS = ['id', 'branchId', 'category', 'recordType', 'address', 'propertyType'];

/**
 * The rows of a list. The contract requires no field, so an empty list may lack its items and everything beside them.
 *
 * @returns the records; undefined for an answer that is no list
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
 * @param what the word for the listed records in messages
 * @throws ServiceError of kind `foreign` for an answer that is no list
 */
export function readRows(body: IDataObject, what: string): IDataObject[] {
	const rows = rowsIn(body);
	if (rows) return rows;
	throw new ServiceError('foreign', `The service answered without a list of ${what}`);
}

/** The token of the next page. On the last page it is absent, null, empty or 0. */
export function nextTokenOf({ meta }: IDataObject): string | undefined {
	const token = isObject(meta) ? meta.nextToken : undefined;
	return token === 0 ? undefined : textOf(token) || undefined;
}

/** @throws ServiceError if the answer is not the record of a property */
export function readProperty(body: IDataObject): IDataObject {
	if (RECORD_FIELDS.some((field) => field in body)) return body;
	throw new ServiceError('foreign', 'The service answered without the record of a property');
}

/**
 * The failure for an ID that the service does not know: a batch lacks it, or a request for it alone was answered with
 * 404.
 */
export function unknownProperty(id: string, details: FailureDetails = {}): ServiceError {
	return new ServiceError('missing', 'The service found no such property (404)', {
		status: 404,
		...details,
		remedy: `You asked for the ID ${JSON.stringify(id)}. Check it, and that the property belongs to the agency of the AgencyRef. A property’s reference is rarely its ID: search for its address to find the ID.`,
		// Drops the code of a wrong address, which a 404 may have.
		helpCode: undefined,
	});
}

/** Rewords the failure of a request for a property: a 404 means that there is no such property. */
export function asUnknownProperty(failure: ServiceError, id: string): ServiceError {
	return failure.kind === 'rejected' && failure.details.status === 404
		? unknownProperty(id, failure.details)
		: failure;
}
