import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { hintsOf } from '../hints';
import { isTool } from './isTool';

/**
 * A model sees the items alone. So that it does not take no items for a failed call, nor a part for the whole, one
 * more item says how many there are and what a person would read above them.
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
