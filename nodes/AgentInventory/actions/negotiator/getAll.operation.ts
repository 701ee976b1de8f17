import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { inventoryOptions } from '../../fields';
import { listing } from '../../listing';

const FIELDS = ['name', 'role', 'email', 'phoneNumber', 'id'];

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the staff of the agency${UP_TO_LIMIT}`, FIELDS),
		...toolListFields,
		inventoryOptions,
	],
);

/** The agency's negotiators as the service sends them. */
export const getManyNegotiators = listing(() => ({
	list: async (agency, limit) => await agency.list('negotiators', {}, limit),
}));
