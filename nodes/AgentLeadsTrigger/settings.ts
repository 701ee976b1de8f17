import type { IPollFunctions } from 'n8n-workflow';

import type { QueryNames } from '../../service/leads/leads';
import { RETENTION_MS } from '../../service/leads/leads';
import { FieldError } from '../common/fieldError';
import { readFilters, readLeadTypes, readQueryNames } from '../common/leads/readers';
import type { PollingSettings } from '../common/polling/settings';
import { givenOptions, readPollingSettings } from '../common/polling/settings';
import type { Target } from './target';
import { targetKey } from './target';

/** The values of “Start From”. */
export const STARTS = ['activation', 'last24Hours', 'last30Days'] as const;

export type StartFrom = (typeof STARTS)[number];

/** How leads are handed to the workflow. */
export const RUNS = ['onePerLead', 'onePerPoll'] as const;

export type Runs = (typeof RUNS)[number];

/** What the node's parameters ask for, checked. */
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
		startFrom: readStart(parameter('startFrom')),
		runs: readRuns(parameter('runs')),
	};
}

function readStart(value: unknown): StartFrom {
	const start = STARTS.find((each) => each === value);
	if (start) return start;
	throw new FieldError(
		'Start From',
		'has an unknown value',
		'Use activation, last24Hours or last30Days.',
	);
}

function readRuns(value: unknown): Runs {
	const runs = RUNS.find((each) => each === value);
	if (runs) return runs;
	throw new FieldError('Runs', 'has an unknown value', 'Use onePerLead or onePerPoll.');
}
