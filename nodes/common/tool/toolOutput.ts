import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { hintsOf } from '../hints';
import { isTool } from './isTool';

/**
 * Adds an item for the model, with the number of results and the notes that a person would read above them. A model
 * sees the items alone, and would otherwise read no items as a failed call, or a part as the whole.
 */
export function forModel(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): INodeExecutionData[] {
	const notes = hintsOf(context);
	if (!isTool(context.getNode()) || (items.length > 0 && notes.length === 0)) return items;
	const found = { found: items.length, ...(notes.length > 0 && { note: notes.join(' ') }) };
	return [...items, { json: found, pairedItem: { item: 0 } }];
}
