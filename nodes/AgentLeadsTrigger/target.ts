import type { LeadFilter, LeadType } from '../../service/leads/leads';

/** A target, that is the subject of one request: the leads of one type and, if a filter is set, of one filter ID. */
export interface Target {
	/** The name of the target in the progress that n8n stores, such as `appraisal · branch NORTH`. */
	key: string;
	leadType: LeadType;
	filter?: LeadFilter;
}

/**
 * Makes the name that a target (the leads of one type and filter ID) has in stored progress. A person can read it:
 * `applicant`, `appraisal · branch NORTH`.
 */
export function targetKey(leadType: LeadType, filter?: LeadFilter): string {
	return filter ? `${leadType} · ${filter.by} ${filter.id}` : leadType;
}

/**
 * Makes the name that a target (the leads of one type and filter ID) has in messages: “Applicant leads of branch
 * NORTH”.
 */
export function titleOf({ leadType, filter }: Target): string {
	const title = leadType === 'applicant' ? 'Applicant leads' : 'Appraisal leads';
	return filter ? `${title} of ${filter.by} ${filter.id}` : title;
}
