import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { Activation, Listing, Products, Wanted } from '../../../../service/products/products';
import { unknownListing } from '../../../../service/products/products';
import { dateFilter, filtersOf, listFields } from '../../../common/fields/list';
import { FieldError } from '../../../common/fieldError';
import {
	isEmpty,
	readFlag,
	readResultLimit,
	readRetryLimits,
	readTime,
} from '../../../common/readers';
import { optionsOf } from '../../fields';
import { productsFor, readCustomerListingId, readListingId } from '../../readers';

export const getAllProperties = updateDisplayOptions({ show: { operation: ['getAll'] } }, [
	filtersOf('activations', [
		{
			displayName: 'Active Only',
			name: 'activeOnly',
			type: 'boolean',
			default: true,
			description:
				'Whether to leave out activations that wait, are planned, have failed or are over',
		},
		{
			displayName: 'Listing ID',
			name: 'listingId',
			type: 'string',
			default: '',
			placeholder: 'e.g. 12345678',
			description: 'The listing whose activations to get, by the service’s own ID',
		},
		{
			displayName: 'Customer Listing ID',
			name: 'customerListingId',
			type: 'string',
			default: '',
			placeholder: 'e.g. OUR-2041',
			description: 'The listing whose activations to get, by the ID of your own software',
		},
		dateFilter('Created From', 'createdFrom', 'Activations made at this time or later'),
		dateFilter('Created To', 'createdTo', 'Activations made at this time or earlier'),
	]),
	...listFields,
	optionsOf(),
]);

/**
 * The activations that pass the filters, newest first.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getAll(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const filters = context.getNodeParameter('filters', itemIndex, {});
	const wanted = readWanted(filters, context.getTimezone());
	const isActiveOnly = !isEmpty(filters.activeOnly) && readFlag('Active Only', filters.activeOnly);
	const limit = readResultLimit(context, itemIndex);
	const limits = readRetryLimits(context.getNodeParameter('options', itemIndex, {}));
	const products = await productsFor(context, itemIndex, limits);
	const activations = await listed(products, wanted);
	return activations
		.filter((activation) => !isActiveOnly || products.isActive(activation))
		.slice(0, limit)
		.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** @throws ServiceError, which says so where it is the listing that the service does not know */
async function listed(products: Products, wanted: Wanted): Promise<Activation[]> {
	const [outcome] = await Promise.allSettled([products.activations(wanted)]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	const isByOwnId = wanted.listing !== undefined && 'customerListingId' in wanted.listing;
	throw error instanceof ServiceError && isByOwnId ? unknownListing(error) : error;
}

/** @throws FieldError */
function readWanted(filters: IDataObject, zone: string): Wanted {
	const { createdFrom, createdTo } = filters;
	const listing = readListing(filters);
	const from = isEmpty(createdFrom)
		? undefined
		: readTime('Created From', createdFrom, zone, 'earliest');
	const to = isEmpty(createdTo) ? undefined : readTime('Created To', createdTo, zone, 'latest');
	if (from !== undefined && to !== undefined && from > to) {
		throw new FieldError(
			'Created From',
			'lies after “Created To”',
			'Choose a start that lies before the end; both are read in the time zone of the workflow.',
		);
	}
	return { listing, from, to };
}

function readListing({ listingId, customerListingId }: IDataObject): Listing | undefined {
	if (!isEmpty(listingId) && !isEmpty(customerListingId)) {
		throw new FieldError(
			'Filters',
			'name a listing twice',
			'Set “Listing ID” or “Customer Listing ID”, and leave the other one out.',
		);
	}
	if (!isEmpty(listingId)) {
		return { listingId: readListingId('Listing ID', listingId, OTHER_FILTER) };
	}
	if (isEmpty(customerListingId)) return undefined;
	return { customerListingId: readCustomerListingId('Customer Listing ID', customerListingId) };
}

const OTHER_FILTER = 'use the filter “Customer Listing ID”';
