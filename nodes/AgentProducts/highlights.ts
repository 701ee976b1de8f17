import type { IExecuteFunctions } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import type { Highlight } from '../../service/products/products';
import { FieldError } from '../common/fieldError';
import { isEmpty } from '../common/readers';
import { textOf } from '../../service/basics/values';
import { readWholeId } from './readers';

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
	const id = readWholeId('Highlight ID', row.id, 0, 'The ID of a highlight is a whole number.');
	const description = textOf(row.description).trim();
	if (description !== '') return { id, description };
	if (isEmpty(row.description) || typeof row.description === 'string') return { id };
	throw new FieldError('Highlight Description', 'is not text', 'Write a few words, or nothing.');
}

function unreadable(): FieldError {
	return new FieldError(
		'Highlights',
		'is not a list of highlights',
		'Add them one by one, each with an ID and, where you like, a description.',
	);
}
