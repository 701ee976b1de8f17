import chunk from 'lodash/chunk';
import partition from 'lodash/partition';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapConcurrently, REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import type {
	LeadFilter,
	LeadRequest,
	LeadsReading,
	QueryNames,
} from '../../../../service/leads/fetchLeads';
import { fetchLeads } from '../../../../service/leads/fetchLeads';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import type { LeadType } from '../../../../service/leads/lead';
import { leadKey, mayLieIn, submittedAt } from '../../../../service/leads/lead';
import type { TimeWindow } from '../../../../service/leads/window';
import { daySlices } from '../../../../service/leads/window';
import { Session } from '../../../../service/session';
import type { RetryLimits } from '../../../../service/session';
import { FieldError } from '../../../common/fieldError';
import { isEmpty, readFlag, readResultLimit, readRetryLimits } from '../../../common/readers';
import { readFilters, readQueryNames } from '../../../common/leads/readers';
import { leadJson } from '../../../common/leads/simplifyLead';
import { warnOnce } from '../../hints';
import { readPeriod } from './readPeriod';

/** What an item's parameters ask for, checked. */
interface GetManyRequest {
	leadType: LeadType;
	/** None: the service's own last 24 hours. */
	window?: TimeWindow;
	filters: Array<LeadFilter | undefined>;
	names: QueryNames;
	limits: RetryLimits;
	limit: number;
	simplify: boolean;
}

const LEAD_TYPE_OF: Record<string, LeadType> = {
	applicantLead: 'applicant',
	appraisalLead: 'appraisal',
};

/**
 * The leads that one input item asks for, newest first, each once.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyLeads(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const request = readRequest(context, itemIndex);
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType, itemIndex);
	const session = new Session(context, LEADS_INTEGRATION, credentials, request.limits);
	const answer = await collect(session, request);
	tellOfOthers(context, answer);
	const wanted = answer.leads.slice(0, request.limit);
	return wanted.map(({ json }) => ({ json, pairedItem: { item: itemIndex } }));
}

function readRequest(context: IExecuteFunctions, itemIndex: number): GetManyRequest {
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const options = context.getNodeParameter('options', itemIndex, {});
	const leadType = LEAD_TYPE_OF[String(parameter('resource'))];
	if (!leadType) throw new FieldError('Resource', 'is unknown', 'Choose it from the list.');
	const window = readPeriod(context, parameter);
	return {
		leadType,
		window,
		filters: readFilters(parameter('filterBy'), parameter('filterId')),
		names: readQueryNames(options),
		limits: readRetryLimits(options),
		limit: readResultLimit(context, itemIndex),
		simplify: !isEmpty(parameter('simplify')) && readFlag('Simplify', parameter('simplify')),
	};
}

/** What is kept of a lead until all answers are there. */
interface FoundLead {
	/** Tells whether another request has found it too. */
	key: string;
	/** When it was submitted, in epoch milliseconds; `-Infinity` when that is not known. */
	time: number;
	json: IDataObject;
}

/** What came of one request, or of several together. */
interface Found {
	leads: FoundLead[];
	/** Keys of leads that are dated outside the period, and left out. */
	outside: string[];
}

/** Day by day from the newest, and no further than the limit needs. */
async function collect(session: Session, request: GetManyRequest): Promise<Found> {
	const leads = new Map<string, FoundLead>();
	const outside = new Set<string>();
	for (const round of requestRounds(request)) {
		const answers = await mapConcurrently(round, REQUESTS_AT_ONCE, async (part, signal) => {
			const { leadType, names } = request;
			return found(await fetchLeads(session, { leadType, names, ...part }, signal), request);
		});
		for (const answer of answers) {
			for (const lead of answer.leads) if (!leads.has(lead.key)) leads.set(lead.key, lead);
			for (const key of answer.outside) outside.add(key);
		}
		if (leads.size >= request.limit) break;
	}
	return { leads: newestFirst([...leads.values()]), outside: [...outside] };
}

/** Shaped at once: of a month of leads, the raw ones are most of the memory. */
function found({ leads }: LeadsReading, request: GetManyRequest): Found {
	const { window, leadType, simplify } = request;
	const [inside, outside] = partition(leads, (lead) => !window || mayLieIn(window, lead));
	const shaped = inside.map((lead) => ({
		key: leadKey(lead),
		time: submittedAt(lead) ?? -Infinity,
		json: leadJson(lead, leadType, simplify),
	}));
	return { leads: shaped, outside: outside.map(leadKey) };
}

/** A service that takes the times under other names answers with whatever it has. */
function tellOfOthers(context: IExecuteFunctions, { leads, outside }: Found): void {
	if (outside.length === 0) return;
	const message = 'The service sent leads that are dated outside the period; they were left out.';
	warnOnce(context, outside.length > leads.length ? `${message} ${NAMES_ADVICE}` : message);
}

const NAMES_ADVICE =
	'They were most of what it sent, so it may expect the period under other names: ask the operator of the service, and check From Time Parameter Name and To Time Parameter Name in the options.';

type Part = Pick<LeadRequest, 'window' | 'filter'>;

/**
 * Requests that may be sent together. Without a limit, all of them. With one, a day first and then a few days
 * at a time: the limit may be reached early, and a quiet month must not take thirty rounds.
 */
function requestRounds({ window, filters, limit }: GetManyRequest): Part[][] {
	const slices = window ? daySlices(window) : [undefined];
	const byDay = slices.map((slice) => filters.map((filter) => ({ window: slice, filter })));
	if (limit === Infinity) return [byDay.flat()];
	const [first = [], ...others] = byDay;
	return [first, ...chunk(others, REQUESTS_AT_ONCE).map((days) => days.flat())];
}

/** Leads without a time come last; leads of the same second stay as they came. */
function newestFirst(leads: FoundLead[]): FoundLead[] {
	return leads.sort((a, b) => (a.time === b.time ? 0 : b.time - a.time));
}
