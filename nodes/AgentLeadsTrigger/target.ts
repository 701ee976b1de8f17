import type { LeadFilter, LeadType } from '../../service/leads/leads';

/** What one request asks for: the leads of one type and, if a filter is set, of one filter id. */
export interface Target {
	/** Its name in stored progress. */
	key: string;
	leadType: LeadType;
	filter?: LeadFilter;
}

/** A legible name: `applicant`, `appraisal · branch NORTH`. Stored progress is found by it. */
export function targetKey(leadType: LeadType, filter?: LeadFilter): string {
	return filter ? `${leadType} · ${filter.by} ${filter.id}` : leadType;
}

/** For people: “Applicant leads of branch NORTH”. */
export function titleOf({ leadType, filter }: Target): string {
	const title = leadType === 'applicant' ? 'Applicant leads' : 'Appraisal leads';
	return filter ? `${title} of ${filter.by} ${filter.id}` : title;
}
