import type { LeadType } from '../../../service/leads/leads';

/**
 * Makes the key of a lead's run, by which n8n refuses a second run. The key is the same for all triggers of a workflow,
 * so a lead that two triggers find has only one run. The lead's own key is the last part, because it may contain colons
 * and numbers: in any other place, a part of it could look like the number of an attempt.
 */
export function runKeyOf(
	workflowId: string | undefined,
	{ leadType, key }: { leadType: LeadType; key: string },
	attempt: number,
): string {
	const kind = attempt > 1 ? `${leadType}#${attempt}` : leadType;
	return ['agentLead', workflowId, kind, key].join(':');
}
