import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../basics/times';
import { isObject } from '../basics/values';
import { isAnswerLate, orFailure, ServiceError } from '../failure';
import type { Reading, Session } from '../session';
import { FIRST_MS } from './fittingLength';
import type { LeadType } from './lead';
import { mayLieIn } from './lead';
import type { TimeWindow } from './window';
import { lengthOf } from './window';

/** By what leads can be filtered. The service takes the ID of each as a parameter of its own, `branch-id` and so on. */
export const FILTER_KINDS = ['branch', 'brand', 'company', 'group'] as const;

/** For people: “branch, brand, company or group”. */
export const ANY_FILTER_KIND = FILTER_KINDS.join(', ').replace(/, (?=\w+$)/, ' or ');

export type FilterBy = (typeof FILTER_KINDS)[number];

/** The operator's own id; a request takes one at most. */
export interface LeadFilter {
	by: FilterBy;
	id: string;
}

/** Query names come from the operator's public reference and may be overridden. */
export interface QueryNames {
	fromTime: string;
	toTime: string;
	filter?: string;
}

/** What is kept of a lead. */
type Keep<Kept> = (lead: IDataObject) => Kept;

export const asItIs: Keep<IDataObject> = (lead) => lead;

export interface LeadRequest<Kept> {
	leadType: LeadType;
	/** Without one the service answers with the last 24 hours. */
	window?: TimeWindow;
	filter?: LeadFilter;
	names: QueryNames;
	/** What to ask for if the whole window may be too much for the service or the connection. */
	smaller?: (window: TimeWindow) => TimeWindow;
	/** What to keep of a lead: called for each answer at once, since a month of whole ones takes much memory. */
	keep: Keep<Kept>;
}

export const DEFAULT_QUERY_NAMES: QueryNames = { fromTime: 'from-time', toTime: 'to-time' };

/** A service that sends only so many leads at once would send 100, 250 or 1,000. */
const ROUND_NUMBER = 50;

const ENDPOINTS: Record<LeadType, { path: string; list: string }> = {
	applicant: { path: '/applicant-leads', list: 'applicants' },
	appraisal: { path: '/appraisal-leads', list: 'appraisals' },
};

/** Leads in no particular order, and when the service was asked for them. */
export interface LeadsReading<Kept> extends Pick<Reading, 'askedAt'> {
	leads: Kept[];
	/** What was answered: the window that was asked for, or a part of it. */
	window?: TimeWindow;
}

/**
 * The leads of one type, for at most one filter id, within a window that is inclusive at both
 * ends. The service promises no order.
 *
 * @param signal ends the request and its repeats when nobody needs them any more
 * @throws ServiceError
 */
export async function fetchLeads<Kept>(
	session: Session,
	request: LeadRequest<Kept>,
	signal?: AbortSignal,
): Promise<LeadsReading<Kept>> {
	const { path, list } = ENDPOINTS[request.leadType];
	let { window } = request;
	const query = () => ({ path, query: leadQuery({ ...request, window }) });
	let isRepeated = false;
	const instead = (failure: ServiceError) => {
		if (window && isTooMuch(failure, isRepeated)) window = request.smaller?.(window) ?? window;
		isRepeated ||= mayBeTooMuch(failure);
		return query();
	};
	const reading = await orFailure(session.get(query(), { needed: signal, instead }));
	if (window && mayBeTooLong(window, reading, list)) {
		const shorter = request.smaller?.(window) ?? window;
		const isShorter = lengthOf(shorter) < lengthOf(window);
		if (isShorter) return await fetchLeads(session, { ...request, window: shorter }, signal);
	}
	if (reading instanceof ServiceError) throw withFilterAdvice(reading, request.filter);
	const entries = readLeadList(reading.body, list);
	const leads = entries.filter(isObject);
	const others = entries.length - leads.length;
	if (others > 0) {
		session.warn(
			`${others} of ${entries.length} entries in the service’s list of ${list} are not leads and were left out`,
		);
	}
	return { leads: leads.map(request.keep), askedAt: reading.askedAt, window };
}

/** The request was under way and brought no whole answer; a busy service says nothing of its size. */
export function mayBeTooMuch({ kind, details }: ServiceError): boolean {
	return kind === 'unavailable' && details.requestKind === 'data' && !details.isUnsent;
}

/**
 * A service in trouble answers 500, or loses a connection, now and then whatever it is asked for: to ask for less each
 * time would end in windows of minutes. So it takes a second failure, unless the time was too short.
 */
function isTooMuch(failure: ServiceError, isRepeated: boolean): boolean {
	return mayBeTooMuch(failure) && (isRepeated || isAnswerLate(failure));
}

/**
 * Nobody says how long a window may be, and how many leads an answer may hold. So a refusal may be about the length,
 * which is not likely for a day, and a round number of leads may be as many as the service sends at most. That one
 * counts for any length: nothing else shows that leads are missing.
 */
function mayBeTooLong(window: TimeWindow, reading: Reading | ServiceError, list: string): boolean {
	if (reading instanceof ServiceError) {
		return reading.kind === 'rejected' && lengthOf(window) > FIRST_MS;
	}
	const entries = leadEntriesIn(reading.body, list) ?? [];
	const isRound = entries.length > 0 && entries.length % ROUND_NUMBER === 0;
	// A service that does not heed the times sends the same for any window.
	return isRound && entries.every((entry) => isObject(entry) && mayLieIn(window, entry));
}

/** Why the service refused a request depends on whether it had a filter. */
function withFilterAdvice(failure: ServiceError, filter?: LeadFilter): ServiceError {
	if (failure.kind !== 'rejected' || failure.details.status !== 400) return failure;
	const { message } = failure;
	if (!filter) {
		return failure.with(`${message}: a filter may be missing`, {
			remedy: `If your agency has more than one ${ANY_FILTER_KIND}, set “Filter By” and enter an ID. If it has only one, check the other fields of this node.`,
		});
	}
	const remedy = `Check the ${filter.by} ID ${filter.id}: it must be an ID from the operator of the service, and this client ID must have access to it. Then check the other fields of this node.`;
	return failure.with(message, { remedy });
}

function leadQuery({
	window,
	filter,
	names,
}: Pick<LeadRequest<unknown>, 'window' | 'filter' | 'names'>): IDataObject {
	return {
		...(window && {
			[names.fromTime]: isoSeconds(window.from),
			[names.toTime]: isoSeconds(window.to),
		}),
		...(filter && { [names.filter ?? `${filter.by}-id`]: filter.id }),
	};
}

/**
 * An empty list may be absent or null: the contract requires nothing. An answer with other things in
 * place of the list is not taken for an empty one.
 *
 * @returns the entries; undefined for an answer that is no list
 */
function leadEntriesIn(body: IDataObject, list: string): unknown[] | undefined {
	const isEmpty = Object.keys(body).length === 0 || body[list] === null;
	const entries: unknown = isEmpty ? [] : body[list];
	return Array.isArray(entries) ? entries : undefined;
}

/** Whether an answer is a list of leads of the type. */
export function isLeadList(body: unknown, leadType: LeadType): boolean {
	return isObject(body) && leadEntriesIn(body, ENDPOINTS[leadType].list) !== undefined;
}

function readLeadList(body: IDataObject, list: string): unknown[] {
	const entries = leadEntriesIn(body, list);
	if (entries) return entries;
	throw new ServiceError('foreign', `The service answered without a list of ${list}`);
}
