import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { filtersOf, simplifyField } from '../common/fields/list';
import { optionsField } from '../common/fields/options';
import { retryOptions } from '../common/fields/retry';
import { pollingOptions } from '../common/polling/fields';
import type { PropertyEvent } from './compare';
import { EVENTS } from './compare';
import { TRIGGER_FILTERS } from './filters';
import type { StartFrom } from './progress';
import { INVENTORY_STARTS } from './progress';
import type { Runs } from './settings';
import { RUNS_OF_CHANGES } from './settings';

type Words = Omit<INodePropertyOptions, 'value'>;

const EVENT_OPTIONS: Record<PropertyEvent, Words> = {
	created: { name: 'Created', description: 'A property is new', action: 'On new property' },
	statusChanged: {
		name: 'Status Changed',
		description:
			'The status is different, such as Under Offer, or the property was archived or restored',
		action: 'On property status changed',
	},
	priceChanged: {
		name: 'Price Changed',
		description: 'The price or rent is different',
		action: 'On property price changed',
	},
	updated: {
		name: 'Updated',
		description: 'Anything else has changed',
		action: 'On property updated',
	},
};

const INVENTORY_START_OPTIONS: Record<StartFrom, Words> = {
	activation: {
		name: 'When Published',
		description:
			'Only changes since you first published the workflow. A property created in the minute before may be included.',
	},
	lookBack: {
		name: 'Last Hour',
		description:
			'Also changes in the hour before you publish, or in the time that the option ‘Look Back’ sets',
	},
};

const RUNS_OF_CHANGES_OPTIONS: Record<Runs, Words> = {
	onePerChange: {
		name: 'One per Change',
		description:
			'Each change starts a run of its own, and n8n’s stored executions prevent a second one. If a run fails, the other changes continue.',
	},
	onePerPoll: {
		name: 'One per Poll',
		description: 'All changes of a poll start one run, as a list of items',
	},
};

const agencyRefs: INodeProperties = {
	displayName: 'AgencyRefs',
	name: 'agencyRefs',
	type: 'string',
	default: '',
	placeholder: 'e.g. 6f1d2c3b-4a59-4e87-9c60-112233445566',
	description:
		'The agencies to use instead of the one in the credential: several separated by commas, or an expression that returns a list',
};

export const inventoryTriggerFields: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['created', 'statusChanged', 'priceChanged'],
		description:
			'What starts the workflow. If several happen to a property between two polls, it is delivered once, and the ‘event’ field holds the most important one.',
		options: EVENTS.map((value) => ({ value, ...EVENT_OPTIONS[value] })),
	},
	filtersOf(
		'properties',
		TRIGGER_FILTERS.map(({ field }) => field),
	),
	{
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		default: 'activation',
		description:
			'Which changes the first poll delivers. Also applies to agencies that you add later.',
		options: INVENTORY_STARTS.map((value) => ({ value, ...INVENTORY_START_OPTIONS[value] })),
	},
	{
		displayName: 'Runs',
		name: 'runs',
		type: 'options',
		default: 'onePerChange',
		builderHint: {
			propertyHint:
				"'onePerChange' for whatever must not be lost or sent twice; 'onePerPoll' for summaries and bulk writes",
		},
		description:
			'Whether the changes of a poll share one execution (run) of the workflow or each have their own',
		options: RUNS_OF_CHANGES.map((value) => ({ value, ...RUNS_OF_CHANGES_OPTIONS[value] })),
	},
	simplifyField,
	optionsField(
		[
			agencyRefs,
			...pollingOptions(retryOptions, { one: 'change', many: 'changes' }, 'onePerChange'),
		],
		'how far to look back',
	),
];
