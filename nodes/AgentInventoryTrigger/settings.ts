import keyBy from 'lodash/keyBy';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../../service/basics/times';
import { filterQuery } from '../common/inventory/readFilterQuery';
import { readAgencyRefs } from '../common/inventory/readers';
import { STATUSES } from '../common/inventory/statuses';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, readPollingSettings } from '../common/polling/settings';
import { readChoice, readChoices } from '../common/readers';
import type { PropertyEvent } from './compare';
import { EVENTS } from './compare';
import { TRIGGER_FILTERS } from './filters';
import type { StartFrom } from './progress';
import { INVENTORY_STARTS } from './progress';

const MOST_LOOK_BACK_MS = 30 * DAY_MS;

/** What the node's parameters ask for, checked. */
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
		...readPollingSettings(context, MOST_LOOK_BACK_MS, 'onePerChange'),
		startFrom: readChoice('Start From', parameter('startFrom'), keyBy(INVENTORY_STARTS)),
	};
}
