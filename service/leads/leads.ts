import { NODE_LABELS } from '../labels';
import { createHash } from 'node:crypto';

import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, isoSeconds, latestServiceTime, serviceTime, wholeSeconds } from '../basics/times';
import { isObject, textOf } from '../basics/values';
import { orFailure, ServiceError } from '../failure';
import type { Session } from '../session';
import type { TimeWindow } from './windows';
import { lengthOf, newerHalf, partBefore } from './windows';

export const LEAD_TYPES = ['applicant', 'appraisal'] as const;

export type LeadType = (typeof LEAD_TYPES)[number];

/** The service keeps leads this long, in milliseconds. */
export const RETENTION_MS = 30 * DAY_MS;

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

export const DEFAULT_QUERY_NAMES: QueryNames = { fromTime: 'from-time', toTime: 'to-time' };

export interface LeadRequest {
	leadType: LeadType;
	/** Without one the service answers with the last 24 hours. */
	window?: TimeWindow;
	filter?: LeadFilter;
	names: QueryNames;
}

/** Leads in no particular order. */
export interface LeadsReading {
	leads: IDataObject[];
}

const ENDPOINTS: Record<LeadType, { path: string; list: string }> = {
	applicant: { path: '/applicant-leads', list: 'applicants' },
	appraisal: { path: '/appraisal-leads', list: 'appraisals' },
};

/**
 * The leads of one type, for at most one filter id, within a window that is inclusive at both ends. If an answer with
 * the whole window fails, or may not hold all leads, the window is asked for in parts, the newest first. Neighbours
 * share a second, so that a lead may come twice.
 *
 * @param signal ends the requests and their repeats when nobody needs them any more
 * @throws ServiceError
 */
export async function fetchLeads(
	session: Session,
	request: LeadRequest,
	signal?: AbortSignal,
): Promise<LeadsReading> {
	let leads: IDataObject[] = [];
	let due = request.window;
	do {
		const part = await fetchNewest(session, { ...request, window: due }, signal);
		leads = leads.concat(part.leads);
		due = part.answered && partBefore(part.answered, request.window ?? part.answered);
	} while (due);
	return { leads };
}

/** What came of one request. */
interface PartReading extends LeadsReading {
	/** The window that was asked for, or its newer end. */
	answered?: TimeWindow;
}

async function fetchNewest(
	session: Session,
	request: LeadRequest,
	signal?: AbortSignal,
): Promise<PartReading> {
	const { path, list } = ENDPOINTS[request.leadType];
	let { window } = request;
	const query = () => ({ path, query: leadQuery({ ...request, window }) });
	const instead = (failure: ServiceError) => {
		if (window && mayBeTooMuch(failure)) window = newerHalf(window);
		return query();
	};
	const body = await orFailure(session.get(query(), { needed: signal, instead }));
	if (window && mayBeTooLong(window, body, list)) {
		const half = newerHalf(window);
		const isShorter = lengthOf(half) < lengthOf(window);
		if (isShorter) return await fetchNewest(session, { ...request, window: half }, signal);
	}
	if (body instanceof ServiceError) throw withFilterAdvice(body, request.filter);
	return { leads: readLeads(session, body, list), answered: window };
}

/** The request was under way and brought no whole answer; a busy service says nothing of its size. */
function mayBeTooMuch({ kind, details }: ServiceError): boolean {
	return kind === 'unavailable' && details.requestKind === 'data' && !details.isUnsent;
}

/** No answer below this is taken for as many leads as a service sends at most. */
const FEWEST_CUT_OFF = 500;

/** A service that sends only so many leads at once would send 500, 1,000 or 2,000. */
const ROUND_NUMBER = 100;

/**
 * Nobody says how long a window may be, and how many leads an answer may hold. So a refusal may be about the length,
 * which is not likely for a day, and a round number of leads may be as many as the service sends at most: nothing else
 * would show that leads are missing.
 */
function mayBeTooLong(window: TimeWindow, body: IDataObject | ServiceError, list: string): boolean {
	if (body instanceof ServiceError) return body.kind === 'rejected' && lengthOf(window) > DAY_MS;
	const entries = leadEntriesIn(body, list) ?? [];
	const isRound = entries.length >= FEWEST_CUT_OFF && entries.length % ROUND_NUMBER === 0;
	// A service that ignores the times sends the same leads for any window.
	return isRound && entries.every((entry) => isObject(entry) && mayLieIn(window, entry));
}

/** Why the service refused a request depends on whether it had a filter. */
function withFilterAdvice(failure: ServiceError, filter?: LeadFilter): ServiceError {
	if (failure.kind !== 'rejected' || failure.details.status !== 400) return failure;
	const { message } = failure;
	if (!filter) {
		return failure.with(`${message}: a filter may be missing`, {
			remedy: `If your agency has more than one ${ANY_FILTER_KIND}, set “${NODE_LABELS.filterBy}” and enter an ID. If it has only one, check the other fields of this node.`,
		});
	}
	const remedy = `Check the ${filter.by} ID ${filter.id}: it must be an ID from the operator of the service, and this client ID must have access to it. Then check the other fields of this node.`;
	return failure.with(message, { remedy });
}

function leadQuery({ window, filter, names }: LeadRequest): IDataObject {
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

/** @throws ServiceError of kind `foreign` for an answer that is no list */
function readLeads(session: Session, body: IDataObject, list: string): IDataObject[] {
	const entries = leadEntriesIn(body, list);
	if (!entries) throw new ServiceError('foreign', `The service answered without a list of ${list}`);
	const leads = entries.filter(isObject);
	const others = entries.length - leads.length;
	if (others > 0) {
		session.warn(
			`${others} of ${entries.length} entries in the service’s list of ${list} are not leads and were left out`,
		);
	}
	return leads;
}

/** “Not set” is the first moment of the year 1, which an offset moves by hours. */
const FIRST_SET = Date.parse('0001-01-03T00:00Z');

/**
 * A moment that a lead names, in epoch milliseconds; undefined if the service left it unset
 * (`0001-01-01T00:00Z`, in any spelling) or wrote something else.
 */
export function momentOf(value: unknown): number | undefined {
	const time = serviceTime(value);
	return time !== undefined && time >= FIRST_SET ? time : undefined;
}

/** When a lead was submitted, as `momentOf` has it. */
export function submittedAt({ createdAt }: IDataObject): number | undefined {
	return momentOf(createdAt);
}

/** Whether a lead may have been submitted in the window; one without a time may. */
export function mayLieIn({ from, to }: TimeWindow, lead: IDataObject): boolean {
	const first = submittedAt(lead);
	if (first === undefined) return true;
	if (wholeSeconds(first) > to) return false;
	return first >= from || (latestServiceTime(lead.createdAt) ?? first) >= from;
}

/** What tells one lead from another: its id, or its whole content if it has none. */
export function leadKey(lead: IDataObject): string {
	const { id } = lead;
	// Beyond 2^53 two numbers of the service may have become one: such an ID tells nothing.
	const isWhole = typeof id === 'string' || Number.isSafeInteger(id);
	const known = isWhole ? textOf(id) : '';
	return known !== '' ? `id:${known}` : `content:${JSON.stringify(lead, inOneOrder)}`;
}

const LONGEST_KEY = 64;

/** PostgreSQL has no texts with it. */
const NOT_STORABLE = '\0';

/** The lead's own ID, so that a person can look it up; a hash if the ID is long, missing or not storable. */
export function shortKeyOf(lead: IDataObject): string {
	const key = leadKey(lead);
	const id = /^id:(.*)$/s.exec(key)?.[1];
	if (id !== undefined && id.length <= LONGEST_KEY && !id.includes(NOT_STORABLE)) return id;
	return `#${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}

/** A replacer for JSON.stringify: the same content is the same text, in whatever order it came. */
function inOneOrder(_key: string, value: unknown): unknown {
	return isObject(value) ? Object.fromEntries(sortBy(Object.entries(value), '0')) : value;
}
