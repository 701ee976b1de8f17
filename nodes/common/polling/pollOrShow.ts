import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Explanation } from '../nodeErrors';
import { asNodeError, toOperationError } from '../nodeErrors';

/** The number of items in a test: enough to see what a trigger delivers, and few enough to look through. */
export const SAMPLE_SIZE = 5;

const NOTHING_TO_SHOW: Explanation = {
	message: 'There is nothing to show',
	advice:
		'Nothing at the service matches the fields of this trigger. The service keeps leads for 30 days. Check the fields, or wait. You can publish the workflow already.',
	code: 'nothingToShow',
};

interface Ways<S> {
	/** Reads the node's parameters. @throws FieldError before any request */
	read: (context: IPollFunctions) => S;
	/**
	 * Finds items for a test, without reading or changing the stored progress. @returns no more than SAMPLE_SIZE
	 * items
	 */
	sample: (context: IPollFunctions, settings: S) => Promise<IDataObject[]>;
	poll: (context: IPollFunctions, settings: S) => Promise<INodeExecutionData[][] | null>;
}

/**
 * Polls if the workflow is active, or finds a sample of items if a person tests the trigger in the editor: n8n calls
 * the same method for both.
 *
 * @throws NodeApiError or NodeOperationError, which tells n8n whether waiting helps; errors of n8n itself are thrown
 * unchanged
 */
export async function pollOrShow<S>(
	context: IPollFunctions,
	{ read, sample, poll }: Ways<S>,
): Promise<INodeExecutionData[][] | null> {
	const isPoll = context.getMode() !== 'manual';
	try {
		const settings = read(context);
		if (isPoll) return await poll(context, settings);
		const found = await sample(context, settings);
		if (found.length > 0) return [found.map((json) => ({ json }))];
	} catch (error) {
		throw asNodeError(context.getNode(), error, { isPoll }) ?? error;
	}
	throw toOperationError(context.getNode(), NOTHING_TO_SHOW);
}
