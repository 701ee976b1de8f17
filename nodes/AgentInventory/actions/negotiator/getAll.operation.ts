import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { fieldsToReturn, readOutput } from '../../../common/tool/fieldsToReturn';
import { inventoryOptions } from '../../fields';
import { listing } from '../../listing';

/** What an assistant needs of a negotiator; the service tells more. */
const NEGOTIATOR_FIELDS = ['id', 'name', 'role', 'email', 'phoneNumber'];

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the staff of the agency${UP_TO_LIMIT}`, NEGOTIATOR_FIELDS),
		...toolListFields,
		fieldsToReturn(NEGOTIATOR_FIELDS),
		inventoryOptions,
	],
);

/** The agency's negotiators as the service sends them. */
export const getManyNegotiators = listing((context, itemIndex) => ({
	output: readOutput(context, itemIndex, NEGOTIATOR_FIELDS),
	list: async (agency, limit) => await agency.list('negotiators', {}, limit),
}));
