import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../common/fields/options';
import { filterFields, leadOptions, leadTypesField, simplifyField } from '../common/leads/fields';
import { pollingOptions, runsField, startFromField } from '../common/polling/fields';

const WORDS = { one: 'lead', many: 'leads' };

export const triggerFields: INodeProperties[] = [
	leadTypesField,
	...filterFields,
	startFromField(WORDS, 'lead types and filter IDs', [
		{
			name: 'Last 24 Hours',
			value: 'last24Hours',
			description: 'Leads from the previous 24 hours as well',
		},
		{
			name: 'Last 30 Days',
			value: 'last30Days',
			description: 'All leads that the service still keeps as well',
		},
	]),
	runsField(WORDS, 'onePerLead', 'Required together with Agent Leads Push Trigger. '),
	simplifyField,
	optionsField(pollingOptions(leadOptions, WORDS, 'onePerLead'), 'how far to look back'),
];
