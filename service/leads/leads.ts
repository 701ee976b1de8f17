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

/** The time for which the service keeps leads, in milliseconds. */
export const RETENTION_MS = 30 * DAY_MS;

/**
 * The kinds of filter for leads. The service expects the ID of each kind in a parameter of its own, `branch-id` and
 * so on.
 */
export const FILTER_KINDS = ['branch', 'brand', 'company', 'group'] as const;

/** All kinds of filter in words: “branch, brand, company or group”. */
export const ANY_FILTER_KIND = FILTER_KINDS.join(', ').replace(/, (?=\w+$)/, ' or ');

export type FilterBy = (typeof FILTER_KINDS)[number];

/** A filter for one ID of the operator. A request can have one filter. */
export interface LeadFilter {
	by: FilterBy;
	id: string;
}

/** The names of query parameters. They come from the operator's public reference, and a person may override them. */
export interface QueryNames {
	fromTime: string;
	toTime: string;
	filter?: string;
}

export const DEFAULT_QUERY_NAMES: QueryNames = { fromTime: 'from-time', toTime: 'to-time' };

export interface LeadRequest {
	leadType: LeadType;
	/** The period of the leads. Without one, the service answers with the last 24 hours. */
	window?: TimeWindow;
	filter?: LeadFilter;
	names: QueryNames;
}

/** The leads of a window, in no particular order. */
export interface LeadsReading {
	leads: IDataObject[];
}

const ENDPOINTS: Record<LeadType, { path: string; list: string }> = {
	applicant: { path: '/applicant-leads', list: 'applicants' },
	appraisal: { path: '/appraisal-leads', list: 'appraisals' },
};

/**
 * Fetches the leads of one type, for at most one filter ID, within a window that includes both ends. If the request
 * for the whole window fails, or its answer may not contain all leads, it asks for the window in parts, the newest
 * first. Neighbouring parts share a second, so a lead may be returned twice.
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

/** The leads that one request brought. */
interface PartReading extends LeadsReading {
	/** The part of the window that was answered: all of it, or its newer end. */
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

/** True if a request brought no whole answer, so that its window may hold too many leads. A 429 does not mean that. */
function mayBeTooMuch({ kind, details }: ServiceError): boolean {
	return kind === 'unavailable' && details.requestKind === 'data' && !details.isUnsent;
}

/** The least number of leads that may be a service's limit for one answer. */
const FEWEST_CUT_OFF = 500;

/** A limit for one answer would be a multiple of this number: 500, 1,000 or 2,000. */
const ROUND_NUMBER = 100;

/**
 * True if a window may be too long for one answer. The contract does not say how long a window may be, nor how many
 * leads an answer may contain. So a refusal may be about the length, though not for a day or less, and a round number
 * of leads may be the service's limit: no other sign would show that leads are missing.
 */
function mayBeTooLong(window: TimeWindow, body: IDataObject | ServiceError, list: string): boolean {
	if (body instanceof ServiceError) return body.kind === 'rejected' && lengthOf(window) > DAY_MS;
	const entries = leadEntriesIn(body, list) ?? [];
	const isRound = entries.length >= FEWEST_CUT_OFF && entries.length % ROUND_NUMBER === 0;
	// If the leads lie outside the window, the service ignores the times, and a shorter window would bring the same
	// leads.
	return isRound && entries.every((entry) => isObject(entry) && mayLieIn(window, entry));
}

/** Adds advice about the filter to a refusal: one may be missing, or its ID may be wrong. */
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
 * The entries of an answer. The contract requires no field, so an empty list may be absent or null. An answer with
 * other fields in place of the list does not count as an empty list.
 *
 * @returns the entries; undefined for an answer that is no list
 */
function leadEntriesIn(body: IDataObject, list: string): unknown[] | undefined {
	const isEmpty = Object.keys(body).length === 0 || body[list] === null;
	const entries: unknown = isEmpty ? [] : body[list];
	return Array.isArray(entries) ? entries : undefined;
}

/** True if an answer is a list of leads of the type. */
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

/**
 * The end of the times that mean “not set”: the service writes the first moment of the year 1, and an offset moves
 * that by hours.
 */
const FIRST_SET = Date.parse('0001-01-03T00:00Z');

/**
 * Reads a time of a lead, in epoch milliseconds; undefined if the service left it unset (`0001-01-01T00:00Z`, in any
 * spelling) or wrote something else.
 */
export function momentOf(value: unknown): number | undefined {
	const time = serviceTime(value);
	return time !== undefined && time >= FIRST_SET ? time : undefined;
}

/** When a lead was submitted, in epoch milliseconds; undefined if the lead has no time. */
export function submittedAt({ createdAt }: IDataObject): number | undefined {
	return momentOf(createdAt);
}

/** True if a lead may have been submitted in the window. A lead without a time may. */
export function mayLieIn({ from, to }: TimeWindow, lead: IDataObject): boolean {
	const first = submittedAt(lead);
	if (first === undefined) return true;
	if (wholeSeconds(first) > to) return false;
	return first >= from || (latestServiceTime(lead.createdAt) ?? first) >= from;
}

/** Identifies a lead: by its ID, or by its whole content if it has none. */
export function leadKey(lead: IDataObject): string {
	const { id } = lead;
	// Above 2^53, two different numbers of the service may become one in JavaScript: such an ID identifies no lead.
	const isWhole = typeof id === 'string' || Number.isSafeInteger(id);
	const known = isWhole ? textOf(id) : '';
	return known !== '' ? `id:${known}` : `content:${JSON.stringify(lead, inOneOrder)}`;
}

const LONGEST_KEY = 64;

/** The NUL character, which PostgreSQL cannot store in a text. */
const NOT_STORABLE = '\0';

/**
 * A short key of a lead: its own ID, so that a person can look it up, or a hash if the ID is long, missing or cannot
 * be stored.
 */
export function shortKeyOf(lead: IDataObject): string {
	const key = leadKey(lead);
	const id = /^id:(.*)$/s.exec(key)?.[1];
	if (id !== undefined && id.length <= LONGEST_KEY && !id.includes(NOT_STORABLE)) return id;
	return `#${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}

/** A replacer for JSON.stringify that sorts keys: the same content becomes the same text, in whatever order it came. */
function inOneOrder(_key: string, value: unknown): unknown {
	return isObject(value) ? Object.fromEntries(sortBy(Object.entries(value), '0')) : value;
}
