import type { INode } from 'n8n-workflow';

import type { Execution } from '../execution';
import type { SavedCredential } from '../n8n';
import { EVERY_FIVE_SECONDS } from '../polling';
import type { NodeInput } from '../workflow';

export type NodeParameters = INode['parameters'];

/** The names of the nodes under test, in every workflow. */
export const NODE = 'Agent Leads';
export const TRIGGER = 'Agent Leads Trigger';
export const INVENTORY = 'Agent Inventory';
export const INVENTORY_TRIGGER = 'Agent Inventory Trigger';
export const PRODUCTS = 'Agent Products';

/** Our node, as a user sets it up to get all leads of the last 24 hours. */
export function agentLeads(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: NODE,
		type: 'n8n-nodes-agent-integration.agentLeads',
		parameters: {
			resource: 'applicantLead',
			operation: 'getAll',
			period: 'last24Hours',
			filterBy: 'none',
			returnAll: true,
			...parameters,
		},
		credentials: { agentLeadsApi: credential },
	};
}

/** Our node, as a user sets it up to get all properties of an agency as the service sends them. */
export function agentInventory(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: INVENTORY,
		type: 'n8n-nodes-agent-integration.agentInventory',
		parameters: {
			resource: 'property',
			operation: 'getAll',
			returnAll: true,
			simplify: false,
			...parameters,
		},
		credentials: { agentInventoryApi: credential },
	};
}

/** Our node, as a user sets it up to activate a premium listing. */
export function agentProducts(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: PRODUCTS,
		type: 'n8n-nodes-agent-integration.agentProducts',
		parameters: { resource: 'premiumListing', operation: 'activate', ...parameters },
		credentials: { agentProductsApi: credential },
	};
}

/** Our trigger, as a user sets it up to get all leads from now on in one run for each poll, but polling every five seconds. */
export function agentLeadsTrigger(
	credential: SavedCredential,
	parameters: NodeParameters = {},
): NodeInput {
	return {
		name: TRIGGER,
		type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
		parameters: {
			pollTimes: EVERY_FIVE_SECONDS,
			leadTypes: ['applicant', 'appraisal'],
			filterBy: 'none',
			simplify: true,
			startFrom: 'activation',
			runs: 'onePerPoll',
			options: {},
			...parameters,
		},
		credentials: { agentLeadsApi: credential },
	};
}

/** Our trigger, as a user sets it up to have a run for each change from now on, but polling every five seconds. */
export function agentInventoryTrigger(credential: SavedCredential): NodeInput {
	return {
		name: INVENTORY_TRIGGER,
		type: 'n8n-nodes-agent-integration.agentInventoryTrigger',
		parameters: {
			pollTimes: EVERY_FIVE_SECONDS,
			events: ['created', 'priceChanged', 'statusChanged'],
			startFrom: 'activation',
			runs: 'onePerChange',
			options: {},
		},
		credentials: { agentInventoryApi: credential },
	};
}

export const NO_OPERATION: NodeInput = { name: 'No Operation', type: 'n8n-nodes-base.noOp' };

/** n8n's own HTTP Request node with our credential. */
export function httpRequest(
	credential: SavedCredential,
	url: string,
	credentialType = 'agentLeadsApi',
): NodeInput {
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credentialType,
			options: {},
		},
		credentials: { [credentialType]: credential },
	};
}

/** Posts each item to a target, and says which workflow and which execution it comes from. */
export function postTo(url: string): NodeInput {
	return {
		name: 'Target',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			method: 'POST',
			url,
			sendBody: true,
			specifyBody: 'json',
			jsonBody:
				'={{ JSON.stringify({ lead: $json, workflow: $workflow.name, execution: $execution.id }) }}',
			options: {},
		},
	};
}

/** As it is after somebody has deleted its credential: n8n begins no run of a workflow that has it. */
export function lackingCredential(node: NodeInput): NodeInput {
	const genericAuth = {
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
	};
	return {
		...node,
		parameters: { ...node.parameters, ...genericAuth },
		credentials: { httpHeaderAuth: { id: null, name: 'Deleted' } },
	};
}

/** The headline and the sentences below it, as n8n shows them for a failed node. */
export function errorText(execution: Execution, node = NODE): string {
	const error = execution.nodeError(node);
	if (!error) throw new Error(`${node} did not fail: ${execution.status}`);
	return [error.message, error.description].filter(Boolean).join(' ');
}
