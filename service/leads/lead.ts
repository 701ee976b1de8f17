import { createHash } from 'node:crypto';

import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, latestServiceTime, SECOND_MS, serviceTime } from '../basics/times';
import { isObject } from '../basics/values';
import type { TimeWindow } from './window';

export const LEAD_TYPES = ['applicant', 'appraisal'] as const;

export type LeadType = (typeof LEAD_TYPES)[number];

/** The service keeps leads this long, in milliseconds. */
export const RETENTION_MS = 30 * DAY_MS;

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
	if (Math.floor(first / SECOND_MS) * SECOND_MS > to) return false;
	return first >= from || (latestServiceTime(lead.createdAt) ?? first) >= from;
}

/** What tells one lead from another: its id, or its whole content if it has none. */
export function leadKey(lead: IDataObject): string {
	const { id } = lead;
	const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return hasId ? `id:${String(id)}` : `content:${JSON.stringify(lead, inOneOrder)}`;
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
