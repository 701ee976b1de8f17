import chunk from 'lodash/chunk';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { ServiceError } from '../failure';
import type { Agency } from './agency';
import { fetchProperties, IDS_AT_ONCE } from './fetchProperties';
import { idOrRow, isPropertyId, listedIdOf } from './propertyId';

/**
 * The whole record of each row, once, in the order of the rows. A property that is gone meanwhile is
 * left out. A row without an ID stays a row: nobody can ask for it.
 *
 * @param shape is called as soon as a record is there: a record is large, and what is made of it need not be
 * @throws ServiceError as soon as one cannot be had
 */
export async function fetchWholeRecords<Shape>(
	agency: Agency,
	rows: IDataObject[],
	shape: (record: IDataObject) => Shape,
): Promise<Shape[]> {
	const parts = chunk(uniqBy(rows, idOrRow), IDS_AT_ONCE);
	const shaped = await mapConcurrently(parts, MOST_REQUESTS_AT_ONCE, async (part, failed) => {
		const records = await recordsOf(agency.endingWith(failed), part);
		return records.map((record) => shape(record));
	});
	return shaped.flat();
}

/** @throws ServiceError as soon as one cannot be had */
async function recordsOf(agency: Agency, rows: IDataObject[]): Promise<IDataObject[]> {
	const found = await fetchProperties(agency, rows.map(listedIdOf).filter(isPropertyId));
	const records: IDataObject[] = [];
	for (const row of rows) {
		const record = isPropertyId(listedIdOf(row)) ? found.get(listedIdOf(row)) : row;
		if (record instanceof ServiceError && record.kind !== 'missing') throw record;
		if (record && !(record instanceof ServiceError)) records.push(record);
	}
	return records;
}
