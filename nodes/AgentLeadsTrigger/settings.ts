import type { IPollFunctions } from 'n8n-workflow';

import type { QueryNames } from '../../service/leads/leads';
import { RETENTION_MS } from '../../service/leads/leads';
import { readFilters, readLeadTypes, readQueryNames } from '../common/leads/readers';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, oneOf, readPollingSettings } from '../common/polling/settings';
import type { Target } from './target';
import { targetKey } from './target';

/** The values of “Start From”. */
export const STARTS = ['activation', 'last24Hours', 'last30Days'] as const;

export type StartFrom = (typeof STARTS)[number];

/** The values of “Runs”: how leads are passed to the workflow. */
export const RUNS = ['onePerLead', 'onePerPoll'] as const;

export type Runs = (typeof RUNS)[number];

/** The node's parameters, checked. */
export interface Settings extends PollingSettings {
	targets: Target[];
	names: QueryNames;
	startFrom: StartFrom;
	runs: Runs;
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
		...readPollingSettings(context, RETENTION_MS),
		startFrom: oneOf('Start From', STARTS, parameter('startFrom')),
		runs: oneOf('Runs', RUNS, parameter('runs')),
	};
}
