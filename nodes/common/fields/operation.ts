import type { INodeProperties } from 'n8n-workflow';

/**
 * “Operation” of a resource that can only be listed. The editor shows the description of an operation for each
 * resource by itself.
 *
 * @param what is listed, as a person calls it
 */
export function getManyOf(
	resource: string,
	what: string,
	description: string,
	action: string,
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'getAll',
		description: `What to do with the ${what}`,
		displayOptions: { show: { resource: [resource] } },
		options: [{ name: 'Get Many', value: 'getAll', description, action }],
	};
}
