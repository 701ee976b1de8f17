import type { IBuilderHint } from 'n8n-workflow';

import { LEAD_NOTES } from '../common/leads/leadNotes';
import { outputHints } from '../common/outputHint';
import lead from './__schema__/v1.0.0/applicantLead/getAll.json';

export const leadsBuilderHint: IBuilderHint = {
	searchHint:
		'For leads of the last 30 days on demand, such as a summary or a backfill. To start a workflow with new leads use Agent Leads Trigger, not a schedule with this node: only the trigger remembers what it has delivered.',
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-agent-integration.agentLeadsTrigger',
			relationHint: 'Starts a workflow with each new lead, once',
		},
	],
	extraTypeDefContent: outputHints(
		{ applicantLead: { getAll: lead }, appraisalLead: { getAll: lead } },
		LEAD_NOTES,
	),
};
