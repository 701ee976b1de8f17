import type { LeadType } from '../../../service/leads/leads';

/**
 * The key of a lead's run, the same for each trigger of a workflow, so that a lead of two triggers has one run. The lead comes
 * last: its ID may have colons and numbers, and must not look like another lead's attempt.
 */
export function runKeyOf(
	workflowId: string | undefined,
	{ leadType, key }: { leadType: LeadType; key: string },
	attempt: number,
): string {
	const kind = attempt > 1 ? `${leadType}#${attempt}` : leadType;
	return ['agentLead', workflowId, kind, key].join(':');
}
