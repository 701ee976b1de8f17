import omitBy from 'lodash/omitBy';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import type { Agency } from '../../../service/inventory/agency';
import { branchIdOf, isPropertyId, listedIdOf } from '../../../service/inventory/records';
import { joined } from '../joined';
import { asNodeError } from '../nodeErrors';
import { isBlank, readCollection } from '../readers';
import { agencyBy, readAgencyRefs, readOptions } from './readers';
import { addressLine } from './simplifyProperty';
import { inWords } from './statuses';

/** The limits for retries of a list that opens while a person types. They are short, because the person waits. */
const LIST_LIMITS = { maxTries: 3, maxWait: 5 };

/** How many properties the list shows. */
const MOST_PROPERTIES = 50;

/**
 * Asks the agency of the node, or the first of several, for what a person may choose from.
 *
 * @throws NodeApiError or NodeOperationError
 */
async function askForChoices(
	context: ILoadOptionsFunctions,
	ask: (agency: Agency) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const asking = async () => {
		const options = readCollection('Options', context.getNodeParameter('options', {}));
		// In the editor, an expression has no value before its input is there, and a list of choices does not need one.
		const known = omitBy(options, isBlank);
		const { limits, agencyRef = readAgencyRefs(known)[0] } = readOptions({
			...LIST_LIMITS,
			...known,
		});
		return await ask(await agencyBy(context, { limits, agencyRef }));
	};
	return await asking().catch((error: unknown) => {
		throw asNodeError(context.getNode(), error, { shownAs: 'text' }) ?? error;
	});
}

/** The agency's branches to choose from, those that are not active among them: they may have properties. */
export async function getBranches(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const list = async (agency: Agency) => await agency.list('branches', {}, Infinity);
	const branches = await askForChoices(this, list);
	return branches.filter(branchIdOf).map((branch) => {
		const name = textOf(branch.name) || branchIdOf(branch);
		const isInactive = branch.status === 'Inactive';
		return { name: isInactive ? `${name} (inactive)` : name, value: branchIdOf(branch) };
	});
}

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
			? agency.list('filter', {}, MOST_PROPERTIES)
			: agency.list('text', { query }, MOST_PROPERTIES));
	const rows = await askForChoices(this, ask);
	const choices = rows.map((row) => {
		const parts = [addressLine(row.address) || listedIdOf(row), inWords(textOf(row.status))];
		return { name: joined(' – ', parts), value: listedIdOf(row) };
	});
	return { results: choices.filter(({ value }) => isPropertyId(value)) };
}
