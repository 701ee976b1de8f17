import unionBy from 'lodash/unionBy';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../basics/values';
import type { Agency, PropertyList } from './agency';
import { idOrRow } from './propertyId';

const STATUS = 'inventory-status';

/**
 * Rows of a list of properties. The service takes one status with a request: several are asked for one
 * after the other, and a property that has changed its status meanwhile comes once.
 *
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
	for (const status of statuses.map(textOf)) {
		// A double may take the place of a row: only with the whole limit are there enough for sure.
		const found = await agency.list(list, { ...query, [STATUS]: status }, limit);
		rows = unionBy(rows, found, idOrRow);
		if (rows.length >= limit) break;
	}
	return rows.slice(0, limit);
}
