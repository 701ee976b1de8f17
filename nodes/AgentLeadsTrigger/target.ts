import type { LeadFilter, LeadType } from '../../service/leads/leads';

/** A target, that is the subject of one request: the leads of one type and, if a filter is set, of one filter ID. */
export interface Target {
	/** The target's name in the progress that n8n stores. */
	key: string;
	leadType: LeadType;
	filter?: LeadFilter;
}

/** Makes the name of a target in stored progress, which a person can read: `applicant`, `appraisal · branch NORTH`. */
export function targetKey(leadType: LeadType, filter?: LeadFilter): string {
	return filter ? `${leadType} · ${filter.by} ${filter.id}` : leadType;
}

/** Makes the name of a target in messages: “Applicant leads of branch NORTH”. */
export function titleOf({ leadType, filter }: Target): string {
	const title = leadType === 'applicant' ? 'Applicant leads' : 'Appraisal leads';
	return filter ? `${title} of ${filter.by} ${filter.id}` : title;
}
