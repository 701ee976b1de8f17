import chunk from 'lodash/chunk';
import unionBy from 'lodash/unionBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { textOf } from '../basics/values';
import { orFailure, ServiceError } from '../failure';
import type { Agency, PropertyList } from './agency';
import { idOrRow, isPropertyId, listedIdOf, propertyIdOf, readRows } from './records';

/**
 * The result for each property ID: the property, or the failure of its request. The map lacks an ID if the service's
 * answer shows that the agency has no such property.
 */
export type FetchedProperties = Map<string, IDataObject | ServiceError>;

/**
 * The largest number of IDs in one request. It is below the service's own limit, and keeps the URL short enough for
 * every proxy.
 */
const IDS_AT_ONCE = 50;

/** Reads full property records, 50 with each request and several requests at the same time. */
export async function fetchProperties(agency: Agency, ids: string[]): Promise<FetchedProperties> {
	const outcomes: FetchedProperties = new Map();
	await mapConcurrently(chunk(ids, IDS_AT_ONCE), MOST_REQUESTS_AT_ONCE, async (batch, failed) => {
		await fetchBatch(agency.endingWith(failed), batch, outcomes);
	});
	return outcomes;
}

/**
 * Asks for several properties with one request. If the service refuses it, one of the IDs may be the reason, so the
 * function asks for each ID separately. It also does so for IDs that the answer lacks, unless the total in the answer
 * shows that nothing else was found.
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

/** True if a failure may concern only one ID, so that requests for other IDs may still succeed. */
function isOfOneId({ kind }: ServiceError): boolean {
	return kind === 'missing' || kind === 'rejected';
}

/**
 * Reads the full record for each row of a list, each record once, in the order of the rows. A property that was deleted
 * after it was listed is left out. A row without an ID is returned as it is, because its record cannot be asked for.
 *
 * @throws ServiceError if a record cannot be read
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
 * Reads rows of a list of properties. The service accepts only one status per request, so the function asks for several
 * statuses one after the other until it has enough rows. If a property changes its status between two requests and
 * appears in both answers, it is returned only once.
 *
 * @returns the rows in the order of the statuses
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
		// Each request asks for as many rows as the caller wants in all, because some of them may already be in the
		// result of an earlier request.
		const more = await agency.list(list, { ...query, [STATUS]: textOf(status) }, limit);
		rows = unionBy(rows, more, idOrRow);
		if (rows.length >= limit) break;
	}
	return rows.slice(0, limit);
}
