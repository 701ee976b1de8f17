import type { IExecuteFunctions, INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { FieldError } from './fieldError';
import { toOperationError } from './nodeErrors';
import { choiceOf } from './readers';

/** The operations of a resource, by the value of the field “Operation”. */
export type Operations = Record<
	string,
	(context: IExecuteFunctions) => Promise<INodeExecutionData[]>
>;

/**
 * Runs the operation that the node is set to. All items have the same operation.
 *
 * @param resources the operations of each resource, by the value of the field “Resource”
 * @throws NodeApiError or NodeOperationError
 */
export async function dispatch(
	context: IExecuteFunctions,
	resources: Record<string, Operations>,
): Promise<INodeExecutionData[]> {
	const operations = choiceOf(resources, context.getNodeParameter('resource', 0));
	if (!operations) throw unknownChoice(context, 'Resource');
	const operation = choiceOf(operations, context.getNodeParameter('operation', 0));
	if (!operation) throw unknownChoice(context, 'Operation');
	return await operation(context);
}

function unknownChoice(context: IExecuteFunctions, field: string): NodeOperationError {
	const error = new FieldError(field, 'is unknown', 'Choose one from its list.');
	return toOperationError(context.getNode(), error);
}
