import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import type { LeadFilter, LeadType, QueryNames } from '../../../../service/leads/leads';
import { fetchLeads, leadKey, mayLieIn, submittedAt } from '../../../../service/leads/leads';
import type { TimeWindow } from '../../../../service/leads/windows';
import { windowsOf } from '../../../../service/leads/windows';
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

/** A lead that an answer brought, shaped at once: of a month of leads, the raw ones are most of the memory. */
interface FoundLead {
	/** When it was submitted, in epoch milliseconds; `-Infinity` when that is not known. */
	time: number;
	/** The index of the filter that found it. */
	filterIndex: number;
	json: IDataObject;
}

/** What the requests of an item have found so far. */
class Found {
	private readonly byKey = new Map<string, FoundLead>();

	/** Keys of leads that are dated outside the period, and left out. */
	readonly outside = new Set<string>();

	constructor(private readonly request: GetManyRequest) {}

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
			a.time === b.time ? a.filterIndex - b.filterIndex : b.time - a.time,
		);
	}

	add(leads: IDataObject[], filterIndex: number): void {
		const { window, leadType, simplify } = this.request;
		for (const lead of leads) {
			const key = leadKey(lead);
			if (window && !mayLieIn(window, lead)) {
				this.outside.add(key);
			} else if (!this.byKey.has(key)) {
				const time = submittedAt(lead) ?? -Infinity;
				this.byKey.set(key, { time, filterIndex, json: leadJson(lead, leadType, simplify) });
			}
		}
	}
}

/** From the newest window, and no further than the limit needs. Without a limit all windows are asked for together. */
async function collect(
	session: Session,
	request: GetManyRequest,
	failed: AbortSignal,
): Promise<Found> {
	const { window, filters, limit, leadType, names } = request;
	const found = new Found(request);
	const windows = window ? windowsOf(window) : [undefined];
	const rounds = limit === Infinity ? [windows] : windows.map((each) => [each]);
	for (const round of rounds) {
		const parts = round.flatMap((each) =>
			filters.map((filter, filterIndex) => ({ window: each, filter, filterIndex })),
		);
		await mapConcurrently(
			parts,
			MOST_REQUESTS_AT_ONCE,
			async ({ filterIndex, ...part }, needless) => {
				const signal = AbortSignal.any([failed, needless]);
				const { leads } = await fetchLeads(session, { leadType, names, ...part }, signal);
				found.add(leads, filterIndex);
			},
		);
		if (found.countFrom(round.at(-1)?.from ?? -Infinity) >= limit) break;
	}
	return found;
}

/** A service that takes the times under other names answers with whatever it has. */
function tellOfOthers(context: IExecuteFunctions, { count, outside }: Found): void {
	if (outside.size === 0) return;
	const message = 'The service sent leads that are dated outside the period; they were left out.';
	warnOnce(context, outside.size > count ? `${message} ${NAMES_ADVICE}` : message);
}

const NAMES_ADVICE =
	'Most of the leads it sent were outside, so it may have other names for the time parameters: ask the operator of the service, and check From Time Parameter Name and To Time Parameter Name in the options.';
