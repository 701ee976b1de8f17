import omitBy from 'lodash/omitBy';
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import type { Agency } from '../../../service/inventory/agency';
import { branchIdOf } from '../../../service/inventory/records';
import { asNodeError } from '../nodeErrors';
import { isBlank, readCollection } from '../readers';
import type { InventoryOptions } from './readers';
import { agencyBy } from './readers';

/** The limits for retries of a list that opens while a person types. They are short, because the person waits. */
const LIST_LIMITS = { maxTries: 3, maxWait: 5 };

/**
 * Asks the agency of the node for the choices of a list.
 *
 * @param read says which agency that is
 * @throws NodeApiError or NodeOperationError
 */
export async function askForChoices(
	context: ILoadOptionsFunctions,
	ask: (agency: Agency) => Promise<IDataObject[]>,
	read: (options: IDataObject) => InventoryOptions,
): Promise<IDataObject[]> {
	const asking = async () => {
		const options = readCollection('Options', context.getNodeParameter('options', {}));
		// In the editor, an expression has no value before its input is there, and a list of choices does not need one.
		const known = omitBy(options, isBlank);
		return await ask(await agencyBy(context, read({ ...LIST_LIMITS, ...known })));
	};
	return await asking().catch((error: unknown) => {
		throw asNodeError(context.getNode(), error, { shownAs: 'text' }) ?? error;
	});
}

/**
 * The agency's branches as choices. Branches that are not active are among them, because they may have properties.
 *
 * @param read says which agency
 */
export async function branchChoices(
	context: ILoadOptionsFunctions,
	read: (options: IDataObject) => InventoryOptions,
): Promise<INodePropertyOptions[]> {
	const list = async (agency: Agency) => await agency.list('branches', {}, Infinity);
	const branches = await askForChoices(context, list, read);
	return branches.filter(branchIdOf).map((branch) => {
		const name = textOf(branch.name) || branchIdOf(branch);
		const isInactive = branch.status === 'Inactive';
		return { name: isInactive ? `${name} (inactive)` : name, value: branchIdOf(branch) };
	});
}
