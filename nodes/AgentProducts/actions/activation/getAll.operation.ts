import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { isoSeconds } from '../../../../service/clock';
import { dateFilter, filtersOf, listProperties } from '../../../common/list.properties';
import {
	FieldError,
	isEmpty,
	readFlag,
	readLimit,
	readLimits,
	readTime,
} from '../../../common/parameters';
import { optionsOf } from '../../products.properties';
import { productsFor, readCustomerListingId, readListingId } from '../../productsContext';

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
	...listProperties,
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
	const query = readQuery(filters, context.getTimezone());
	const isActiveOnly = !isEmpty(filters.activeOnly) && readFlag('Active Only', filters.activeOnly);
	const limit = readLimit(context, itemIndex);
	const limits = readLimits(context.getNodeParameter('options', itemIndex, {}));
	const products = await productsFor(context, itemIndex, limits);
	const activations = await products.activations(query);
	return activations
		.filter((activation) => !isActiveOnly || products.isActive(activation))
		.slice(0, limit)
		.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

function readQuery(filters: IDataObject, zone: string): IDataObject {
	const { listingId, customerListingId, createdFrom, createdTo } = filters;
	if (!isEmpty(listingId) && !isEmpty(customerListingId)) {
		throw new FieldError(
			'Filters',
			'name a listing twice',
			'Set “Listing ID” or “Customer Listing ID”, and leave the other one out.',
		);
	}
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
	return {
		...(!isEmpty(listingId) && { listingId: readListingId('Listing ID', listingId) }),
		...(!isEmpty(customerListingId) && {
			customerListingId: readCustomerListingId('Customer Listing ID', customerListingId),
		}),
		...(from !== undefined && { date_from: isoSeconds(from) }),
		...(to !== undefined && { date_to: isoSeconds(to) }),
	};
}
