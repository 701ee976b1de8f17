import type { INode } from 'n8n-workflow';

/** A node of a workflow, where it matters little which. */
export function workflowNode(more: Partial<INode> = {}): INode {
	return {
		id: 'node-1',
		name: 'Agent Leads',
		type: 'n8n-nodes-agent-integration.agentLeads',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...more,
	};
}
