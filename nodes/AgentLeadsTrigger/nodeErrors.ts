import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { ServiceError, toNodeError } from '../../service/failure';
import { FieldError } from '../common/fieldError';
import { UnreadableProgress } from './target/storedProgress';

/**
 * Does the work, and turns what it fails of into n8n's errors. They declare whether waiting helps.
 *
 * @throws NodeApiError, NodeOperationError; n8n's own errors as they are
 */
export async function inNodeErrors<T>(context: IPollFunctions, work: () => Promise<T>): Promise<T> {
	const [outcome] = await Promise.allSettled([work()]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	const node = context.getNode();
	if (error instanceof ServiceError) {
		throw toNodeError(node, error, { isPoll: context.getMode() !== 'manual' });
	}
	if (error instanceof FieldError) throw wontPass(error.toNodeError(node));
	if (error instanceof UnreadableProgress) {
		const description =
			'Update this package: the progress was written by a newer version of it, or was changed by hand. To start over instead, replace this node by a new one under another name.';
		throw wontPass(new NodeOperationError(node, error.message, { description }));
	}
	throw error;
}

/** Declares to newer n8n versions that polling again does not help. */
function wontPass(error: NodeOperationError): NodeOperationError {
	return Object.assign(error, { failure: { cause: 'configuration-invalid' } });
}
