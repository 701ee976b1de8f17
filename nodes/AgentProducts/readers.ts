import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isList, textOf } from '../../service/basics/values';
import { plainCharacters } from '../../service/basics/tidy';
import { LABELS } from '../../service/products/labels';
import type { Highlight } from '../../service/products/products';
import { FieldError, shown } from '../common/fieldError';
import type { FieldLabel } from '../common/labels';
import { isEmpty, readSearched, readText, wholeNumber } from '../common/readers';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads the ID of an activation.
 *
 * @throws FieldError
 */
export function readActivationId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('activationId', itemIndex, '');
	const id = plainCharacters(textOf(value));
	if (UUID.test(id)) return id;
	throw new FieldError(
		'Activation ID',
		isEmpty(value) ? 'is empty' : 'is not the ID of an activation',
		'It looks like 4f7a2c1e-0000-4000-8000-000000000001, and is the “id” in the output of “Activate” and “Get Many”.',
	);
}

/**
 * Reads the portal's ID of a listing.
 *
 * @throws FieldError
 */
export function readListingId(field: FieldLabel, value: unknown): number {
	const text = plainCharacters(textOf(value));
	const id = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(id) && id > 0) return id;
	throw new FieldError(
		field,
		isEmpty(value) ? 'is empty' : 'must be a whole number of at least 1',
		`It is ${shown(value)}. A portal listing ID is a number such as 12345678. For the ID from your own software, choose “${LABELS.yourListingId}”.`,
	);
}

/**
 * Reads a listing's ID in the agency's own software, which is text.
 *
 * @throws FieldError if it is empty or contains an invisible character
 */
export function readCustomerListingId(field: FieldLabel, value: unknown): string {
	const advice =
		'Enter the ID that your own software gave the listing when it sent it to the portal.';
	return readSearched(field, value, advice);
}

/**
 * Reads the highlights of an input item, in the order in which the person listed them.
 *
 * @param path the path of the field in the node's parameters
 * @throws FieldError
 */
export function readHighlights(
	context: IExecuteFunctions,
	itemIndex: number,
	path = 'highlights',
): Highlight[] {
	const rows: unknown = context.getNodeParameter(`${path}.highlight`, itemIndex, []);
	return isList(rows) ? rows.map(readHighlight) : [];
}

function readHighlight(row: IDataObject): Highlight {
	const id = wholeNumber(LABELS.highlightId, row.id, 0);
	const description = readText(LABELS.highlightDescription, row.description);
	return description === '' ? { id } : { id, description };
}
