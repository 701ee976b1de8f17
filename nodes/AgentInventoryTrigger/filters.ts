import type { INodeProperties } from 'n8n-workflow';

import type { Filter } from '../common/inventory/filters';
import { FILTERS } from '../common/inventory/filters';

/** The filters of Agent Inventory that the trigger has as well, with what differs in their fields. The trigger asks for times and archived properties itself. */
const OWN: Record<string, Partial<INodeProperties>> = {
	recordType: {},
	category: {},
	branchIds: {},
	status: {
		description:
			'One or more statuses after the change. A property that changes to any other status starts nothing.',
	},
};

/** The filters of a property that has changed. */
export const TRIGGER_FILTERS: Filter[] = FILTERS.filter.flatMap((filter) => {
	const own = OWN[filter.field.name];
	return own ? [{ ...filter, field: { ...filter.field, ...own } }] : [];
});
