import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import type { Agency } from '../../service/inventory/agency';
import { isPropertyId, listedIdOf } from '../../service/inventory/records';
import { askForChoices } from '../common/inventory/choices';
import { addressLine } from '../common/inventory/simplifyProperty';
import { inWords } from '../common/inventory/statuses';
import { joined } from '../common/joined';

/** How many properties the list shows. */
const LENGTH = 50;

/**
 * Properties for the “From List” choice, by what was typed: “12 Sample Row, Exampleton, AB1 2CD – Under Offer”. Only these
 * two lists have the status.
 */
export async function searchProperties(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const query = filter.trim();
	const ask = async (agency: Agency) =>
		await (query === ''
			? agency.list('filter', {}, LENGTH)
			: agency.list('text', { query }, LENGTH));
	const rows = await askForChoices(this, ask);
	const choices = rows.map((row) => {
		const parts = [addressLine(row.address) || listedIdOf(row), inWords(textOf(row.status))];
		return { name: joined(' – ', parts), value: listedIdOf(row) };
	});
	return { results: choices.filter(({ value }) => isPropertyId(value)) };
}
