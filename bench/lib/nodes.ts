// The nodes that are compared, and those around them, each as a user sets it up.
import { randomUUID } from 'node:crypto';

import { PACKAGE_NAME, type NodeInput, type WorkflowJson } from '../../test/lab/n8n';
import type { Credentials } from './credentials';

type NodeParameters = NonNullable<NodeInput['parameters']>;

/** Two nodes by their names; output and input 0 if not given. */
export type Link = [from: string, to: string, output?: number, input?: number];

/** A request of n8n's HTTP Request node; each value may be an expression. */
interface HttpRequest {
	url: string;
	query?: Record<string, string>;
	headers?: Record<string, string>;
}

export function agentLeads(
	credentials: Credentials,
	parameters: NodeParameters,
	name = 'Agent Leads',
): NodeInput {
	return {
		name,
		type: `${PACKAGE_NAME}.agentLeads`,
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'last24Hours',
			returnAll: true,
			...parameters,
		},
		credentials,
	};
}

export function agentInventory(credentials: Credentials, parameters: NodeParameters): NodeInput {
	return {
		name: 'Agent Inventory',
		type: `${PACKAGE_NAME}.agentInventory`,
		parameters: { resource: 'property', ...parameters },
		credentials,
	};
}

export function agentLeadsTrigger(credentials: Credentials, parameters: NodeParameters): NodeInput {
	return {
		name: 'Agent Leads Trigger',
		type: `${PACKAGE_NAME}.agentLeadsTrigger`,
		parameters,
		credentials,
	};
}

/** 80 requests of n8n's helper and nothing else; of bench/bare, which this n8n has to load. */
export function bareRequestsTrigger(
	credentials: Credentials,
	parameters: NodeParameters,
): NodeInput {
	return {
		name: 'Bare Requests Trigger',
		type: 'CUSTOM.bareRequestsTrigger',
		parameters,
		credentials,
	};
}

/** With its own webhook ID. */
export function agentLeadsPushTrigger(credentials: Credentials): NodeInput {
	return {
		name: 'Agent Leads Push Trigger',
		type: `${PACKAGE_NAME}.agentLeadsPushTrigger`,
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true },
		credentials,
	};
}

/** @param credentials of n8n's own kind */
export function httpRequest(
	credentials: Credentials,
	{ url, query = {}, headers = {} }: HttpRequest,
	name = 'HTTP Request',
): NodeInput {
	return {
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'genericCredentialType',
			genericAuthType: 'oAuth2Api',
			sendQuery: Object.keys(query).length > 0,
			queryParameters: { parameters: pairsOf(query) },
			sendHeaders: Object.keys(headers).length > 0,
			headerParameters: { parameters: pairsOf(headers) },
			options: {},
		},
		credentials,
	};
}

function pairsOf(values: Record<string, string>): Array<{ name: string; value: string }> {
	return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** An item for each value, under the name of the field: two nodes, “List” and “Items”, to be linked. */
export function itemsOf(field: string, values: string[]): [NodeInput, NodeInput] {
	return [
		{
			name: 'List',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ [field]: values }), options: {} },
		},
		splitOut(field, 'Items'),
	];
}

export function splitOut(field: string, name = 'Split Out'): NodeInput {
	return {
		name,
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: field, options: {} },
	};
}

/** One item after the other: output 1 leads into the loop, output 0 out of it. */
export function loop(name: string): NodeInput {
	return {
		name,
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	};
}

/** The items of both inputs. */
export function merge(): NodeInput {
	return { name: 'Merge', type: 'n8n-nodes-base.merge', typeVersion: 3 };
}

/** The end of every workflow: the answer of its webhook is short, and so costs nothing. */
export function limit(): NodeInput {
	return { name: 'Limit', type: 'n8n-nodes-base.limit', parameters: { maxItems: 1 } };
}

/** A workflow with the links given in place of a plain chain. */
export function linked(workflow: WorkflowJson, links: Link[]): WorkflowJson {
	const connections: WorkflowJson['connections'] = {};
	for (const [from, to, output = 0, input = 0] of links) {
		const { main = [] } = (connections[from] ??= {});
		connections[from].main = main;
		while (main.length <= output) main.push([]);
		main[output]?.push({ node: to, type: 'main', index: input });
	}
	return { ...workflow, connections };
}
