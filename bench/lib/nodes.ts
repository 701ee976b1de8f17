// The nodes that ours are compared with, and those around them, each as a user sets it up.
import type { NodeInput, SavedCredential } from '../../test/lab/n8n';

type Parameters = NonNullable<NodeInput['parameters']>;

/** 80 requests of n8n's helper and nothing else; of bench/bare, which this n8n has to load. */
export function bareRequestsTrigger(
	credential: SavedCredential,
	parameters: Parameters,
): NodeInput {
	const type = 'CUSTOM.bareRequestsTrigger';
	const credentials = { agentLeadsApi: credential };
	return { name: 'Bare Requests Trigger', type, parameters, credentials };
}

/** The same requests for leads by n8n's helper alone, and an item of each lead; of bench/bare. */
export function bareLeads(credential: SavedCredential, pages: string[]): NodeInput {
	const parameters = { pages: JSON.stringify(pages) };
	const credentials = { agentLeadsApi: credential };
	return { name: 'Bare Leads', type: 'CUSTOM.bareLeads', parameters, credentials };
}

/**
 * @param credential of n8n's own kind
 * @param query each value may be an expression
 */
export function httpRequest(
	credential: SavedCredential,
	url: string,
	query: Record<string, string> = {},
): NodeInput {
	const parameters = Object.entries(query).map(([name, value]) => ({ name, value }));
	return {
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			url,
			authentication: 'genericCredentialType',
			genericAuthType: 'oAuth2Api',
			sendQuery: parameters.length > 0,
			queryParameters: { parameters },
			options: {},
		},
		credentials: { oAuth2Api: credential },
	};
}

/** All pages of a list of the inventory service, an item each. */
export function httpPages(credential: SavedCredential, url: string, agencyRef: string): NodeInput {
	const node = httpRequest(credential, url);
	const pagination = {
		paginationMode: 'responseContainsNextURL',
		// The first request has no answer before it.
		nextURL: `={{ '${url}' + ($pageCount === 0 ? '' : '&next-token=' + $response.body.meta.nextToken) }}`,
		paginationCompleteWhen: 'other',
		completeExpression: '={{ !$response.body.meta.nextToken }}',
	};
	return {
		...node,
		parameters: {
			...node.parameters,
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'AgencyRef', value: agencyRef }] },
			options: { pagination: { pagination } },
		},
	};
}

/** An item for each value, under the name of the field. */
export function itemsOf(field: string, values: string[]): [NodeInput, NodeInput] {
	return [
		{
			name: 'List',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ [field]: values }), options: {} },
		},
		{ ...splitOut(field), name: 'Items' },
	];
}

export function splitOut(field: string): NodeInput {
	const parameters = { fieldToSplitOut: field, options: {} };
	return { name: 'Split Out', type: 'n8n-nodes-base.splitOut', parameters };
}

/**
 * In one expression for each item: one for each column, which the editor makes by dragging, takes many times as long.
 *
 * @param columns by name, where each item has them
 */
export function editFields(columns: Record<string, string>): NodeInput {
	const values = Object.entries(columns).map(
		([name, path]) => `${name}: $json.${path.replaceAll('.', '?.')}`,
	);
	return {
		name: 'Edit Fields',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: `={{ ({ ${values.join(', ')} }) }}`, options: {} },
	};
}

/** One item after the other: output 1 leads into the loop, output 0 out of it. */
export function loop(): NodeInput {
	const parameters = { options: {} };
	return { name: 'Loop', type: 'n8n-nodes-base.splitInBatches', typeVersion: 3, parameters };
}

/** The end of every workflow: the answer of its webhook is short, and so costs nothing. */
export function limit(): NodeInput {
	return { name: 'Limit', type: 'n8n-nodes-base.limit', parameters: { maxItems: 1 } };
}
