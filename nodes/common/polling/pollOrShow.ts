import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Explanation } from '../nodeErrors';
import { asNodeError, toOperationError } from '../nodeErrors';

/** Enough to see what a trigger delivers, few enough to look at. */
export const SAMPLE_SIZE = 5;

const NOTHING_TO_SHOW: Explanation = {
	message: 'There is nothing to show',
	advice:
		'The service has nothing that matches the fields of this trigger; of leads, nothing from the last 30 days. Check the fields, or wait. You can publish the workflow already.',
	code: 'nothingToShow',
};

interface Ways<S> {
	/** @throws FieldError before any request */
	read: (context: IPollFunctions) => S;
	/** Reads and writes no progress. @returns the newest items, the newest last */
	sample: (context: IPollFunctions, settings: S) => Promise<IDataObject[]>;
	poll: (context: IPollFunctions, settings: S) => Promise<INodeExecutionData[][] | null>;
}

/**
 * What n8n calls a poll: a person who tests the trigger in the editor is shown a sample.
 *
 * @throws NodeApiError, NodeOperationError, which declare whether waiting helps; n8n's own errors as they are
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
