import type { IBuilderHint } from 'n8n-workflow';

import { outputHint } from '../common/outputHint';
import change from './__schema__/v1.0.0/output.json';

export const inventoryTriggerBuilderHint: IBuilderHint = {
	searchHint:
		"Polls for properties that are new or have a new price or status, and delivers each lasting change once, even if n8n was down. Keep runs on 'onePerChange' if anything is sent, booked or written for a change. previous holds the values before it: a price has fallen if price < previous.price.",
	relatedNodes: [
		{
			nodeType: 'n8n-nodes-agent-integration.agentInventory',
			relationHint: 'Gets, lists and searches for properties at any time',
		},
		{
			nodeType: 'n8n-nodes-agent-integration.agentLeads',
			relationHint: 'Gets the applicants of the last 30 days, to tell them of a change',
		},
	],
	extraTypeDefContent: [
		{
			content:
				"@builderHint Keep the node's name once it is published: under another one it starts over.",
		},
		outputHint(change, [
			'event: created | statusChanged | priceChanged | updated, the most important of events.',
			'previous: only what changed. attempt: in some items only.',
		]),
	],
};
