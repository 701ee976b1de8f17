import chunk from 'lodash/chunk';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import type { Agency } from './agency';
import { fetchProperties, IDS_AT_ONCE } from './fetchProperties';
import { idOrRow, isPropertyId, listedIdOf } from './propertyId';

/**
 * The whole record of each row, once, in the order of the rows. A property that is gone meanwhile is
 * left out. A row without an ID stays a row: nobody can ask for it.
 *
 * @throws ServiceError as soon as one cannot be had
 */
export async function fetchWholeRecords(
	agency: Agency,
	rows: IDataObject[],
): Promise<IDataObject[]> {
	const records: IDataObject[] = [];
	for (const part of chunk(uniqBy(rows, idOrRow), IDS_AT_ONCE)) {
		const found = await fetchProperties(agency, part.map(listedIdOf).filter(isPropertyId));
		for (const row of part) {
			const record = isPropertyId(listedIdOf(row)) ? found.get(listedIdOf(row)) : row;
			if (record instanceof ServiceError && record.kind !== 'missing') throw record;
			if (record && !(record instanceof ServiceError)) records.push(record);
		}
	}
	return records;
}
