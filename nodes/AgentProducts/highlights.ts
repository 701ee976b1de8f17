import type { IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../../service/answer';
import type { Highlight } from '../../service/products';
import { FieldError, textOf, wholeNumber } from '../common/parameters';

/**
 * The highlights of an item, in their order.
 *
 * @throws FieldError
 */
export function readHighlights(context: IExecuteFunctions, itemIndex: number): Highlight[] {
	const value: unknown = context.getNodeParameter('highlights', itemIndex, {});
	const rows: unknown = isObject(value) ? (value.highlight ?? []) : value;
	if (!Array.isArray(rows)) throw unreadable();
	return rows.map(readHighlight);
}

function readHighlight(row: unknown): Highlight {
	if (!isObject(row)) throw unreadable();
	const id = wholeNumber('Highlight ID', row.id, 0, Number.MAX_SAFE_INTEGER);
	const description = textOf(row.description).trim();
	return description === '' ? { id } : { id, description };
}

function unreadable(): FieldError {
	return new FieldError(
		'Highlights',
		'is not a list of highlights',
		'Add them one by one, each with an ID and, where you like, a description.',
	);
}
