import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../basics/values';
import { isoSeconds } from '../basics/times';
import { ServiceError } from '../failure';
import { leadsAddress, leadsGrant } from '../auth/grant';
import type { Integration, Reading, Session } from '../session';
import { latestServiceTime, serviceTime } from '../basics/times';
import type { TimeWindow } from './window';

export const LEAD_TYPES = ['applicant', 'appraisal'] as const;

export type LeadType = (typeof LEAD_TYPES)[number];

/** The operator's internal ids by which leads can be filtered: exactly one per request. */
export type FilterBy = 'branch' | 'brand' | 'company' | 'group';

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

export interface LeadRequest {
	leadType: LeadType;
	/** Without one the service answers with the last 24 hours. */
	window?: TimeWindow;
	filter?: LeadFilter;
	names: QueryNames;
}

export const DEFAULT_QUERY_NAMES: QueryNames = { fromTime: 'from-time', toTime: 'to-time' };

/** The service keeps leads this long, in milliseconds. */
export const RETENTION_MS = 30 * 24 * 3_600_000;

export const LEADS_INTEGRATION: Integration = {
	credentialType: 'agentLeadsApi',
	grant: leadsGrant,
	baseUrl: leadsAddress,
};

/** “Not set” is the first moment of the year 1, which an offset moves by hours. */
const FIRST_SET = Date.parse('0001-01-03T00:00Z');

const ENDPOINTS: Record<LeadType, { path: string; list: string }> = {
	applicant: { path: '/applicant-leads', list: 'applicants' },
	appraisal: { path: '/appraisal-leads', list: 'appraisals' },
};

/** Leads in no particular order, and when the service was asked for them. */
export interface LeadsReading extends Pick<Reading, 'askedAt'> {
	leads: IDataObject[];
}

/**
 * The leads of one type, for at most one filter id, within a window that is inclusive at both
 * ends. The service promises no order.
 *
 * @param signal ends the request and its repeats when nobody needs them any more
 * @throws ServiceError
 */
export async function fetchLeads(
	session: Session,
	request: LeadRequest,
	signal?: AbortSignal,
): Promise<LeadsReading> {
	const { path, list } = ENDPOINTS[request.leadType];
	const { by, id } = request.filter ?? {};
	const subject = [path, by, id].join(' ');
	const query = leadQuery(request);
	const [outcome] = await Promise.allSettled([
		session.get({ path, query, subject }, { needed: signal }),
	]);
	if (outcome.status === 'rejected') throw explained(outcome.reason, request.filter);
	const { body, askedAt } = outcome.value;
	const entries = readList(body, list);
	const leads = entries.filter(isObject);
	const others = entries.length - leads.length;
	if (others > 0) {
		session.warn(
			`${others} of ${entries.length} entries in the service’s list of ${list} are no leads: left out`,
		);
	}
	return { leads, askedAt };
}

/** Of a refused request it is known whether it lacked a filter, or had one. */
function explained(error: unknown, filter?: LeadFilter): unknown {
	if (!(error instanceof ServiceError) || error.kind !== 'rejected') return error;
	if (error.details.status !== 400) return error;
	const remedy = filter
		? `Check the ${filter.by} ID ${filter.id}: it has to be the operator’s own ID, and one that this client may ask for. Then check the other fields of this node.`
		: 'If your agency has more than one branch, brand, company or group, set “Filter By” and enter an ID. If it has only one, check the other fields of this node.';
	return error.with(error.message, { remedy });
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
function entriesIn(body: IDataObject, list: string): unknown[] | undefined {
	const isEmpty = Object.keys(body).length === 0 || body[list] === null;
	const entries: unknown = isEmpty ? [] : body[list];
	return Array.isArray(entries) ? entries : undefined;
}

/** Whether an answer is a list of leads of the type. */
export function isLeadList(body: unknown, leadType: LeadType): boolean {
	return isObject(body) && entriesIn(body, ENDPOINTS[leadType].list) !== undefined;
}

function readList(body: IDataObject, list: string): unknown[] {
	const entries = entriesIn(body, list);
	if (entries) return entries;
	throw new ServiceError('foreign', `The service answered without a list of ${list}`, {
		step: 'data',
	});
}

/**
 * When a lead was submitted, in epoch milliseconds; undefined where the service left it unset
 * (`0001-01-01T00:00Z`, in any spelling) or wrote something else.
 */
export function submittedAt({ createdAt }: IDataObject): number | undefined {
	const time = serviceTime(createdAt);
	return time !== undefined && time >= FIRST_SET ? time : undefined;
}

/** Whether a lead may have been submitted in the window; one without a time may. */
export function mayLieIn({ from, to }: TimeWindow, lead: IDataObject): boolean {
	const first = submittedAt(lead);
	const last = latestServiceTime(lead.createdAt);
	if (first === undefined || last === undefined) return true;
	return last >= from && Math.floor(first / 1_000) * 1_000 <= to;
}

/** What tells one lead from another: its id, or, where it has none, its whole content. */
export function leadKey(lead: IDataObject): string {
	const { id } = lead;
	const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return hasId ? `id:${String(id)}` : `content:${JSON.stringify(lead, inOneOrder)}`;
}

/** A replacer for JSON.stringify: the same content is the same text, in whatever order it came. */
function inOneOrder(_key: string, value: unknown): unknown {
	return isObject(value) ? Object.fromEntries(sortBy(Object.entries(value), '0')) : value;
}
