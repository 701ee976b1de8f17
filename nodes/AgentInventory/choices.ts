import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import type { Agency } from '../../service/inventory/agency';
import { isPropertyId, listedIdOf } from '../../service/inventory/records';
import { askForChoices, branchChoices } from '../common/inventory/choices';
import { readOptions } from '../common/inventory/readers';
import { addressLine } from '../common/inventory/simplifyProperty';
import { inWords } from '../common/inventory/statuses';

/** The most properties that the list shows. */
const LENGTH = 50;

export async function getBranches(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await branchChoices(this, readOptions);
}

/**
 * Finds properties for the “From List” choice by the text that a person types. These two lists are the only ones with
 * the status.
 */
export async function searchProperties(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const words = filter?.trim() ?? '';
	const ask = async (agency: Agency) =>
		words === ''
			? await agency.list('filter', {}, LENGTH)
			: await agency.list('text', { query: words }, LENGTH);
	const rows = await askForChoices(this, ask, readOptions);
	const choices = rows.map((row) => ({ name: choiceName(row), value: listedIdOf(row) }));
	return { results: choices.filter(({ value }) => isPropertyId(value)) };
}

/** The name of a property in the list: “12 Sample Row, Exampleton, AB1 2CD – Under Offer”. */
function choiceName(row: IDataObject): string {
	const name = addressLine(row.address) || listedIdOf(row);
	const status = textOf(row.status);
	return status === '' || status === 'Unspecified' ? name : `${name} – ${inWords(status)}`;
}
