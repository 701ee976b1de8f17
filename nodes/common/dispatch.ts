import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** What a node can do, by the value of its field “Operation”. */
export type Operations = Record<
	string,
	(context: IExecuteFunctions) => Promise<INodeExecutionData[]>
>;

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
	throw new NodeOperationError(context.getNode(), '“Operation” is unknown', {
		description: 'Choose it from the list.',
	});
}
