import { randomUUID } from 'node:crypto';

import camelCase from 'lodash/camelCase';
import type { INode } from 'n8n-workflow';

import type { Execution } from '../execution';
import { PACKAGE_NAME } from '../installation';
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
export const PUSH_TRIGGER = 'Agent Leads Push Trigger';

/** A node of ours with a credential, and what a user sets unless a test says otherwise. */
const ours =
	(name: string, credentialType: string, usual: NodeParameters) =>
	(credential: SavedCredential, parameters: NodeParameters = {}): NodeInput => ({
		name,
		type: `${PACKAGE_NAME}.${camelCase(name)}`,
		parameters: { ...usual, ...parameters },
		credentials: { [credentialType]: credential },
	});

/** Gets all leads of the last 24 hours. */
export const agentLeads = ours(NODE, 'agentLeadsApi', {
	resource: 'applicantLead',
	operation: 'getAll',
	period: 'last24Hours',
	filterBy: 'none',
	returnAll: true,
});

/** Gets all properties of an agency as the service sends them. */
export const agentInventory = ours(INVENTORY, 'agentInventoryApi', {
	resource: 'property',
	operation: 'getAll',
	returnAll: true,
	simplify: false,
});

/** Activates a premium listing. */
export const agentProducts = ours(PRODUCTS, 'agentProductsApi', {
	resource: 'premiumListing',
	operation: 'activate',
});

/** Gets all leads from now on in one run for each poll, but polls every five seconds. */
export const agentLeadsTrigger = ours(TRIGGER, 'agentLeadsApi', {
	pollTimes: EVERY_FIVE_SECONDS,
	leadTypes: ['applicant', 'appraisal'],
	filterBy: 'none',
	simplify: true,
	startFrom: 'activation',
	runs: 'onePerPoll',
	options: {},
});

/** Has a run for each change from now on, but polls every five seconds. */
export const agentInventoryTrigger = ours(INVENTORY_TRIGGER, 'agentInventoryApi', {
	pollTimes: EVERY_FIVE_SECONDS,
	events: ['created', 'priceChanged', 'statusChanged'],
	startFrom: 'activation',
	runs: 'onePerChange',
	options: {},
});

/** Takes leads at an address of its own. */
export function agentLeadsPushTrigger(credential: SavedCredential) {
	const parameters = { leadTypes: ['applicant', 'appraisal'], simplify: true };
	const node = ours(PUSH_TRIGGER, 'agentLeadsPushApi', parameters)(credential);
	return { ...node, typeVersion: 1.1, webhookId: randomUUID() };
}

export const NO_OPERATION: NodeInput = { name: 'No Operation', type: 'n8n-nodes-base.noOp' };

/** Makes an item of each entry of a list in the body of a call: `$json.entry`. */
export const EACH_ENTRY: NodeInput = {
	name: 'Split Out',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.entries', options: { destinationFieldName: 'entry' } },
};

const request = (name: string, parameters: NodeParameters): NodeInput => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { options: {}, ...parameters },
});

/** n8n's own HTTP Request node with our credential. */
export function httpRequest(
	credential: SavedCredential,
	url: string,
	nodeCredentialType = 'agentLeadsApi',
): NodeInput {
	const parameters = { url, authentication: 'predefinedCredentialType', nodeCredentialType };
	const credentials = { [nodeCredentialType]: credential };
	return { ...request('HTTP Request', parameters), credentials };
}

/** Posts each item to a target, and says which workflow and which execution it comes from. */
export function postTo(url: string): NodeInput {
	const item = '{ lead: $json, workflow: $workflow.name, execution: $execution.id }';
	const jsonBody = `={{ JSON.stringify(${item}) }}`;
	return request('Target', { method: 'POST', url, sendBody: true, specifyBody: 'json', jsonBody });
}

/** The headline and the sentences below it, as n8n shows them for a failed node. */
export function errorText(execution: Execution, node = NODE): string {
	const error = execution.nodeError(node);
	if (!error) throw new Error(`${node} did not fail: ${execution.status}`);
	return [error.message, error.description].filter(Boolean).join(' ');
}
