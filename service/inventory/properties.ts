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
 * The outcome by ID: the property, or the failure of its request. An ID that the agency does not have is missing
 * here.
 */
export type FetchedProperties = Map<string, IDataObject | ServiceError>;

/** The most IDs in one request: below the service's own limit, and short enough an address for every proxy. */
const IDS_AT_ONCE = 50;

/** Reads whole properties, 50 with each request, a few requests at once. */
export async function fetchProperties(agency: Agency, ids: string[]): Promise<FetchedProperties> {
	const outcomes: FetchedProperties = new Map();
	await mapConcurrently(chunk(ids, IDS_AT_ONCE), MOST_REQUESTS_AT_ONCE, async (batch, failed) => {
		await fetchBatch(agency.endingWith(failed), batch, outcomes);
	});
	return outcomes;
}

/**
 * Asks for several properties with one request. If the service refuses the request, one of the IDs may be the reason,
 * so the function asks for each ID alone. It does so too for IDs that the answer lacks, unless the answer's total
 * shows that there are no more.
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

/** True if a failure may be about one ID, so that requests for other IDs may succeed. */
function isOfOneId({ kind }: ServiceError): boolean {
	return kind === 'missing' || kind === 'rejected';
}

/**
 * Reads the whole record of each row once, in the order of the rows. It leaves out a property that has been deleted
 * meanwhile. A row without an ID stays a row, because there is no ID to ask for.
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
 * Reads rows of a list of properties. The service accepts one status in a request, so the function asks for several
 * statuses one after the other until it has enough rows. It returns a property that has changed its status meanwhile
 * once.
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
		// A row that is already known may take the place of a new one, so each request has the whole limit.
		const more = await agency.list(list, { ...query, [STATUS]: textOf(status) }, limit);
		rows = unionBy(rows, more, idOrRow);
		if (rows.length >= limit) break;
	}
	return rows.slice(0, limit);
}
