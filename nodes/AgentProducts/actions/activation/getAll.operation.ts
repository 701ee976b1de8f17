import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { isActive } from '../../../../service/products/activation';
import { LABELS } from '../../../../service/products/labels';
import type { Listing, Wanted } from '../../../../service/products/products';
import { FieldError } from '../../../common/fieldError';
import { dateFilter, filtersOf, listFields } from '../../../common/fields/list';
import { readFlag, readResultLimit, readSetFilters, readTime } from '../../../common/readers';
import { productsOptions } from '../../fields';
import { productsFor } from '../../productsFor';
import { readCustomerListingId, readListingId } from '../../readers';
import { quoted } from '../../../common/labels';

const ACTIVATION_FIELDS: INodeProperties[] = [
	{
		displayName: 'Active Only',
		name: 'activeOnly',
		type: 'boolean',
		default: true,
		description: 'Whether to leave out activations that are pending, scheduled, failed or expired',
	},
	{
		displayName: LABELS.portalListingId,
		name: 'listingId',
		type: 'string',
		default: '',
		placeholder: 'e.g. 12345678',
		description: 'The number of the listing on the portal',
	},
	{
		displayName: LABELS.yourListingId,
		name: 'customerListingId',
		type: 'string',
		default: '',
		placeholder: 'e.g. OUR-2041',
		description: 'The listing’s ID from your own software',
	},
	dateFilter('Created From', 'createdFrom', 'Activations created at this time or later'),
	dateFilter('Created To', 'createdTo', 'Activations created at this time or earlier'),
];

export const getManyActivationsFields = updateDisplayOptions({ show: { operation: ['getAll'] } }, [
	filtersOf('activations', ACTIVATION_FIELDS),
	...listFields,
	productsOptions(),
]);

/**
 * Lists the activations that match the filters, newest first.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getManyActivations(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
): Promise<INodeExecutionData[]> {
	const filters = readSetFilters(
		context.getNodeParameter('filters', itemIndex, {}),
		ACTIVATION_FIELDS,
	);
	const wanted = readWanted(filters, context.getTimezone());
	const isActiveOnly =
		filters.activeOnly !== undefined && readFlag('Active Only', filters.activeOnly);
	const limit = readResultLimit(context, itemIndex);
	const products = await productsFor(context, itemIndex);
	const activations = await products.activations(wanted, { needed: failed });
	return activations
		.filter((activation) => !isActiveOnly || isActive(activation, products.session))
		.slice(0, limit)
		.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/** @throws FieldError */
function readWanted(filters: IDataObject, zone: string): Wanted {
	const listing = readListingFilter(filters);
	const from = optionalTime('Created From', filters.createdFrom, zone, 'earliest');
	const to = optionalTime('Created To', filters.createdTo, zone, 'latest');
	if (from !== undefined && to !== undefined && from > to) {
		throw new FieldError(
			'Created From',
			`is later than ${quoted('Created To')}`,
			'Choose a start before the end. Both are in the time zone of the workflow.',
		);
	}
	return { listing, from, to };
}

function optionalTime(...given: Parameters<typeof readTime>): number | undefined {
	const [, value] = given;
	return value === undefined ? undefined : readTime(...given);
}

function readListingFilter({ listingId, customerListingId }: IDataObject): Listing | undefined {
	if (listingId !== undefined && customerListingId !== undefined) {
		throw new FieldError(
			'Filters',
			'contain both listing IDs',
			`Set “${LABELS.portalListingId}” or “${LABELS.yourListingId}”, and remove the other one.`,
		);
	}
	if (listingId !== undefined) {
		return { listingId: readListingId(LABELS.portalListingId, listingId) };
	}
	if (customerListingId === undefined) return undefined;
	return { customerListingId: readCustomerListingId(LABELS.yourListingId, customerListingId) };
}
