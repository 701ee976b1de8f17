import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { filtersOf, simplifyField } from '../common/fields/list';
import { optionsField } from '../common/fields/options';
import { retryOptions } from '../common/fields/retry';
import { pollingOptions, runsField, startFromField } from '../common/polling/fields';
import type { PropertyEvent } from './compare';
import { EVENTS } from './compare';
import { TRIGGER_FILTERS } from './filters';

const EVENT_OPTIONS: Record<PropertyEvent, Omit<INodePropertyOptions, 'value'>> = {
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

const WORDS = { one: 'change', many: 'changes' };

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
			'What starts the workflow. If several happen to a property between two polls, you get one item, and its ‘event’ field holds the most important one.',
		options: EVENTS.map((value) => ({ value, ...EVENT_OPTIONS[value] })),
	},
	filtersOf(
		'properties',
		TRIGGER_FILTERS.map(({ field }) => field),
	),
	startFromField(WORDS, 'agencies', [
		{
			name: 'Last Hour',
			value: 'lookBack',
			description:
				'Also changes in the hour before you publish, or in the time that the option ‘Look Back’ sets',
		},
	]),
	runsField(WORDS, 'onePerChange'),
	simplifyField,
	optionsField(
		[agencyRefs, ...pollingOptions(retryOptions, WORDS, 'onePerChange')],
		'how far to look back',
	),
];
