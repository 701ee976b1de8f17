import isPlainObject from 'lodash/isPlainObject';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';

import { isObject } from '../../../../../service/basics/values';
import { LABELS } from '../../../../../service/products/labels';
import type { Listing, OrderRequest } from '../../../../../service/products/products';
import { FieldError } from '../../../../common/fieldError';
import { isEmpty, readChoice } from '../../../../common/readers';
import { readCustomerListingId, readHighlights, readListingId } from '../../../readers';

/**
 * The functions that read the listing of an order, by the type of the listing's ID: the portal's ID, or the ID from the
 * agency's own software.
 */
const READ_LISTING: Record<string, (value: unknown) => Listing> = {
	listing: (value) => ({ listingId: readListingId(LABELS.listingId, value) }),
	customer: (value) => ({ customerListingId: readCustomerListingId(LABELS.listingId, value) }),
};

/**
 * Reads the order that an input item asks for.
 *
 * @throws FieldError
 */
export function readOrder(context: IExecuteFunctions, itemIndex: number): OrderRequest {
	const listing = readOrderedListing(context, itemIndex);
	const details: unknown = context.getNodeParameter('options.customDetails', itemIndex, {});
	const customDetails = readCustomDetails(details);
	const isPremium = context.getNodeParameter('resource', itemIndex, '') === 'premiumListing';
	const highlights = isPremium ? readHighlights(context, itemIndex, 'options.highlights') : [];
	return {
		listing,
		...(highlights.length > 0 && { highlights }),
		...(customDetails && { customDetails }),
	};
}

function readOrderedListing(context: IExecuteFunctions, itemIndex: number): Listing {
	const type: unknown = context.getNodeParameter('listingIdType', itemIndex, 'listing');
	const read = readChoice(LABELS.listingIdType, type, READ_LISTING);
	return read(context.getNodeParameter('listingId', itemIndex, ''));
}

function readCustomDetails(value: unknown): IDataObject | undefined {
	const details =
		typeof value === 'string'
			? jsonParse<unknown>(value.trim() || '{}', { fallbackValue: value })
			: value;
	if (isEmpty(details)) return undefined;
	if (isObject(details) && isPlainObject(details)) {
		return Object.keys(details).length > 0 ? details : undefined;
	}
	throw new FieldError(
		LABELS.customDetails,
		'is not a JSON object',
		'It starts with { and ends with }, such as { "order": "2041" }. Leave it empty to send none.',
	);
}
