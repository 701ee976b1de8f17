import type { IExecuteFunctions } from 'n8n-workflow';

import { isObject, textOf } from '../../service/basics/values';
import { LABELS } from '../../service/products/labels';
import type { Highlight } from '../../service/products/products';
import { FieldError } from '../common/fieldError';
import type { FieldLabel } from '../common/labels';
import { isEmpty } from '../common/readers';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws FieldError */
export function readActivationId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('activationId', itemIndex, '');
	const id = textOf(value).trim();
	if (UUID.test(id)) return id;
	throw new FieldError(
		'Activation ID',
		isEmpty(value) ? 'is empty' : 'is not the ID of an activation',
		'It looks like 4f7a2c1e-0000-4000-8000-000000000001, and is the “id” in the output of Activate and Get Many.',
	);
}

/**
 * An ID that is a whole number, as a number or as text.
 *
 * @throws FieldError
 */
function readWholeId(field: FieldLabel, value: unknown, atLeast: number, remedy: string): number {
	const text = textOf(value).trim();
	const id = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(id) && id >= atLeast) return id;
	const problem = isEmpty(value) ? 'is empty' : `must be a whole number of at least ${atLeast}`;
	const given = isEmpty(value) ? '' : `It is ${JSON.stringify(value) ?? 'empty'}. `;
	throw new FieldError(field, problem, given + remedy);
}

/**
 * A listing's ID in the service.
 *
 * @param otherwise where the ID of the agency's own software belongs
 * @throws FieldError
 */
export function readListingId(field: FieldLabel, value: unknown, otherwise: string): number {
	return readWholeId(
		field,
		value,
		1,
		`A portal listing ID is a number such as 12345678. For the ID from your own software, ${otherwise}.`,
	);
}

/**
 * A listing's ID in the agency's own software: text.
 *
 * @throws FieldError
 */
export function readCustomerListingId(field: FieldLabel, value: unknown): string {
	const id = textOf(value).trim();
	if (id !== '') return id;
	throw new FieldError(
		field,
		'is empty',
		'Enter the ID that your own software gave the listing when it sent it to the portal.',
	);
}

/**
 * The highlights of an item, in their order.
 *
 * @throws FieldError
 */
export function readHighlights(context: IExecuteFunctions, itemIndex: number): Highlight[] {
	const value: unknown = context.getNodeParameter('highlights', itemIndex, {});
	const rows: unknown = isObject(value) ? (value.highlight ?? []) : value;
	if (!Array.isArray(rows)) throw unreadableHighlights();
	return rows.map(readHighlight);
}

function readHighlight(row: unknown): Highlight {
	if (!isObject(row)) throw unreadableHighlights();
	const id = readWholeId('Highlight ID', row.id, 0, 'Ask the operator for the IDs of highlights.');
	const description = textOf(row.description).trim();
	if (description !== '') return { id, description };
	if (isEmpty(row.description) || typeof row.description === 'string') return { id };
	throw new FieldError('Highlight Description', 'is not text', 'Write a few words, or nothing.');
}

function unreadableHighlights(): FieldError {
	return new FieldError(
		LABELS.highlights,
		'is not a list of highlights',
		'Add them one by one, each with an ID and, if you like, a description.',
	);
}
