import unionBy from 'lodash/unionBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { textOf } from '../basics/values';
import type { Agency, PropertyList } from './agency';
import { idOrRow } from './propertyId';

const STATUS = 'inventory-status';

/**
 * Rows of a list of properties. The service takes one status with a request. All properties of several
 * statuses are asked for a few statuses at once. With a limit they are asked for one after the other: the
 * first one may bring enough. A property that has changed its status meanwhile comes once.
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
	const queries = statuses.map((status) => ({ ...query, [STATUS]: textOf(status) }));
	if (limit === Infinity) return await listTogether(agency, list, queries);
	let rows: IDataObject[] = [];
	for (const each of queries) {
		// A double may take the place of a row: only with the whole limit are there enough for sure.
		rows = unionBy(rows, await agency.list(list, each, limit), idOrRow);
		if (rows.length >= limit) break;
	}
	return rows.slice(0, limit);
}

async function listTogether(
	agency: Agency,
	list: PropertyList,
	queries: IDataObject[],
): Promise<IDataObject[]> {
	const found = await mapConcurrently(
		queries,
		MOST_REQUESTS_AT_ONCE,
		async (query, failed) => await agency.endingWith(failed).list(list, query, Infinity),
	);
	return uniqBy(found.flat(), idOrRow);
}
