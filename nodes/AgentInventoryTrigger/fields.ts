import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { filtersOf } from '../common/fields/list';
import { optionsField } from '../common/fields/options';
import { retryOptions } from '../common/fields/retry';
import { simplifyHint } from '../common/outputHint';
import { TRIGGER_FILTERS } from './filters';
import type { Runs } from './settings';
import {
	DEFAULT_LOOK_BACK_MINUTES,
	DEFAULT_MAX_WAIT_SECONDS,
	MOST_RUNS_AGAIN,
	RUNS,
} from './settings';
import type { PropertyEvent } from './target/propertyState';
import { EVENTS } from './target/propertyState';
import type { StartFrom } from './target/start';
import { STARTS } from './target/start';

type Words = Omit<INodePropertyOptions, 'value'>;

const EVENT_OPTIONS: Record<PropertyEvent, Words> = {
	created: { name: 'Created', description: 'A property is new' },
	statusChanged: {
		name: 'Status Changed',
		description: 'It has another status, such as Under Offer, or was archived or brought back',
	},
	priceChanged: { name: 'Price Changed', description: 'It has another price or rent' },
	updated: { name: 'Updated', description: 'Anything else of it has changed' },
};

const START_OPTIONS: Record<StartFrom, Words> = {
	activation: {
		name: 'Activation',
		description:
			'Only what changes after you publish the workflow. A property that was created in the minute before may come too.',
	},
	lookBack: {
		name: 'Look Back',
		description: 'Also what was created or updated within Look Back before that',
	},
};

const RUNS_OPTIONS: Record<Runs, Words> = {
	onePerPoll: {
		name: 'One per Poll',
		description: 'All changes of a poll start the workflow together, as a list of items',
	},
	onePerChange: {
		name: 'One per Change',
		description:
			'Each change starts the workflow by itself, once. One that fails does not hold up the others.',
	},
};

const agencyRefs: INodeProperties = {
	displayName: 'AgencyRefs',
	name: 'agencyRefs',
	type: 'string',
	default: '',
	placeholder: 'e.g. 6f1d2c3b-4a59-4e87-9c60-112233445566',
	description:
		'The agencies to ask, instead of the one in the credential: several with commas between them, or an expression that gives a list',
};

const lookBack: INodeProperties = {
	displayName: 'Look Back',
	name: 'lookBack',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: DEFAULT_LOOK_BACK_MINUTES,
	hint: 'In minutes',
	description:
		'How many minutes each poll reaches back before the end of the last one, for changes that appear late. Changes that were delivered are not delivered again.',
};

const runAgain: INodeProperties = {
	displayName: 'Run Again If It Fails',
	name: 'runAgain',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: MOST_RUNS_AGAIN, numberPrecision: 0 },
	displayOptions: { show: { '/runs': ['onePerChange'] } },
	default: 0,
	hint: 'Times',
	description:
		'How many more times the workflow is started for a change if its run fails: 1 minute later, then 2, 4, 8 and 16. The field “attempt” of the item says which run it is. What a failed run has done is done again: use this if it does no harm.',
};

const pollOptions = retryOptions.map((option) =>
	option.name === 'maxWait'
		? {
				...option,
				default: DEFAULT_MAX_WAIT_SECONDS,
				description:
					'How many seconds to wait at most between the tries of one request. What takes longer is left to the next poll.',
			}
		: option,
);

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: EVENTS.filter((event) => event !== 'updated'),
		description:
			'What starts the workflow. If several happen to a property between two polls, it comes once, and the field “event” has the most important one.',
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
		description: 'Which changes the first poll delivers. Also applies to agencies that you add later.',
		options: STARTS.map((value) => ({ value, ...START_OPTIONS[value] })),
	},
	{
		displayName: 'Runs',
		name: 'runs',
		type: 'options',
		default: 'onePerPoll',
		builderHint: {
			propertyHint:
				"'onePerChange' for whatever must not be lost or sent twice; 'onePerPoll' for summaries and bulk writes",
		},
		description: 'How often the workflow is started',
		options: RUNS.map((value) => ({ value, ...RUNS_OPTIONS[value] })),
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		builderHint: simplifyHint,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	optionsField([...pollOptions, agencyRefs, lookBack, runAgain]),
];
