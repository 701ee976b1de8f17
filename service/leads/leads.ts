import { createHash } from 'node:crypto';

import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, isoSeconds, latestServiceTime, serviceTime, wholeSeconds } from '../basics/times';
import { isObject, textOf } from '../basics/values';
import { orFailure, ServiceError } from '../failure';
import { bodyOf } from '../http/body';
import { NODE_LABELS } from '../labels';
import type { Session } from '../session';
import type { TimeWindow } from './windows';
import { lengthOf, newerHalf, partBefore } from './windows';

export const LEAD_TYPES = ['applicant', 'appraisal'] as const;

export type LeadType = (typeof LEAD_TYPES)[number];

/** How long the service keeps leads, in milliseconds. */
export const RETENTION_MS = 30 * DAY_MS;

/** The kinds of filter for leads. Each kind has its own query parameter for the ID, such as `branch-id`. */
export const FILTER_KINDS = ['branch', 'brand', 'company', 'group'] as const;

/** All kinds of filter in words: “branch, brand, company or group”. */
export const ANY_FILTER_KIND = FILTER_KINDS.join(', ').replace(/, (?=\w+$)/, ' or ');

export type FilterBy = (typeof FILTER_KINDS)[number];

/** A filter by one ID that the operator of the service has issued. A request can have only one filter. */
export interface LeadFilter {
	by: FilterBy;
	id: string;
}

/**
 * The names of the query parameters for the times and the filter of a lead request. The defaults come from the
 * operator's public reference, and a person can replace them.
 */
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

const ENDPOINTS: Record<LeadType, { path: string; list: string }> = {
	applicant: { path: '/applicant-leads', list: 'applicants' },
	appraisal: { path: '/appraisal-leads', list: 'appraisals' },
};

/**
 * Fetches the leads of one type, for at most one filter ID, within a window, that is a period to which both ends
 * belong. If the request for the whole window fails, or its answer may not contain all leads, the function asks for
 * parts of the window, the newest part first. Neighbouring parts share a second, so the result may contain a lead
 * twice.
 *
 * @param signal stops the requests and their retries if the result is no longer needed
 * @returns the leads of the window, in no particular order
 * @throws ServiceError
 */
export async function fetchLeads(
	session: Session,
	request: LeadRequest,
	signal?: AbortSignal,
): Promise<IDataObject[]> {
	let leads: IDataObject[] = [];
	let due = request.window;
	do {
		const part = await fetchNewest(session, { ...request, window: due }, signal);
		leads = leads.concat(part.leads);
		due = part.answered && partBefore(part.answered, request.window ?? part.answered);
	} while (due);
	return leads;
}

/** The leads in the answer to one request, and the period that the answer covers. */
interface PartReading {
	leads: IDataObject[];
	/**
	 * The part of the requested period that the answer covers: all of it, or its newer end; undefined if no period was
	 * requested.
	 */
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

/**
 * True if a request got no complete answer, which may mean that its period contains too many leads. Status 429 does not
 * mean that.
 */
function mayBeTooMuch({ kind, details }: ServiceError): boolean {
	return kind === 'unavailable' && details.requestKind === 'data' && !details.isUnsent;
}

/**
 * The lowest limit on the number of leads in one answer that is expected of the service. An answer with fewer leads is
 * taken to be complete.
 */
const FEWEST_CUT_OFF = 500;

/**
 * The service's limit on the leads in one answer is expected to be a multiple of this number, such as 500, 1,000 or
 * 2,000.
 */
const ROUND_NUMBER = 100;

/**
 * True if a window (the period of a request) may be too long for one answer. The API's contract says neither how long a
 * window may be nor how many leads an answer may contain. Either of two signs is enough. The first: the service refused
 * a window of more than a day, perhaps because of its length. The second: the answer contains a round number of leads,
 * which may be the service's limit; nothing else would show that leads are missing.
 */
function mayBeTooLong(window: TimeWindow, body: IDataObject | ServiceError, list: string): boolean {
	if (body instanceof ServiceError) return body.kind === 'rejected' && lengthOf(window) > DAY_MS;
	const entries = leadEntriesIn(body, list) ?? [];
	const isRound = entries.length >= FEWEST_CUT_OFF && entries.length % ROUND_NUMBER === 0;
	// If leads lie outside the requested window, the service ignores the times of the request. A request for a shorter
	// window would then bring the same leads.
	return isRound && entries.every((entry) => isObject(entry) && mayLieIn(window, entry));
}

/**
 * Adds advice about the filter, such as a branch ID, to an error with status 400: the filter may be missing, or its ID
 * may be wrong.
 */
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
 * Finds the list entries in an answer. The API's contract requires no field, so an empty object, or null in place of
 * the list, means an empty list. An answer that has only other fields contains no list.
 *
 * @returns undefined for an answer that is no list
 */
function leadEntriesIn(body: IDataObject, list: string): unknown[] | undefined {
	const isEmpty = Object.keys(body).length === 0 || body[list] === null;
	const entries: unknown = isEmpty ? [] : body[list];
	return Array.isArray(entries) ? entries : undefined;
}

/** True if an answer is a list of leads of this type. */
export function isLeadList(body: unknown, leadType: LeadType): boolean {
	return isObject(body) && leadEntriesIn(body, ENDPOINTS[leadType].list) !== undefined;
}

/**
 * Reads the leads of an answer, and warns about entries that are no leads.
 *
 * @throws ServiceError of kind `foreign` for an answer that is no list
 */
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

/** Returns when a lead was submitted, in epoch milliseconds; undefined if it has no time (`0001-01-01T00:00Z`). */
export function submittedAt({ createdAt }: IDataObject): number | undefined {
	return serviceTime(createdAt);
}

/**
 * True if a lead may have been submitted within a window, that is a period to which both ends belong. For a lead
 * without a time, the answer is always true.
 */
export function mayLieIn({ from, to }: TimeWindow, lead: IDataObject): boolean {
	const first = submittedAt(lead);
	if (first === undefined) return true;
	if (wholeSeconds(first) > to) return false;
	return first >= from || (latestServiceTime(lead.createdAt) ?? first) >= from;
}

/**
 * Reads the raw body of a push as the body of an answer is read. n8n rounds integers above 2^53, so a pushed lead whose
 * ID is such a number would have another key than the same lead in the answer to a poll.
 */
export function readPush(headers: IDataObject, body: Uint8Array): unknown {
	return bodyOf({ statusCode: 200, headers, body });
}

/** Matches an ID that can be a key: it is short, and has no NUL character, which PostgreSQL cannot store in a text. */
const STORABLE = /^[^\0]{1,64}$/;

/**
 * Makes a short key that identifies a lead. It is the lead's own ID, so that a person can look it up, or a hash if the
 * ID is long, or contains a character that databases cannot store. A lead without an ID gets a hash of its content.
 */
export function leadKey(lead: IDataObject): string {
	const { id } = lead;
	// JavaScript cannot distinguish all numbers above 2^53, so two leads could get the same key. An ID that is such a
	// number is not used.
	const known = typeof id === 'string' || Number.isSafeInteger(id) ? textOf(id) : '';
	if (STORABLE.test(known)) return known;
	const text = known || JSON.stringify(lead, inOneOrder);
	return `#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/**
 * A replacer for JSON.stringify that sorts the fields of objects, so that equal content becomes equal text, whatever
 * the order of the fields.
 */
function inOneOrder(_key: string, value: unknown): unknown {
	return isObject(value) ? Object.fromEntries(sortBy(Object.entries(value), '0')) : value;
}
