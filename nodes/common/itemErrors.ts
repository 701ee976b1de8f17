import get from 'lodash/get';
import pick from 'lodash/pick';
import type { IDataObject, IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import type { NodeError, ShownAs } from './nodeErrors';
import { asNodeError } from './nodeErrors';
import { joined } from './joined';
import { isTool } from './tool/isTool';

/**
 * The work of a node for one input item. The signal is aborted when the node has failed, because nobody then needs
 * the answer.
 */
export type ItemOperation = (
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
) => Promise<INodeExecutionData[]>;

/**
 * Runs an operation for each input item, and returns the output in their order. A failed item fails the node. If the
 * node's “On Error” setting continues, the failed item becomes an item with the reason, paired with its input.
 *
 * @param atOnce the number of items that are worked on at once; 1 for an operation that changes something
 * @throws NodeApiError or NodeOperationError
 */
export async function forEachItem(
	context: IExecuteFunctions,
	operation: ItemOperation,
	atOnce = MOST_REQUESTS_AT_ONCE,
): Promise<INodeExecutionData[]> {
	const itemIndexes = [...context.getInputData().keys()];
	const output = await mapConcurrently(itemIndexes, atOnce, async (itemIndex, failed) => {
		const items = operation(context, itemIndex, failed);
		return await items.catch((error: unknown) => [failedItem(context, error, itemIndex)]);
	});
	return output.flat();
}

/**
 * Works like `forEachItem`, for an operation that reads all input items together and returns the outcome of each.
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

/** The error of an item in the form that n8n shows, with its advice. */
export function toItemError(
	node: INode,
	error: unknown,
	itemIndex: number,
	shownAs?: ShownAs,
): NodeError {
	const own = asNodeError(node, error, { itemIndex, shownAs });
	if (own) return own;
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** An error of n8n itself, with a further text below its message. That place often has n8n's own advice. */
export function described(error: Error, more: string): Error {
	return Object.assign(error, { description: joined(' ', [get(error, 'description'), more]) });
}

/**
 * An item with the reason why there is no result. In the error output, n8n adds the input that the item came from.
 *
 * @throws NodeApiError or NodeOperationError if the node does not continue on an error
 */
function failedItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	const node = context.getNode();
	const isCancelled = context.getExecutionCancelSignal()?.aborted ?? false;
	const isThrown = isCancelled || !context.continueOnFail();
	const nodeError = toItemError(node, error, itemIndex, isTool(node) ? 'message' : 'panel');
	if (isThrown) throw nodeError;
	const { message, description, context: more } = toItemError(node, error, itemIndex, 'text');
	const json = { error: message, message: description ?? '', ...pick(more, 'code') };
	const item = { json, pairedItem: { item: itemIndex } };
	return node.onError === 'continueErrorOutput' ? markedAsFailed(item, nodeError) : item;
}

/**
 * Marks an item as failed, in a way that n8n's error output understands. n8n moves an item there if it has an
 * `error`, or no fields but certain ones, and `code` is not among them. It also replaces all fields of an item whose
 * `error` it still finds later. It copies the enumerable fields of an item that it moves, so the mark is not
 * enumerable.
 */
function markedAsFailed(item: INodeExecutionData, error: NodeError): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}
