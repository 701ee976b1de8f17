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

/** The limits for retries when n8n's editor opens a list to choose from. They are low, because a person waits. */
const LIST_LIMITS = { maxTries: 3, maxWait: 5 };

/** The largest number of properties in the list to choose from (“From List”). */
const MOST_PROPERTIES = 50;

/**
 * Asks the agency that a node reads for the entries of a list in n8n's editor. If the node reads several agencies, the
 * first one is asked.
 *
 * @throws NodeApiError or NodeOperationError
 */
async function askForChoices(
	context: ILoadOptionsFunctions,
	ask: (agency: Agency) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const asking = async () => {
		const options = readCollection('Options', context.getNodeParameter('options', {}));
		// In the editor, an expression has no value until its input data is there. Options without a value are left
		// out, because the list of choices can be read without them.
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

/**
 * Lists the agency's branches for a person to choose from. Inactive branches are included, because they may still have
 * properties.
 */
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
 * Finds properties for “From List” by the text that a person has typed. Each choice is named by its address and status:
 * “12 Sample Row, Exampleton, AB1 2CD – Under Offer”. Only the service's lists `filter` and `text` are used, because
 * the others do not contain the status.
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
