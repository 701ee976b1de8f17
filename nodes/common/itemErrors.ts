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
 * The work of a node for one input item. The signal is aborted when the node has failed, because the result is then no
 * longer needed.
 */
export type ItemOperation = (
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
) => Promise<INodeExecutionData[]>;

/**
 * Runs an operation for each input item, and returns the output in the order of the items. If an item fails, the node
 * fails. If the node's setting “On Error” is to continue, the failed item is replaced with an item that contains the
 * reason, and is paired with its input.
 *
 * @param atOnce how many items are worked on at the same time; 1 for an operation that changes something
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
 * Runs an operation that reads all input items together and returns one outcome for each. If the node's setting “On
 * Error” is to continue, a failed item is replaced with an item that contains the reason.
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

/** Turns the error of an item into the error that n8n shows, with advice. */
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

/**
 * Adds a text to the description of an error of n8n itself. The description often contains n8n's own advice, which
 * stays.
 */
export function described(error: Error, more: string): Error {
	return Object.assign(error, { description: joined(' ', [get(error, 'description'), more]) });
}

/**
 * Makes the output item for an input item that has failed; it contains the reason. If n8n moves it to the error output,
 * n8n adds the fields of the input item.
 *
 * @throws NodeApiError or NodeOperationError if the node does not continue after an error, or if the execution was
 * cancelled
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
 * Marks an item as failed, so that n8n moves it to the error output. n8n moves an item there if it has a property
 * `error`, or if its only fields are `error`, `message` and `details`; an item of this package usually also has `code`.
 * Later, n8n replaces all fields of an item that still has the property `error`. n8n copies only enumerable properties
 * when it moves an item, so `error` is made non-enumerable and is lost on the way.
 */
function markedAsFailed(item: INodeExecutionData, error: NodeError): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}
