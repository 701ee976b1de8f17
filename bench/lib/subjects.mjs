// @ts-check
// What is compared: our nodes, and n8n's HTTP Request node with the OAuth2 credential of n8n, each as a user sets it up.
import { createRequire } from 'node:module';

/**
 * @typedef {import('../../test/lab/n8n/index.js').N8n} N8n
 * @typedef {import('../../test/lab/n8n/index.js').NodeInput} NodeInput
 * @typedef {import('../../test/lab/n8n/index.js').WorkflowJson} WorkflowJson
 * @typedef {import('../../test/lab/sandbox/index.js').Sandbox} Sandbox
 * @typedef {{ clientId: string, clientSecret: string }} Client
 * @typedef {NonNullable<NodeInput['credentials']>} Credentials
 * @typedef {[from: string, to: string, output?: number, input?: number]} Link
 */

const { AGENCY_REFS } = createRequire(import.meta.url)('../../test/lab/sandbox/inventory');

const PACKAGE = 'n8n-nodes-agent-integration';

export const [AGENCY] = AGENCY_REFS;

/**
 * @param {N8n} n8n
 * @param {Sandbox} sandbox
 * @param {Client} client
 * @returns {Promise<Credentials>}
 */
export async function leadsCredential(n8n, { authUrl, leadsUrl }, { clientId, clientSecret }) {
	const data = { clientId, clientSecret, authUrl, leadsUrl };
	return { agentLeadsApi: await n8n.createCredential('agentLeadsApi', clientId, data) };
}

/**
 * @param {N8n} n8n
 * @param {Sandbox} sandbox
 * @param {Client} client
 * @returns {Promise<Credentials>}
 */
export async function inventoryCredential(n8n, sandbox, { clientId, clientSecret }) {
	const { tokenUrl, inventoryUrl } = sandbox;
	const data = { clientId, clientSecret, tokenUrl, inventoryUrl, agencyRef: AGENCY };
	return { agentInventoryApi: await n8n.createCredential('agentInventoryApi', clientId, data) };
}

/**
 * n8n's own credential for the leads service: the pair in the body, and an audience.
 *
 * @param {N8n} n8n
 * @param {Sandbox} sandbox
 * @param {Client} client
 */
export async function oauth2ForLeads(n8n, { authUrl, leadsUrl }, client) {
	return await oauth2(n8n, client, {
		accessTokenUrl: `${authUrl}/oauth2/token`,
		authentication: 'body',
		sendAdditionalBodyProperties: true,
		additionalBodyProperties: JSON.stringify({ audience: leadsUrl }),
	});
}

/**
 * n8n's own credential for the inventory service: the pair as Basic authentication.
 *
 * @param {N8n} n8n
 * @param {Sandbox} sandbox
 * @param {Client} client
 */
export async function oauth2ForInventory(n8n, { tokenUrl }, client) {
	return await oauth2(n8n, client, { accessTokenUrl: tokenUrl, authentication: 'header' });
}

/**
 * @param {N8n} n8n
 * @param {Client} client
 * @param {Record<string, string | boolean>} settings
 * @returns {Promise<Credentials>}
 */
async function oauth2(n8n, { clientId, clientSecret }, settings) {
	const data = { grantType: 'clientCredentials', clientId, clientSecret, scope: '', ...settings };
	return { oAuth2Api: await n8n.createCredential('oAuth2Api', clientId, data) };
}

/**
 * @param {Credentials} credentials
 * @param {NonNullable<NodeInput['parameters']>} parameters
 * @returns {NodeInput}
 */
export function agentLeads(credentials, parameters, name = 'Agent Leads') {
	return {
		name,
		type: `${PACKAGE}.agentLeads`,
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

/**
 * @param {Credentials} credentials
 * @param {NonNullable<NodeInput['parameters']>} parameters
 * @returns {NodeInput}
 */
export function agentInventory(credentials, parameters) {
	return {
		name: 'Agent Inventory',
		type: `${PACKAGE}.agentInventory`,
		parameters: { resource: 'property', ...parameters },
		credentials,
	};
}

/**
 * @param {Credentials} credentials
 * @param {NonNullable<NodeInput['parameters']>} parameters
 * @returns {NodeInput}
 */
export function agentLeadsTrigger(credentials, parameters) {
	return {
		name: 'Agent Leads Trigger',
		type: `${PACKAGE}.agentLeadsTrigger`,
		parameters,
		credentials,
	};
}

/**
 * @param {Credentials} credentials of n8n's own kind
 * @param {{ url: string, query?: Record<string, string>, headers?: Record<string, string> }} request expressions are welcome
 * @returns {NodeInput}
 */
export function httpRequest(credentials, { url, query = {}, headers = {} }, name = 'HTTP Request') {
	return {
		name,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'genericCredentialType',
			genericAuthType: 'oAuth2Api',
			sendQuery: Object.keys(query).length > 0,
			queryParameters: { parameters: named(query) },
			sendHeaders: Object.keys(headers).length > 0,
			headerParameters: { parameters: named(headers) },
			options: {},
		},
		credentials,
	};
}

/** @param {Record<string, string>} values */
const named = (values) => Object.entries(values).map(([name, value]) => ({ name, value }));

/**
 * An item for each value, under the name of the field.
 *
 * @param {string} field
 * @param {string[]} values
 * @returns {[NodeInput, NodeInput]} to be linked
 */
export function itemsOf(field, values) {
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

/**
 * @param {string} field
 * @param {string} [name]
 * @returns {NodeInput}
 */
export function splitOut(field, name = 'Split Out') {
	return {
		name,
		type: 'n8n-nodes-base.splitOut',
		parameters: { fieldToSplitOut: field, options: {} },
	};
}

/**
 * One item after the other: output 1 leads into the loop, output 0 out of it.
 * @param {string} name
 * @returns {NodeInput}
 */
export function loop(name) {
	return {
		name,
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { options: {} },
	};
}

/** @returns {NodeInput} what came in by either input */
export const merge = () => ({ name: 'Merge', type: 'n8n-nodes-base.merge', typeVersion: 3 });

/** @returns {NodeInput} the end of every workflow, so that the answer of its webhook costs nothing */
export const limit = () => ({
	name: 'Limit',
	type: 'n8n-nodes-base.limit',
	parameters: { maxItems: 1 },
});

/**
 * A workflow with the links given in place of a plain chain.
 *
 * @param {WorkflowJson} workflow
 * @param {Link[]} links
 * @returns {WorkflowJson}
 */
export function linked(workflow, links) {
	/** @type {WorkflowJson['connections']} */
	const connections = {};
	for (const [from, to, output = 0, input = 0] of links) {
		const { main = [] } = (connections[from] ??= {});
		connections[from].main = main;
		while (main.length <= output) main.push([]);
		main[output]?.push({ node: to, type: 'main', index: input });
	}
	return { ...workflow, connections };
}
