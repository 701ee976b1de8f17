import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import type { LeadFilter, QueryNames } from '../../service/leads/fetchLeads';
import type { LeadType } from '../../service/leads/lead';
import { LEAD_TYPES, RETENTION_MS } from '../../service/leads/lead';
import type { RetryLimits } from '../../service/session';
import { FieldError } from '../common/fieldError';
import { readFilters, readQueryNames } from '../common/leads/readers';
import { readRetryLimits, wholeNumber } from '../common/readers';
import type { StartFrom } from './target/progress';
import { scopeKey } from './target/progress';

/** One request's worth of leads: a type and, where one is set, a filter id. */
export interface Target {
	key: string;
	leadType: LeadType;
	filter?: LeadFilter;
}

/** What the node's parameters ask for, checked. */
export interface Settings {
	targets: Target[];
	names: QueryNames;
	limits: RetryLimits;
	lookBackMs: number;
	startFrom: StartFrom;
	simplify: boolean;
}

/** For people: “Applicant leads of branch 10234”. */
export function titleOf({ leadType, filter }: Target): string {
	const title = leadType === 'applicant' ? 'Applicant leads' : 'Appraisal leads';
	return filter ? `${title} of ${filter.by} ${filter.id}` : title;
}

const STARTS: StartFrom[] = ['activation', 'last24Hours', 'last30Days'];
const DEFAULT_LOOK_BACK_MINUTES = 60;
const MINUTE_MS = 60_000;

/** In a poll a wait is short: what takes longer is left to the next one. */
const DEFAULT_MAX_WAIT_SECONDS = 10;

/** @throws FieldError before any request */
export function readSettings(context: IPollFunctions): Settings {
	const parameter = (name: string): unknown => context.getNodeParameter(name, '');
	const given = objectOf(parameter('options'));
	const options = {
		maxWait: DEFAULT_MAX_WAIT_SECONDS,
		lookBack: DEFAULT_LOOK_BACK_MINUTES,
		...given,
	};
	const filters = readFilters(parameter('filterBy'), parameter('filterId'));
	return {
		targets: readLeadTypes(parameter('leadTypes')).flatMap((leadType) =>
			filters.map((filter) => ({ key: scopeKey(leadType, filter), leadType, filter })),
		),
		names: readQueryNames(options),
		limits: readRetryLimits(options),
		lookBackMs: wholeNumber('Look Back', options.lookBack, 1, RETENTION_MS / MINUTE_MS) * MINUTE_MS,
		startFrom: readStart(parameter('startFrom')),
		simplify: parameter('simplify') === true,
	};
}

function objectOf(value: unknown): IDataObject {
	return isObject(value) ? value : {};
}

/** A list from an expression may come as text with commas. */
function readLeadTypes(value: unknown): LeadType[] {
	const wanted = (Array.isArray(value) ? value : String(value).split(',')).map((each) =>
		String(each).trim(),
	);
	const known = LEAD_TYPES.filter((leadType) => wanted.includes(leadType));
	if (known.length === 0 || known.length < new Set(wanted).size) {
		throw new FieldError(
			'Trigger On',
			known.length === 0 && wanted.join('') === '' ? 'is empty' : 'has an unknown value',
			'Choose applicant, appraisal or both from the list.',
		);
	}
	return known;
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
