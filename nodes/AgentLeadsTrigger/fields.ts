import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../common/fields/options';
import { filterFields, leadOptions, simplifyField } from '../common/leads/fields';

const lookBack: INodeProperties = {
	displayName: 'Look Back',
	name: 'lookBack',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 60,
	hint: 'In minutes',
	description:
		'How many minutes each poll reaches back before the end of the last one, for leads that appear late. Leads that were delivered are not delivered again.',
};

/** In a poll a wait is short: n8n polls again anyway. */
const pollOptions = leadOptions.map((option) =>
	option.name === 'maxWait'
		? {
				...option,
				default: 10,
				description:
					'How many seconds to wait at most between the tries of one request. What takes longer is left to the next poll.',
			}
		: option,
);

export const triggerProperties: INodeProperties[] = [
	{
		// By this label n8n's node panel knows what starts a workflow, and lists it by its actions.
		displayName: 'Trigger On',
		name: 'leadTypes',
		type: 'multiOptions',
		required: true,
		default: ['applicant', 'appraisal'],
		description: 'Which leads start the workflow',
		options: [
			{
				name: 'Applicant Lead',
				value: 'applicant',
				description: 'A person who wants to buy or rent',
				action: 'On new applicant lead',
			},
			{
				name: 'Appraisal Lead',
				value: 'appraisal',
				description: 'An owner who asks for a valuation of a property',
				action: 'On new appraisal lead',
			},
		],
	},
	...filterFields,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		default: 'activation',
		description:
			'Which leads the first poll delivers. Also applies to lead types, filter IDs or clients that you add later.',
		options: [
			{
				name: 'Activation',
				value: 'activation',
				description:
					'Only leads that arrive after you publish the workflow. One of the minute before may come too.',
			},
			{
				name: 'Last 24 Hours',
				value: 'last24Hours',
				description: 'Also the leads of the 24 hours before',
			},
			{
				name: 'Last 30 Days',
				value: 'last30Days',
				description: 'Also all leads that the service still keeps',
			},
		],
	},
	simplifyField,
	optionsField([...pollOptions, lookBack]),
];
