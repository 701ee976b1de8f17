import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { inventoryOptions } from '../../fields';
import { listing } from '../../listing';

const FIELDS = ['name', 'address', 'status', 'branchId'];

export const getManyBranchesFields = updateDisplayOptions(
	{ show: { resource: ['branch'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the branches of the agency${UP_TO_LIMIT}`, FIELDS),
		...toolListFields,
		inventoryOptions,
	],
);

/** The agency's branches as the service sends them. */
export const getManyBranches = listing(() => ({
	list: async (agency, limit) => await agency.list('branches', {}, limit),
}));
