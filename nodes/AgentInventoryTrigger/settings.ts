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

/** The values of “Runs”: how changes are passed to the workflow. */
export const RUNS_OF_CHANGES = ['onePerChange', 'onePerPoll'] as const;

export type Runs = (typeof RUNS_OF_CHANGES)[number];

/** The node's parameters, checked. */
export interface Settings extends PollingSettings {
	events: PropertyEvent[];
	/** The filters that the service applies. */
	query: IDataObject;
	/**
	 * The statuses that the trigger filters by itself, because it has to see a property that leaves one of them; unset
	 * for all statuses.
	 */
	statuses?: string[];
	/** The agencies to watch; empty for the credential's own. */
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
		// The trigger filters by status itself, so no service would refuse an unknown status.
		...(statuses !== undefined && { statuses: readChoices('Status', statuses, STATUSES) }),
		agencyRefs: readAgencyRefs(givenOptions(context)),
		...readPollingSettings(context, MOST_LOOK_BACK_MS),
		startFrom: oneOf('Start From', INVENTORY_STARTS, parameter('startFrom')),
		runs: oneOf('Runs', RUNS_OF_CHANGES, parameter('runs')),
	};
}

/** The agencies to watch; empty for the credential's own. */
function readAgencyRefs({ agencyRefs }: IDataObject): string[] {
	if (isEmpty(agencyRefs)) return [];
	const label = 'AgencyRefs';
	const read = readIds(label, agencyRefs).map((each) => readAgencyRef(label, each));
	return uniqBy(read, agencyKey);
}

/** Lists the branches of the first agency, for the filter. */
export async function getBranchesOfFirst(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	return await branchChoices(this, readFirst);
}

function readFirst(options: IDataObject): InventoryOptions {
	const [agencyRef] = readAgencyRefs(options);
	return { limits: readRetryLimits(options), agencyRef };
}
