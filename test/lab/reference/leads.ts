import type { Door, WireRequest } from './http';
import { get } from './http';

export const LISTS = {
	applicant: { path: '/applicant-leads', member: 'applicants' },
	appraisal: { path: '/appraisal-leads', member: 'appraisals' },
} as const;

export type LeadKind = keyof typeof LISTS;

/** At most one of the four ids; times are inclusive, none of them means the last 24 hours. */
export interface LeadQuestion {
	'from-time'?: Date;
	'to-time'?: Date;
	'branch-id'?: string;
	'brand-id'?: string;
	'company-id'?: string;
	'group-id'?: string;
}

/** The leads of one kind; there are no pages. */
export function listLeads(door: Door, kind: LeadKind, question: LeadQuestion = {}): WireRequest {
	return get(door, LISTS[kind].path, question);
}
