import type { INode, IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { asNodeError, toOperationError, WONT_PASS } from '../nodeErrors';
import { UnreadableProgress } from '../storedValues';

/**
 * Does the work, and turns what it fails of into n8n's errors. They declare whether waiting helps.
 *
 * @throws NodeApiError, NodeOperationError; n8n's own errors as they are
 */
export async function inNodeErrors<T>(context: IPollFunctions, work: () => Promise<T>): Promise<T> {
	return await work().catch((error: unknown) => {
		const node = context.getNode();
		const isPoll = context.getMode() !== 'manual';
		throw asNodeError(node, error, { isPoll }) ?? asProgressError(node, error) ?? error;
	});
}

function asProgressError(node: INode, error: unknown): NodeOperationError | undefined {
	if (!(error instanceof UnreadableProgress)) return undefined;
	const { message, advice } = error;
	const told = { message, advice, code: 'progressUnreadable' } as const;
	return toOperationError(node, told, { failure: WONT_PASS });
}
