import type { IBuilderHint } from 'n8n-workflow';

import { LEAD_NOTES } from '../common/leads/leadNotes';
import { outputHint } from '../common/outputHint';
import lead from './__schema__/v1.1.0/output.json';

export const leadsPushTriggerBuilderHint: IBuilderHint = {
	searchHint:
		"Starts at once when the operator pushes a lead, but a push can be lost: never use it alone. Put Agent Leads Trigger with runs 'onePerLead' beside it in the same workflow, both connected to the same next node. Each lead then has one run, whichever way it comes first. The user must ask the operator to register the address.",
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-agent-integration.agentLeadsTrigger',
			relationHint: 'Needed beside this trigger: delivers the leads that were not pushed',
		},
	],
	extraTypeDefContent: [outputHint(lead, LEAD_NOTES)],
};
