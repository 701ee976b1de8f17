import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import { branchIdOf } from '../../../service/inventory/records';
import type { Agency } from '../../../service/inventory/agency';
import type { InventoryOptions } from './readers';
import { askForChoices } from './readers';

/**
 * The agency's branches to choose from, those that are not active among them: they may have properties.
 *
 * @param read says which agency
 */
export async function branchChoices(
	context: ILoadOptionsFunctions,
	read: (options: IDataObject) => InventoryOptions,
): Promise<INodePropertyOptions[]> {
	const list = async (agency: Agency) => await agency.list('branches', {}, Infinity);
	const branches = await askForChoices(context, list, read);
	const choices = branches.map((branch) => ({
		name: branchName(branch),
		value: branchIdOf(branch),
	}));
	return choices.filter(({ value }) => value !== '');
}

function branchName(branch: IDataObject): string {
	const name = textOf(branch.name) || branchIdOf(branch);
	return branch.status === 'Inactive' ? `${name} (inactive)` : name;
}
