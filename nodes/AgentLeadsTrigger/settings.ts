import type { IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../../service/basics/times';
import type { QueryNames } from '../../service/leads/leads';
import { RETENTION_MS } from '../../service/leads/leads';
import { readFilters, readLeadTypes, readQueryNames } from '../common/leads/readers';
import { PUBLISHED_WITHIN_MS } from '../common/polling/host';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, readPollingSettings } from '../common/polling/settings';
import { readChoice } from '../common/readers';
import type { Target } from './target';
import { targetKey } from './target';

/**
 * The values of “Start From”: how long before the publication of the workflow a lead may have been submitted and still
 * be delivered, in milliseconds.
 */
const STARTS = {
	activation: PUBLISHED_WITHIN_MS,
	last24Hours: DAY_MS,
	last30Days: RETENTION_MS,
};

/** The node's parameters, after they were checked. */
export interface Settings extends PollingSettings {
	targets: Target[];
	names: QueryNames;
	/** How long before the publication of the workflow a lead may have been submitted and still be delivered. */
	startsBeforeMs: number;
}

/** @throws FieldError before any request */
export function readSettings(context: IPollFunctions): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const filters = readFilters(parameter('filterBy'), parameter('filterId'));
	return {
		targets: readLeadTypes(parameter('leadTypes')).flatMap((leadType) =>
			filters.map((filter) => ({ key: targetKey(leadType, filter), leadType, filter })),
		),
		names: readQueryNames(givenOptions(context)),
		...readPollingSettings(context, RETENTION_MS, 'onePerLead'),
		startsBeforeMs: readChoice('Start From', parameter('startFrom'), STARTS),
	};
}
