import omitBy from 'lodash/omitBy';
import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import type { Agency } from '../../../service/inventory/agency';
import { branchIdOf } from '../../../service/inventory/records';
import { asNodeError } from '../nodeErrors';
import { isBlank, readCollection } from '../readers';
import { agencyBy, readAgencyRefs, readOptions } from './readers';

/** A person looks at a list that opens while they type. */
const LIST_LIMITS = { maxTries: 3, maxWait: 5 };

/**
 * Asks the agency of the node, or the first of several, for what a person may choose from.
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function askForChoices(
	context: ILoadOptionsFunctions,
	ask: (agency: Agency) => Promise<IDataObject[]>,
): Promise<IDataObject[]> {
	const asking = async () => {
		const options = readCollection('Options', context.getNodeParameter('options', {}));
		// In the editor an expression has no value before its input is there; only a run needs one.
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
