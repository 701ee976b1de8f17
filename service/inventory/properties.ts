import chunk from 'lodash/chunk';
import unionBy from 'lodash/unionBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { textOf } from '../basics/values';
import { orFailure, ServiceError } from '../failure';
import type { Agency, PropertyList } from './agency';
import { idOrRow, isPropertyId, listedIdOf, propertyIdOf, readRows } from './records';

/** By ID: the property, or what became of it; nothing for an ID that the agency does not have. */
export type FetchedProperties = Map<string, IDataObject | ServiceError>;

/** Below the service's own bound, and an address that every proxy takes. */
const IDS_AT_ONCE = 50;

/** Whole properties, 50 with each request, a few requests at once. */
export async function fetchProperties(agency: Agency, ids: string[]): Promise<FetchedProperties> {
	const outcomes: FetchedProperties = new Map();
	await mapConcurrently(chunk(ids, IDS_AT_ONCE), MOST_REQUESTS_AT_ONCE, async (batch, failed) => {
		await fetchBatch(agency.endingWith(failed), batch, outcomes);
	});
	return outcomes;
}

/**
 * Asks for several properties together. If the service refuses the batch, one ID may be the reason, so that each is
 * asked for alone. The same goes for what an answer lacks, unless the answer says that there is no more.
 */
async function fetchBatch(
	agency: Agency,
	ids: string[],
	outcomes: FetchedProperties,
): Promise<void> {
	const answer = await orFailure(agency.batch(ids));
	const isRefused = answer instanceof ServiceError;
	const rows = isRefused ? [] : readRows(answer, 'properties');
	const found = new Map(rows.map((row) => [propertyIdOf(row), row]));
	const known = ids.filter((id) => found.has(id));
	const isAll = !isRefused && answer.totalCount === known.length && rows.length === known.length;
	let failure = isRefused && !isOfOneId(answer) ? answer : undefined;
	for (const id of ids) {
		if (isAll && !found.has(id)) continue;
		const outcome = found.get(id) ?? failure ?? (await orFailure(agency.property(id)));
		outcomes.set(id, outcome);
		if (outcome instanceof ServiceError && !isOfOneId(outcome)) failure = outcome;
	}
}

/** Whether a failure is about an ID, so that it may be no failure for another one. */
function isOfOneId({ kind }: ServiceError): boolean {
	return kind === 'missing' || kind === 'rejected';
}

/**
 * The whole record of each row, once, in the order of the rows. A property that is gone meanwhile is
 * left out. A row without an ID stays a row: nobody can ask for it.
 *
 * @throws ServiceError if one cannot be had
 */
export async function fetchWholeRecords(
	agency: Agency,
	rows: IDataObject[],
): Promise<IDataObject[]> {
	const listed = uniqBy(rows, idOrRow);
	const found = await fetchProperties(agency, listed.map(listedIdOf).filter(isPropertyId));
	return listed.flatMap((row) => {
		const record = isPropertyId(listedIdOf(row)) ? found.get(listedIdOf(row)) : row;
		if (record instanceof ServiceError && record.kind !== 'missing') throw record;
		return record && !(record instanceof ServiceError) ? [record] : [];
	});
}

const STATUS = 'inventory-status';

/**
 * Rows of a list of properties. The service takes one status with a request, so several statuses are asked for one
 * after the other, until there are enough rows. A property that has changed its status meanwhile comes once.
 *
 * @returns the rows of the first status first
 * @throws ServiceError
 */
export async function listProperties(
	agency: Agency,
	list: PropertyList,
	query: IDataObject,
	limit: number,
): Promise<IDataObject[]> {
	const statuses: unknown = query[STATUS];
	if (!Array.isArray(statuses)) return await agency.list(list, query, limit);
	let rows: IDataObject[] = [];
	for (const status of statuses) {
		// A double may take the place of a row: only with the whole limit are there enough for sure.
		const more = await agency.list(list, { ...query, [STATUS]: textOf(status) }, limit);
		rows = unionBy(rows, more, idOrRow);
		if (rows.length >= limit) break;
	}
	return rows.slice(0, limit);
}
