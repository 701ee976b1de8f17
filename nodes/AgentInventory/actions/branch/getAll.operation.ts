import { updateDisplayOptions } from 'n8n-workflow';

import { filtersOf } from '../../../common/fields/list';
import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { outputFields, readOutput } from '../../../common/tool/output';
import { inventoryOptions } from '../../fields';
import { flag } from '../../../common/inventory/filters';
import { readFilterQuery } from '../../../common/inventory/readFilterQuery';
import { listing } from '../../listing';

const ACTIVE_ONLY = flag({
	displayName: 'Active Only',
	default: true,
	description: 'Whether to leave out inactive branches',
});

/** The fields of a branch that an AI assistant needs. The service sends more. */
const FIELDS = ['name', 'address', 'status', 'branchId'];

const OUTPUT = { all: FIELDS, forModel: FIELDS };

export const getManyBranchesFields = updateDisplayOptions(
	{ show: { resource: ['branch'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the branches of the agency${UP_TO_LIMIT}`, FIELDS),
		filtersOf('branches', [ACTIVE_ONLY.field]),
		...toolListFields,
		...outputFields(OUTPUT),
		inventoryOptions,
	],
);

/** Lists the agency's branches as the service sends them. */
export const getManyBranches = listing((context, itemIndex) => {
	const query = readFilterQuery(context, itemIndex, [ACTIVE_ONLY]);
	return {
		output: readOutput(context, itemIndex, OUTPUT),
		list: async (agency, limit) => await agency.list('branches', query, limit),
	};
});
