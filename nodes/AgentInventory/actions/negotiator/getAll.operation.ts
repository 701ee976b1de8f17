import { updateDisplayOptions } from 'n8n-workflow';

import { toolDescription, toolListFields, UP_TO_LIMIT } from '../../../common/tool/fields';
import { outputFields, readOutput } from '../../../common/tool/output';
import { inventoryOptions } from '../../fields';
import { listing } from '../../listing';

/** The fields of a negotiator that an AI assistant needs. The service sends more. */
const FIELDS = ['name', 'role', 'email', 'phoneNumber', 'id'];

const OUTPUT = { all: FIELDS, forModel: FIELDS };

export const getManyNegotiatorsFields = updateDisplayOptions(
	{ show: { resource: ['negotiator'], operation: ['getAll'] } },
	[
		toolDescription(`Lists the staff of the agency${UP_TO_LIMIT}`, FIELDS),
		...toolListFields,
		...outputFields(OUTPUT),
		inventoryOptions,
	],
);

/** Lists the agency's negotiators as the service sends them. */
export const getManyNegotiators = listing((context, itemIndex) => ({
	output: readOutput(context, itemIndex, OUTPUT),
	list: async (agency, limit) => await agency.list('negotiators', {}, limit),
}));
