import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { asNodeError } from './nodeErrors';
import { readChoice } from './readers';

type Operation = (context: IExecuteFunctions) => Promise<INodeExecutionData[]>;

/** The operations of a node for one resource, by the value of the field “Operation”. */
export type Operations = Record<string, Operation>;

/**
 * Runs the operation that the node's parameters name. The operation is the same for all items.
 *
 * @param resources the operations of each resource, by the value of the field “Resource”
 * @throws NodeApiError or NodeOperationError
 */
export async function dispatch(
	context: IExecuteFunctions,
	resources: Record<string, Operations>,
): Promise<INodeExecutionData[]> {
	return await chosenOperation(context, resources)(context);
}

function chosenOperation(
	context: IExecuteFunctions,
	resources: Record<string, Operations>,
): Operation {
	try {
		const resource = context.getNodeParameter('resource', 0);
		const operations = readChoice('Resource', resource, resources);
		return readChoice('Operation', context.getNodeParameter('operation', 0), operations);
	} catch (error) {
		throw asNodeError(context.getNode(), error) ?? error;
	}
}
