import upperFirst from 'lodash/upperFirst';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { ANY_FILTER_KIND, DEFAULT_QUERY_NAMES, FILTER_KINDS } from '../../../service/leads/leads';
import type { LeadType } from '../../../service/leads/leads';
import { LEAD_TYPES } from '../../../service/leads/leads';
import { simplifyField as plainSimplifyField } from '../fields/list';
import { retryOptions } from '../fields/retry';

/** The value of “Filter By” with which no filter is set, so that all leads are returned. */
export const NO_FILTER = 'none';

const { fromTime, toTime } = DEFAULT_QUERY_NAMES;

export const LEAD_TYPE_OPTIONS: Record<LeadType, Omit<INodePropertyOptions, 'value'>> = {
	applicant: {
		name: 'Applicant Lead',
		description: 'A person who wants to buy or rent',
		action: 'On new applicant lead',
	},
	appraisal: {
		name: 'Appraisal Lead',
		description: 'An owner who wants a valuation',
		action: 'On new appraisal lead',
	},
};

/** The value of “Trigger On” that stands for both types of lead. */
export const ANY_LEAD = 'any';

/** The field “Trigger On”: the leads that start a workflow. */
export const leadTypesField: INodeProperties = {
	// n8n's node panel takes the trigger's actions from the choices of the field that has the label “Trigger On”.
	displayName: 'Trigger On',
	name: 'leadTypes',
	type: 'multiOptions',
	required: true,
	default: [...LEAD_TYPES],
	description: 'Which leads start the workflow',
	options: [
		{
			name: 'Any Lead',
			value: ANY_LEAD,
			description: 'Leads of both types',
			action: 'On new lead',
		},
		...LEAD_TYPES.map((value) => ({ value, ...LEAD_TYPE_OPTIONS[value] })),
	],
};

/**
 * The end of an expression for a node's subtitle. It adds “ by Branch”, for example, or nothing if no filter is set.
 */
export const BY_FILTER = `({ ${FILTER_KINDS.map((kind) => `${kind}: " by ${upperFirst(kind)}"`).join(', ')} }[$parameter["filterBy"]] ?? "")`;

/** The filter fields, which Agent Leads and Agent Leads Trigger have in common. */
export const filterFields: INodeProperties[] = [
	{
		displayName: 'Filter By',
		name: 'filterBy',
		type: 'options',
		default: NO_FILTER,
		hint: `Required if your agency has more than one ${ANY_FILTER_KIND}`,
		description: 'Whose leads to get',
		options: [
			...FILTER_KINDS.map((kind) => ({ name: upperFirst(kind), value: kind })),
			{ name: 'No Filter', value: NO_FILTER },
		],
	},
	{
		displayName: 'Filter IDs',
		name: 'filterId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. NORTH, SOUTH',
		hint: 'Use the IDs that the operator of the service gave you, with commas between them. The node sends one request for each ID.',
		description: 'The ID to filter by, or several IDs separated by commas',
		displayOptions: { show: { filterBy: [...FILTER_KINDS] } },
	},
];

export const simplifyField: INodeProperties = {
	...plainSimplifyField,
	hint: 'Turn off to get every field, such as the preferred way and time of contact',
};

/**
 * Makes the option for the name of the query parameter for the start or the end of the period in which leads were
 * submitted.
 */
function timeName(displayName: string, name: string, end: string, usual: string): INodeProperties {
	const description = `Name of the query parameter for the ${end} of the period`;
	return { displayName, name, type: 'string', default: usual, description };
}

/**
 * The options of a node for leads: the limits for requests and their retries, and then the names of the query
 * parameters, which are rarely changed.
 */
export const leadOptions: INodeProperties[] = [
	...retryOptions,
	{
		displayName: 'Filter Parameter Name',
		name: 'filterParameter',
		type: 'string',
		default: '',
		// The usual name of the parameter for a filter by branch.
		placeholder: `e.g. ${FILTER_KINDS[0]}-id`,
		description: 'Name of the query parameter for the filter. If empty, the usual name.',
	},
	timeName('From Time Parameter Name', 'fromTimeParameter', 'start', fromTime),
	timeName('To Time Parameter Name', 'toTimeParameter', 'end', toTime),
];
