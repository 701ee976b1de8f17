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

/** The node's parameters, after they were checked. */
export interface Settings extends PollingSettings {
	events: PropertyEvent[];
	/** The filters that the service applies. */
	query: IDataObject;
	/**
	 * A change is delivered only if the property then has one of these statuses; unset if any status will do. The
	 * trigger applies this filter, not the service, because the trigger has to see a property that leaves one of these
	 * statuses.
	 */
	statuses?: string[];
	/** The AgencyRefs of the agencies to watch; empty to watch the agency of the credential. */
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
		// The service does not get the statuses, so it would not refuse an unknown one. The node has to check them.
		...(statuses !== undefined && { statuses: readChoices('Status', statuses, STATUSES) }),
		agencyRefs: readAgencyRefs(givenOptions(context)),
		...readPollingSettings(context, MOST_LOOK_BACK_MS, 'onePerChange'),
		startFrom: readChoice('Start From', parameter('startFrom'), keyBy(INVENTORY_STARTS)),
	};
}
