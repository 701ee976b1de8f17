import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isObject, textOf } from '../../service/basics/values';
import { isPropertyId, listedIdOf } from '../../service/inventory/records';
import { addressLine } from '../common/inventory/addressLine';
import { askForChoices } from '../common/inventory/readers';
import { statusLabel } from '../common/inventory/statuses';

const MOST_RESULTS = 50;

/** Properties for the “From List” choice, by what was typed. Only these two lists have the status. */
export async function searchProperties(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const query = filter?.trim() ?? '';
	const rows = await askForChoices(this, async (agency) =>
		query === ''
			? await agency.list('filter', {}, MOST_RESULTS)
			: await agency.list('text', { query }, MOST_RESULTS),
	);
	const choices = rows.map((row) => ({ name: choiceName(row), value: listedIdOf(row) }));
	return { results: choices.filter(({ value }) => isPropertyId(value)) };
}

/** “12 Sample Row, Exampleton, AB1 2CD – Under Offer” */
function choiceName(row: IDataObject): string {
	const name = (isObject(row.address) && addressLine(shortened(row.address))) || listedIdOf(row);
	const status = textOf(row.status);
	return status === '' || status === 'Unspecified' ? name : `${name} – ${statusLabel(status)}`;
}

/** n8n's list cuts a long line off, and with it the status. Beside a postcode nobody needs the locality. */
function shortened(address: IDataObject): IDataObject {
	return textOf(address.postcode) === '' ? address : { ...address, locality: null };
}
