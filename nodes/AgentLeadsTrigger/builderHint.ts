import type { IBuilderHint } from 'n8n-workflow';

import { LEAD_NOTES } from '../common/leads/leadNotes';
import { outputHint } from '../common/outputHint';
import lead from './__schema__/v1.0.0/output.json';

export const leadsTriggerBuilderHint: IBuilderHint = {
	searchHint:
		"Polls for new leads and delivers each once: none is lost, even if n8n was down. Keep runs on 'onePerLead' if anything is sent, booked or written for a lead: no step has to mark it as handled. To react at once, add Agent Leads Push Trigger beside it in the same workflow, both connected to the same next node.",
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-agent-integration.agentLeadsPushTrigger',
			relationHint: 'Delivers leads at once, beside this trigger',
		},
		{
			nodeType: 'n8n-nodes-agent-integration.agentInventory',
			relationHint: 'Finds the property that a lead is about (findForLead)',
		},
	],
	extraTypeDefContent: [
		{
			content:
				"@builderHint Keep the node's name once it is published: under another one it starts over.",
		},
		outputHint(lead, [...LEAD_NOTES, 'attempt: in some items only.']),
	],
};
