import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { optionsField } from '../common/fields/options';
import { filterFields, leadOptions, leadTypesField, simplifyField } from '../common/leads/fields';
import { pollingOptions } from '../common/polling/fields';
import type { Runs, StartFrom } from './settings';
import { RUNS, STARTS } from './settings';

const RUNS_OPTIONS: Record<Runs, Omit<INodePropertyOptions, 'value'>> = {
	onePerLead: {
		name: 'One per Lead',
		description:
			'Each lead starts a run of its own, and n8n’s stored executions prevent a second one. Required together with Agent Leads Push Trigger.',
	},
	onePerPoll: {
		name: 'One per Poll',
		description: 'All new leads of a poll start one run, as a list of items',
	},
};

const START_OPTIONS: Record<StartFrom, Omit<INodePropertyOptions, 'value'>> = {
	activation: {
		name: 'When Published',
		description:
			'Only leads that arrived since you first published the workflow. One from the minute before may be included.',
	},
	last24Hours: {
		name: 'Last 24 Hours',
		description: 'Leads from the previous 24 hours as well',
	},
	last30Days: {
		name: 'Last 30 Days',
		description: 'All leads that the service still keeps as well',
	},
};

export const triggerFields: INodeProperties[] = [
	leadTypesField,
	...filterFields,
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		default: 'activation',
		description:
			'Which leads the first poll delivers. Also applies to lead types and filter IDs that you add later.',
		options: STARTS.map((value) => ({ value, ...START_OPTIONS[value] })),
	},
	{
		displayName: 'Runs',
		name: 'runs',
		type: 'options',
		default: 'onePerLead',
		builderHint: {
			propertyHint:
				"'onePerLead' for whatever must not be lost or sent twice, and always beside Agent Leads Push Trigger; 'onePerPoll' for summaries and bulk writes",
		},
		description:
			'Whether the leads of a poll share one execution (run) of the workflow or each have their own',
		options: RUNS.map((value) => ({ value, ...RUNS_OPTIONS[value] })),
	},
	simplifyField,
	optionsField(
		pollingOptions(leadOptions, { one: 'lead', many: 'leads' }, 'onePerLead'),
		'how far to look back',
	),
];
