import type { INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { optionsField } from '../../../common/fields/options';
import { filterFields, leadOptions, simplifyField } from '../../../common/leads/fields';
import { LEAD_FIELDS } from '../../../common/leads/simplifyLead';
import { toolListFields } from '../../../common/tool/fields';
import { outputFields } from '../../../common/tool/output';
import { LEAD_TYPE_OF } from '../../fields';

const fields: INodeProperties[] = [
	{
		displayName: 'Period',
		name: 'period',
		type: 'options',
		default: 'last24Hours',
		description: 'Which period to get leads from',
		options: [
			{ name: 'Date Range', value: 'range', description: 'Between two dates and times' },
			{
				name: 'Last 24 Hours',
				value: 'last24Hours',
				description: 'The 24 hours before the run, by the service’s clock',
			},
			{ name: 'Recent', value: 'recent', description: 'The last minutes, hours or days' },
		],
	},
	{
		displayName: 'Amount',
		name: 'recentAmount',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		required: true,
		default: 7,
		hint: 'The service keeps leads for 30 days',
		description: 'How many minutes, hours or days to look back',
		displayOptions: { show: { period: ['recent'] } },
	},
	{
		displayName: 'Unit',
		name: 'recentUnit',
		type: 'options',
		default: 'days',
		description: 'The unit of ‘Amount’',
		options: [
			{ name: 'Days', value: 'days' },
			{ name: 'Hours', value: 'hours' },
			{ name: 'Minutes', value: 'minutes' },
		],
		displayOptions: { show: { period: ['recent'] } },
	},
	{
		displayName: 'From',
		name: 'from',
		type: 'dateTime',
		required: true,
		default: '',
		hint: 'In the time zone of the workflow. The service keeps leads for 30 days.',
		description: 'The start of the period, inclusive',
		displayOptions: { show: { period: ['range'] } },
	},
	{
		displayName: 'To',
		name: 'to',
		type: 'dateTime',
		default: '',
		hint: 'In the time zone of the workflow. If empty, the period ends now.',
		description: 'The end of the period, inclusive',
		displayOptions: { show: { period: ['range'] } },
	},
	...filterFields,
	...toolListFields,
	...outputFields(LEAD_FIELDS, simplifyField),
	optionsField(leadOptions),
];

export const getManyLeadsFields = updateDisplayOptions(
	{ show: { resource: Object.keys(LEAD_TYPE_OF), operation: ['getAll'] } },
	fields,
);
