import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { orFailure, ServiceError } from '../../../../service/failure';
import type { Activation } from '../../../../service/products/activation';
import { isActive } from '../../../../service/products/activation';
import type { Listing, Products, Wanted } from '../../../../service/products/products';
import { unknownListing } from '../../../../service/products/products';
import type { Bounds } from '../../../../service/session';
import { FieldError } from '../../../common/fieldError';
import { dateFilter, filtersOf, listFields } from '../../../common/fields/list';
import { isEmpty, readFlag, readResultLimit, readTime } from '../../../common/readers';
import { productsOptions } from '../../fields';
import { productsFor } from '../../productsFor';
import { readCustomerListingId, readListingId } from '../../readers';

export const getManyActivationsFields = updateDisplayOptions({ show: { operation: ['getAll'] } }, [
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
	productsOptions(),
]);

/**
 * The activations that pass the filters, newest first.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyActivations(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const filters = context.getNodeParameter('filters', itemIndex, {});
	const wanted = readWanted(filters, context.getTimezone());
	const isActiveOnly = !isEmpty(filters.activeOnly) && readFlag('Active Only', filters.activeOnly);
	const limit = readResultLimit(context, itemIndex);
	const products = await productsFor(context, itemIndex);
	const activations = await listActivations(products, wanted, { needed: failed });
	return activations
		.filter((activation) => !isActiveOnly || isActive(activation, products.session))
		.slice(0, limit)
		.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** @throws ServiceError, which says so if it is the listing that the service does not know */
async function listActivations(
	products: Products,
	wanted: Wanted,
	bounds: Bounds,
): Promise<Activation[]> {
	const listed = await orFailure(products.activations(wanted, bounds));
	if (!(listed instanceof ServiceError)) return listed;
	const isByOwnId = wanted.listing !== undefined && 'customerListingId' in wanted.listing;
	throw isByOwnId ? unknownListing(listed) : listed;
}

/** @throws FieldError */
function readWanted(filters: IDataObject, zone: string): Wanted {
	const listing = readListingFilter(filters);
	const from = optionalTime('Created From', filters.createdFrom, zone, 'earliest');
	const to = optionalTime('Created To', filters.createdTo, zone, 'latest');
	if (from !== undefined && to !== undefined && from > to) {
		throw new FieldError(
			'Created From',
			'is later than “Created To”',
			'Choose a start that lies before the end; both are read in the time zone of the workflow.',
		);
	}
	return { listing, from, to };
}

function optionalTime(...given: Parameters<typeof readTime>): number | undefined {
	const [, value] = given;
	return isEmpty(value) ? undefined : readTime(...given);
}

function readListingFilter({ listingId, customerListingId }: IDataObject): Listing | undefined {
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
