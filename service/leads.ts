import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from './answer';
import { isoSeconds } from './clock';
import { ServiceError } from './errors';
import { leadsAddress, leadsGrant } from './grant';
import type { Integration, Reading, Session } from './request';
import type { TimeWindow } from './window';

export type LeadType = 'applicant' | 'appraisal';

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

/** The service's way to write “not set”. */
const NEVER = Date.parse('0001-01-01T00:00Z');

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
	const { body, askedAt } = await session.get({ path, query, subject }, { needed: signal });
	return { leads: readLeads(body, list), askedAt };
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

/** An empty list may come as null; an answer without the list is not taken for an empty one. */
function readLeads(body: IDataObject, list: string): IDataObject[] {
	const leads = list in body ? (body[list] ?? []) : undefined;
	if (Array.isArray(leads) && leads.every(isObject)) return leads;
	throw new ServiceError('foreign', `The service answered without a list of ${list}`, {
		step: 'data',
	});
}

/**
 * When a lead was submitted, in epoch milliseconds; undefined where the service left it unset
 * (`0001-01-01T00:00Z`) or wrote something else.
 */
export function submittedAt(lead: IDataObject): number | undefined {
	const { createdAt } = lead;
	if (typeof createdAt !== 'string') return undefined;
	const time = Date.parse(createdAt);
	return time > NEVER ? time : undefined;
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
