import { randomUUID } from 'node:crypto';

import type { IConnections, INode, IPinData, IWorkflowSettings } from 'n8n-workflow';

/** A workflow as n8n's editor sends it, and as an example file holds it. */
export interface WorkflowJson {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

/** A workflow as n8n has stored it. */
export interface StoredWorkflow extends WorkflowJson {
	id: string;
	versionId: string;
	active: boolean;
}

/** What a test says about a node; the rest is filled in. */
export type NodeInput = Pick<INode, 'name' | 'type'> & Partial<INode>;

export const WEBHOOK = 'n8n-nodes-base.webhook';
export const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';

/** A webhook that answers with all items of the last node, once it has run. */
export function webhook(parameters: INode['parameters'] = {}): NodeInput {
	const path = randomUUID();
	return {
		name: 'Webhook',
		type: WEBHOOK,
		typeVersion: 2.1,
		webhookId: path,
		parameters: {
			httpMethod: 'POST',
			path,
			responseMode: 'lastNode',
			responseData: 'allEntries',
			...parameters,
		},
	};
}

export function manualTrigger(): NodeInput {
	return { name: 'Manual Trigger', type: MANUAL_TRIGGER };
}

/** A workflow of nodes in a row, each connected to the next. */
export function chain(name: string, ...inputs: NodeInput[]): WorkflowJson {
	const nodes = inputs.map((input, index): INode => ({
		id: randomUUID(),
		typeVersion: 1,
		position: [index * 220, 0],
		parameters: {},
		...input,
	}));
	const connections: IConnections = {};
	nodes.forEach((node, index) => {
		const next = nodes[index + 1];
		if (next) connections[node.name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	});
	return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** A workflow of several triggers, each of which starts the same node. */
export function startedByEach(name: string, triggers: NodeInput[], next: NodeInput): WorkflowJson {
	const workflow = chain(name, ...triggers, next);
	const toNext = { main: [[{ node: next.name, type: 'main' as const, index: 0 }]] };
	const connections = Object.fromEntries(triggers.map((trigger) => [trigger.name, toNext]));
	return { ...workflow, connections };
}
