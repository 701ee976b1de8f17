import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { ServiceError, toNodeError } from '../../service/failure';
import { FieldError } from './fieldError';

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
		const [outcome] = await Promise.allSettled([operation(context, itemIndex)]);
		const items =
			outcome.status === 'fulfilled'
				? outcome.value
				: [failedItem(context, outcome.reason, itemIndex)];
		for (const item of items) output.push(item);
	}
	return output;
}

/**
 * As `forEachItem`, for an operation that takes all input items together, and says of each what
 * became of it.
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function forItemsTogether(
	context: IExecuteFunctions,
	operation: (context: IExecuteFunctions) => Promise<ItemOutcome[]>,
): Promise<INodeExecutionData[]> {
	const outcomes = await operation(context);
	return outcomes.map((outcome, item) =>
		'json' in outcome
			? { json: outcome.json, pairedItem: { item } }
			: failedItem(context, outcome.error, item),
	);
}

export type ItemOutcome = { json: IDataObject } | { error: unknown };

type NodeError = NodeApiError | NodeOperationError;

/** The error of an item as n8n shows it, with a way out. */
export function toItemError(node: INode, error: unknown, itemIndex: number): NodeError {
	if (error instanceof ServiceError) return toNodeError(node, error, { itemIndex });
	if (error instanceof FieldError) return error.toNodeError(node, itemIndex);
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
		description: descriptionOf(error),
	});
}

/** n8n's own errors often say in it what to do. */
function descriptionOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || !('description' in error)) return undefined;
	return typeof error.description === 'string' ? error.description : undefined;
}

/**
 * Every n8n version takes an item with just these two keys for a failed one, and puts the input it
 * came from beside them in the error output.
 *
 * @throws NodeApiError or NodeOperationError where the node does not continue on an error
 */
function failedItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const nodeError = toItemError(context.getNode(), error, itemIndex);
	const isCancelled = context.getExecutionCancelSignal?.()?.aborted ?? false;
	if (isCancelled || !context.continueOnFail()) throw nodeError;
	const { message, description } = nodeError;
	return {
		json: { error: message, message: description ?? '' },
		pairedItem: { item: itemIndex },
	};
}
