import isPlainObject from 'lodash/isPlainObject';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isObject, textOf } from '../../../../../service/basics/values';
import { LABELS } from '../../../../../service/products/labels';
import type { Listing, OrderRequest } from '../../../../../service/products/products';
import { LARGEST_CUSTOM_DETAILS } from '../../../../../service/products/products';
import { FieldError } from '../../../../common/fieldError';
import { isEmpty } from '../../../../common/readers';
import { readCustomerListingId, readHighlights, readListingId } from '../../../readers';

/**
 * What an item wants to have activated.
 *
 * @throws FieldError
 */
export function readOrder(context: IExecuteFunctions, itemIndex: number): OrderRequest {
	const listing = readOrderedListing(context, itemIndex);
	const customDetails = readCustomDetails(context.getNodeParameter('customDetails', itemIndex, {}));
	const isPremium = context.getNodeParameter('resource', itemIndex, '') === 'premiumListing';
	const highlights = isPremium ? readHighlights(context, itemIndex) : [];
	return {
		listing,
		...(highlights.length > 0 && { highlights }),
		...(customDetails && { customDetails }),
	};
}

function readOrderedListing(context: IExecuteFunctions, itemIndex: number): Listing {
	const value: unknown = context.getNodeParameter('listingId', itemIndex, '');
	switch (textOf(context.getNodeParameter('listingIdType', itemIndex, 'listing'))) {
		case 'listing':
			return { listingId: readListingId(LABELS.listingId, value, OTHER_TYPE) };
		case 'customer':
			return { customerListingId: readCustomerListingId(LABELS.listingId, value) };
		default:
			throw new FieldError(LABELS.listingIdType, 'is unknown', 'Use listing or customer.');
	}
}

const OTHER_TYPE = `set “${LABELS.listingIdType}” to “${LABELS.yourListingId}”`;

function readCustomDetails(value: unknown): IDataObject | undefined {
	const details = typeof value === 'string' ? parsedJson(value) : value;
	if (isEmpty(details)) return undefined;
	if (!isObject(details) || !isPlainObject(details)) {
		throw new FieldError(
			LABELS.customDetails,
			'is not a JSON object',
			'It starts with { and ends with }, such as { "order": "2041" }. Leave it empty to send none.',
		);
	}
	if (Object.keys(details).length === 0) return undefined;
	const bytes = Buffer.byteLength(JSON.stringify(details));
	if (bytes > LARGEST_CUSTOM_DETAILS) {
		throw new FieldError(
			LABELS.customDetails,
			'is larger than 640 kB',
			`It is ${Math.ceil(bytes / 1_000)} kB large; the service takes no more than 640 kB.`,
		);
	}
	return details;
}

function parsedJson(text: string): unknown {
	if (text.trim() === '') return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
