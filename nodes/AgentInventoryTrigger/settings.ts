import uniqBy from 'lodash/uniqBy';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodePropertyOptions,
	IPollFunctions,
} from 'n8n-workflow';

import { DAY_MS } from '../../service/basics/times';
import { agencyKey } from '../../service/inventory/agencyRef';
import { branchChoices } from '../common/inventory/choices';
import { filterQuery } from '../common/inventory/readFilterQuery';
import type { InventoryOptions } from '../common/inventory/readers';
import { readAgencyRef } from '../common/inventory/readers';
import { STATUSES } from '../common/inventory/statuses';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, oneOf, readPollingSettings } from '../common/polling/settings';
import { isEmpty, readIds, readChoices, readRetryLimits } from '../common/readers';
import type { PropertyEvent } from './compare';
import { EVENTS } from './compare';
import { TRIGGER_FILTERS } from './filters';
import type { StartFrom } from './progress';
import { INVENTORY_STARTS } from './progress';

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
	const events = readChoices('Events', parameter('events'), [...EVENTS]);
	return {
		events: EVENTS.filter((event) => events.includes(event)),
		query,
		// The trigger filters by status itself: no service refuses a word that no property will ever have.
		...(statuses !== undefined && { statuses: readChoices('Status', statuses, STATUSES) }),
		agencyRefs: readAgencyRefs(givenOptions(context)),
		...readPollingSettings(context, MOST_LOOK_BACK_MS),
		startFrom: oneOf('Start From', INVENTORY_STARTS, parameter('startFrom')),
		runs: oneOf('Runs', RUNS_OF_CHANGES, parameter('runs')),
	};
}

/** None if it is the credential's own. */
function readAgencyRefs({ agencyRefs }: IDataObject): string[] {
	if (isEmpty(agencyRefs)) return [];
	const label = 'AgencyRefs';
	const read = readIds(label, agencyRefs).map((each) => readAgencyRef(label, each));
	return uniqBy(read, agencyKey);
}

/** The branches of the first agency. */
export async function getBranchesOfFirst(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	return await branchChoices(this, readFirst);
}

function readFirst(options: IDataObject): InventoryOptions {
	const [agencyRef] = readAgencyRefs(options);
	return { limits: readRetryLimits(options), agencyRef };
}
