import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import { branchIdOf } from '../../../service/inventory/propertyId';
import { askForChoices } from './readers';

/** The agency's branches to choose from, those that are not active among them: they may have properties. */
export async function getBranches(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const branches = await askForChoices(
		this,
		async (agency) => await agency.list('branches', {}, Infinity),
	);
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
