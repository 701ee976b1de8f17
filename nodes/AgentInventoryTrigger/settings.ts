import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../../service/basics/times';
import { FieldError } from '../common/fieldError';
import type { FieldLabel } from '../common/labels';
import { filterQuery } from '../common/inventory/readFilterQuery';
import { STATUSES } from '../common/inventory/statuses';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, readPollingSettings } from '../common/polling/settings';
import { readKnownChoices } from '../common/readers';
import { readAgencyRefs } from './agencyRefs';
import { TRIGGER_FILTERS } from './filters';
import type { PropertyEvent } from './progress/propertyState';
import { EVENTS } from './progress/propertyState';
import type { StartFrom } from './progress/start';
import { INVENTORY_STARTS } from './progress/start';

const MOST_LOOK_BACK_MS = 30 * DAY_MS;

/** How changes are handed to the workflow. */
export const RUNS_OF_CHANGES = ['onePerChange', 'onePerPoll'] as const;

export type Runs = (typeof RUNS_OF_CHANGES)[number];

/** What the node's parameters ask for, checked. */
export interface Settings extends PollingSettings {
	events: PropertyEvent[];
	/** What the service filters by. */
	query: IDataObject;
	/** What the trigger filters by: it has to see a property that leaves one of them. Unset: all of them. */
	statuses?: string[];
	/** None: the credential's own. */
	agencyRefs: string[];
	startFrom: StartFrom;
	runs: Runs;
}

/** @throws FieldError before any request */
export function readInventorySettings(context: IPollFunctions): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const { 'inventory-status': statuses, ...query } = filterQuery(
		parameter('filters'),
		TRIGGER_FILTERS,
		context.getTimezone(),
	);
	return {
		events: readEvents(parameter('events')),
		query,
		...(statuses !== undefined && { statuses: readStatuses(statuses) }),
		agencyRefs: readAgencyRefs(givenOptions(context)),
		...readPollingSettings(context, MOST_LOOK_BACK_MS),
		startFrom: oneOf('Start From', INVENTORY_STARTS, parameter('startFrom')),
		runs: oneOf('Runs', RUNS_OF_CHANGES, parameter('runs')),
	};
}

function readEvents(value: unknown): PropertyEvent[] {
	const chosen = readKnownChoices('Events', value, [...EVENTS]);
	return EVENTS.filter((event) => chosen.includes(event));
}

/** The trigger filters by them itself: no service refuses a word that no property will ever have. */
function readStatuses(value: unknown): string[] {
	return readKnownChoices('Status', value, [...STATUSES.keys()]);
}

function oneOf<T extends string>(label: FieldLabel, choices: readonly T[], value: unknown): T {
	const choice = choices.find((each) => each === value);
	if (choice !== undefined) return choice;
	throw new FieldError(label, 'has an unknown value', `Use ${choices.join(' or ')}.`);
}
