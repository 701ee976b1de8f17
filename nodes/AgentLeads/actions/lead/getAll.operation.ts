import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	mapConcurrently,
	MOST_REQUESTS_AT_ONCE,
	workWhileDue,
} from '../../../../service/basics/concurrency';
import type {
	LeadFilter,
	LeadRequest,
	LeadsReading,
	QueryNames,
} from '../../../../service/leads/fetchLeads';
import { fetchLeads } from '../../../../service/leads/fetchLeads';
import type { Answered } from '../../../../service/leads/fittingWindows';
import { longestWithin, newerPart } from '../../../../service/leads/fittingLength';
import { FittingWindows } from '../../../../service/leads/fittingWindows';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import type { LeadType } from '../../../../service/leads/lead';
import { leadKey, mayLieIn, submittedAt } from '../../../../service/leads/lead';
import type { TimeWindow } from '../../../../service/leads/window';
import { Session } from '../../../../service/session';
import type { RetryLimits } from '../../../../service/session';
import { FieldError } from '../../../common/fieldError';
import { warnOnce } from '../../../common/hints';
import { readResultLimit, readRetryLimits } from '../../../common/readers';
import { readFilters, readQueryNames } from '../../../common/leads/readers';
import { LEAD_FIELDS, leadJson } from '../../../common/leads/simplifyLead';
import type { Output } from '../../../common/tool/fieldsToReturn';
import { readOutput } from '../../../common/tool/fieldsToReturn';
import { readPeriod } from './readPeriod';

/** What an item's parameters ask for, checked. */
interface GetManyRequest extends Output {
	leadType: LeadType;
	/** None: the service's own last 24 hours. */
	window?: TimeWindow;
	filters: Array<LeadFilter | undefined>;
	names: QueryNames;
	limits: RetryLimits;
	limit: number;
}

const LEAD_TYPE_OF: Record<string, LeadType> = {
	applicantLead: 'applicant',
	appraisalLead: 'appraisal',
};

/**
 * The leads that one input item asks for, newest first, each once.
 *
 * @param failed aborted when another item has failed the node
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyLeads(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const request = readRequest(context, itemIndex);
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType, itemIndex);
	const session = new Session(context, LEADS_INTEGRATION, credentials, request.limits);
	const found = await collect(session, request, failed);
	tellOfOthers(context, found);
	const wanted = found.newestFirst().slice(0, request.limit);
	return wanted.map(({ json }) => ({
		json: request.select(json),
		pairedItem: { item: itemIndex },
	}));
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
		...readOutput(context, itemIndex, LEAD_FIELDS),
	};
}

/** What is kept of a lead until all answers are there. */
interface FoundLead {
	/** Tells whether another request has found it too. */
	key: string;
	/** When it was submitted, in epoch milliseconds; `-Infinity` when that is not known. */
	time: number;
	/** The index of the filter that found it. */
	place: number;
	json: IDataObject;
}

/** A lead that is dated outside the period, and left out. */
type OtherLead = Pick<FoundLead, 'key' | 'time'>;

/** What came of all requests of an item. */
class Found {
	private readonly byKey = new Map<string, FoundLead>();

	/** Keys of leads that are left out. */
	readonly outside = new Set<string>();

	get count(): number {
		return this.byKey.size;
	}

	/** How many are not older than that: others may be missing before those that are. */
	countFrom(time: number): number {
		const isOlder = (lead: FoundLead) => lead.time > -Infinity && lead.time < time;
		return [...this.byKey.values()].filter((lead) => !isOlder(lead)).length;
	}

	/** Leads without a time come last; those of the same second in the order of the filters, and as the service sent them. */
	newestFirst(): FoundLead[] {
		return [...this.byKey.values()].sort((a, b) =>
			a.time === b.time ? a.place - b.place : b.time - a.time,
		);
	}

	add({ leads }: Answer): void {
		for (const lead of leads) {
			if (!('json' in lead)) this.outside.add(lead.key);
			else if (!this.byKey.has(lead.key)) this.byKey.set(lead.key, lead);
		}
	}
}

/** What came of one request. */
type Answer = LeadsReading<FoundLead | OtherLead>;

/** From the newest, and no further than the limit needs. */
async function collect(
	session: Session,
	request: GetManyRequest,
	failed: AbortSignal,
): Promise<Found> {
	const { window, filters, limit, limits } = request;
	const found = new Found();
	const askFor = async (part: Part, needless: AbortSignal) => {
		const signal = AbortSignal.any([failed, needless]);
		const answer = await askForPart(session, request, part, signal);
		found.add(answer);
		return answer;
	};
	if (!window) {
		const parts = filters.map((filter) => ({ filter }));
		await mapConcurrently(parts, MOST_REQUESTS_AT_ONCE, askFor);
		return found;
	}
	const windows = new FittingWindows(
		window,
		filters,
		longestWithin(limits.maxTries, limits.maxWaitMs),
	);
	while (windows.goFurther(found.countFrom(windows.reached), limit)) {
		await workWhileDue(
			MOST_REQUESTS_AT_ONCE,
			(most) => windows.next(most),
			async (asked, signal) => {
				const answer = await askFor(asked, signal);
				windows.take({ ...asked, ...densityOf(asked.window, answer) });
			},
		);
	}
	return found;
}

async function askForPart(
	session: Session,
	request: GetManyRequest,
	part: Part,
	signal: AbortSignal,
): Promise<Answer> {
	const { leadType, names, window, simplify, filters } = request;
	const place = filters.indexOf(part.filter);
	// Shaped at once: of a month of leads, the raw ones are most of the memory.
	const keep = (lead: IDataObject): FoundLead | OtherLead => {
		const found = { key: leadKey(lead), time: submittedAt(lead) ?? -Infinity };
		if (window && !mayLieIn(window, lead)) return found;
		return { ...found, place, json: leadJson(lead, leadType, simplify) };
	};
	const asked = { leadType, names, ...part, smaller: newerPart, keep };
	return await fetchLeads(session, asked, signal);
}

type Part = Pick<LeadRequest<unknown>, 'window' | 'filter'>;

/** A service that does not heed the times sends the same leads each time: they say nothing of the density. */
function densityOf(
	asked: TimeWindow,
	{ window: answered = asked, leads }: Answer,
): Pick<Answered<unknown>, 'answered' | 'count'> {
	const isDated = ({ time }: OtherLead) => time >= answered.from && time <= answered.to;
	return { answered, count: leads.filter(isDated).length };
}

/** A service that takes the times under other names answers with whatever it has. */
function tellOfOthers(context: IExecuteFunctions, { count, outside }: Found): void {
	if (outside.size === 0) return;
	const message = 'The service sent leads that are dated outside the period; they were left out.';
	warnOnce(context, outside.size > count ? `${message} ${NAMES_ADVICE}` : message);
}

const NAMES_ADVICE =
	'Most of the leads it sent were outside, so it may have other names for the time parameters: ask the operator of the service, and check From Time Parameter Name and To Time Parameter Name in the options.';
