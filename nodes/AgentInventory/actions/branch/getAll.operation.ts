import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf, listFields } from '../../../common/fields/list';
import { readResultLimit } from '../../../common/readers';
import { inventoryOptions } from '../../fields';
import type { Filter } from '../../filters';
import { readFilterQuery } from '../../readFilterQuery';
import { agencyUntil } from '../../readers';

const ACTIVE_ONLY: Filter = {
	parameter: 'activeOnly',
	kind: 'flag',
	field: {
		displayName: 'Active Only',
		name: 'activeOnly',
		type: 'boolean',
		default: true,
		description: 'Whether to leave out the branches that are not active',
	},
};

export const getManyBranchesFields = updateDisplayOptions(
	{ show: { resource: ['branch'], operation: ['getAll'] } },
	[filtersOf('branches', [ACTIVE_ONLY.field]), ...listFields, inventoryOptions],
);

/**
 * The agency's branches as the service sends them, in its order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyBranches(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const query = readFilterQuery(context, itemIndex, [ACTIVE_ONLY]);
	const limit = readResultLimit(context, itemIndex);
	const agency = await agencyUntil(failed, context, itemIndex);
	const branches = await agency.list('branches', query, limit);
	return branches.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
