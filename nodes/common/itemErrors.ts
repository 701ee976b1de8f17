import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ServiceError, toNodeError } from '../../service/errors';
import { FieldError } from './parameters';

/**
 * Runs an operation for each input item. A failed item fails the node, or, where the node's “On
 * Error” setting continues, becomes one item that tells why, paired with its input.
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function forEachItem(
	context: IExecuteFunctions,
	operation: (context: IExecuteFunctions, itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const output: INodeExecutionData[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		try {
			for (const item of await operation(context, itemIndex)) output.push(item);
		} catch (error) {
			const nodeError = toItemError(context.getNode(), error, itemIndex);
			const isCancelled = context.getExecutionCancelSignal?.()?.aborted ?? false;
			if (isCancelled || !context.continueOnFail()) throw nodeError;
			output.push(failedItem(nodeError, itemIndex));
		}
	}
	return output;
}

type NodeError = NodeApiError | NodeOperationError;

function toItemError(node: INode, error: unknown, itemIndex: number): NodeError {
	if (error instanceof ServiceError) return toNodeError(node, error, { itemIndex });
	if (error instanceof FieldError) return error.toNodeError(node, itemIndex);
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/**
 * Every n8n version takes an item with just these two keys for a failed one, and puts the input it
 * came from beside them in the error output.
 */
function failedItem({ message, description }: NodeError, itemIndex: number): INodeExecutionData {
	return {
		json: { error: message, message: description ?? '' },
		pairedItem: { item: itemIndex },
	};
}
