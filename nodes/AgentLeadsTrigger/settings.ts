import type { IPollFunctions } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import { MINUTE_MS } from '../../service/basics/times';
import type { QueryNames } from '../../service/leads/fetchLeads';
import { RETENTION_MS } from '../../service/leads/lead';
import type { RetryLimits } from '../../service/session';
import { FieldError } from '../common/fieldError';
import { readFilters, readLeadTypes, readQueryNames } from '../common/leads/readers';
import {
	DEFAULT_LOOK_BACK_MINUTES,
	DEFAULT_MAX_WAIT_SECONDS,
	MOST_RUNS_AGAIN,
} from '../common/polling/fields';
import { readRetryLimits, wholeNumber } from '../common/readers';
import type { StartFrom } from './target/startFrom';
import { STARTS } from './target/startFrom';
import type { Target } from './target/target';
import { targetKey } from './target/target';

/** How leads are handed to the workflow. */
export const RUNS = ['onePerPoll', 'onePerLead'] as const;

export type Runs = (typeof RUNS)[number];

/** What the node's parameters ask for, checked. */
export interface Settings {
	targets: Target[];
	names: QueryNames;
	limits: RetryLimits;
	lookBackMs: number;
	startFrom: StartFrom;
	simplify: boolean;
	runs: Runs;
	/** How many more times a lead is run if its run fails. */
	runAgain: number;
}

/** @throws FieldError before any request */
export function readSettings(context: IPollFunctions): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const given = parameter('options');
	const options = {
		maxWait: DEFAULT_MAX_WAIT_SECONDS,
		lookBack: DEFAULT_LOOK_BACK_MINUTES,
		runAgain: 0,
		...(isObject(given) && given),
	};
	const filters = readFilters(parameter('filterBy'), parameter('filterId'));
	return {
		targets: readLeadTypes(parameter('leadTypes')).flatMap((leadType) =>
			filters.map((filter) => ({ key: targetKey(leadType, filter), leadType, filter })),
		),
		names: readQueryNames(options),
		limits: readRetryLimits(options),
		lookBackMs: wholeNumber('Look Back', options.lookBack, 1, RETENTION_MS / MINUTE_MS) * MINUTE_MS,
		startFrom: readStart(parameter('startFrom')),
		simplify: parameter('simplify') === true,
		runs: readRuns(parameter('runs')),
		runAgain: wholeNumber('Run Again If It Fails', options.runAgain, 0, MOST_RUNS_AGAIN),
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

/** Workflows of earlier versions do not have it. */
function readRuns(value: unknown): Runs {
	const runs = RUNS.find((each) => each === (value === '' ? 'onePerPoll' : value));
	if (runs) return runs;
	throw new FieldError('Runs', 'has an unknown value', 'Use onePerPoll or onePerLead.');
}
