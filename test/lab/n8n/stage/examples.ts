import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { root } from '../../paths';
import type { SavedCredential } from '../n8n';
import { EVERY_FIVE_SECONDS } from '../polling';
import type { WorkflowJson } from '../workflow';
import type { NodeParameters } from './nodes';

/** What a user enters in an example: credentials by their type, and parameters by the name of the node. */
export interface ExampleSetup {
	credentials: Record<string, SavedCredential>;
	parameters?: Record<string, NodeParameters>;
}

const EXAMPLES = join(root, 'examples');

export function exampleFiles(): string[] {
	return readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowJson {
	return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;
}

/** The type of the credential that a node of an example wants. */
const CREDENTIAL_TYPES: Record<string, string> = {
	'n8n-nodes-agent-integration.agentInventory': 'agentInventoryApi',
	'n8n-nodes-agent-integration.agentInventoryTrigger': 'agentInventoryApi',
	'n8n-nodes-agent-integration.agentLeads': 'agentLeadsApi',
	'n8n-nodes-agent-integration.agentLeadsPushTrigger': 'agentLeadsPushApi',
	'n8n-nodes-agent-integration.agentLeadsTrigger': 'agentLeadsApi',
	'n8n-nodes-agent-integration.agentProducts': 'agentProductsApi',
	'n8n-nodes-base.emailSend': 'smtp',
};

/** The types of the triggers that ask the service at their poll times. */
const POLLING = new Set(
	['agentInventoryTrigger', 'agentLeadsTrigger'].map(
		(name) => `n8n-nodes-agent-integration.${name}`,
	),
);

/**
 * The workflow of an example after a user has set it up: credentials, addresses, and that the nodes that were deactivated
 * are not. Waits are made short.
 */
export function setUp<T extends WorkflowJson>(
	example: T,
	{ credentials, parameters = {} }: ExampleSetup,
): T {
	const nodes = example.nodes.map((node): INode => ({
		...node,
		disabled: false,
		...(node.waitBetweenTries !== undefined && { waitBetweenTries: 100 }),
		credentials: chosen(credentials, CREDENTIAL_TYPES[node.type]),
		parameters: {
			...node.parameters,
			...(POLLING.has(node.type) && { pollTimes: EVERY_FIVE_SECONDS }),
			...parameters[node.name],
		},
	}));
	return { ...example, nodes };
}

function chosen(credentials: ExampleSetup['credentials'], type: string | undefined) {
	if (type === undefined) return {};
	const credential = credentials[type];
	if (!credential) throw new Error(`The example wants a credential of the type ${type}`);
	return { [type]: credential };
}
