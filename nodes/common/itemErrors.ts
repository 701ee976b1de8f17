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
 * What a node does for one input item. The signal says that the node has failed: then nobody needs the answer any more.
 */
export type ItemOperation = (
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
) => Promise<INodeExecutionData[]>;

/**
 * Runs an operation for each input item, with the output in their order. A failed item fails the node. If the node's
 * “On Error” setting continues, it becomes one item that tells why, paired with its input.
 *
 * @param atOnce for how many items; 1 for an operation that changes something
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

/** The error of an item as n8n shows it, with a way out. */
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

/** An error of n8n itself, with more to read below its message, where it often says what to do. */
export function described(error: Error, more: string): Error {
	return Object.assign(error, { description: joined(' ', [get(error, 'description'), more]) });
}

/**
 * An item that tells why there is none. In the error output n8n adds the input that the item came from.
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
 * n8n moves an item to the error output if it has an `error`, or nothing but certain fields, `code` not among them. It
 * also replaces all fields of an item whose `error` it still finds later. It copies what it moves, with what is
 * enumerable: so the mark is not.
 */
function markedAsFailed(item: INodeExecutionData, error: NodeError): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}
