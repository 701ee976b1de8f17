import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf } from '../../../common/fields/list';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { fieldsToReturn } from '../../../common/tool/fieldsToReturn';
import { inventoryOptions } from '../../fields';
import { flag } from '../../../common/inventory/filters';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';
import { rowItems } from '../../listItems';

const ACTIVE_ONLY = flag('Active Only', true, 'Whether to leave out inactive branches');

/** What an assistant needs of a branch; the service tells more. */
const BRANCH_FIELDS = ['branchId', 'name', 'address', 'status'];

export const getManyBranchesFields = updateDisplayOptions(
	{ show: { resource: ['branch'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the branches of the agency${UP_TO_LIMIT}`, BRANCH_FIELDS),
		filtersOf('branches', [ACTIVE_ONLY.field]),
		...toolListFields,
		fieldsToReturn(BRANCH_FIELDS),
		inventoryOptions,
	],
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
	return await rowItems(context, itemIndex, failed, 'branches', query, BRANCH_FIELDS);
}
