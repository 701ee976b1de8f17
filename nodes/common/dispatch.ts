import type { IExecuteFunctions, INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { FieldError } from './fieldError';
import type { FieldLabel } from './labels';
import { toldOfField, toOperationError } from './nodeErrors';

/** What a node can do, by the value of its field “Operation”. */
export type Operations = Record<
	string,
	(context: IExecuteFunctions) => Promise<INodeExecutionData[]>
>;

/**
 * Runs the operation that the node is set to, where each resource has its own.
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function dispatchByResource(
	context: IExecuteFunctions,
	resources: Record<string, Operations>,
): Promise<INodeExecutionData[][]> {
	const name = String(context.getNodeParameter('resource', 0));
	const operations = Object.hasOwn(resources, name) ? resources[name] : undefined;
	if (operations) return await dispatch(context, operations);
	throw unknownChoice(context, 'Resource');
}

/**
 * Runs the operation that the node is set to: one for all its items.
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function dispatch(
	context: IExecuteFunctions,
	operations: Operations,
): Promise<INodeExecutionData[][]> {
	const name = String(context.getNodeParameter('operation', 0));
	const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
	if (operation) return [await operation(context)];
	throw unknownChoice(context, 'Operation');
}

function unknownChoice(context: IExecuteFunctions, field: FieldLabel): NodeOperationError {
	const error = new FieldError(field, 'is unknown', 'Choose it from the list.');
	return toOperationError(context.getNode(), toldOfField(error));
}
