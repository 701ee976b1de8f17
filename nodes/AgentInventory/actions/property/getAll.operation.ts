import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { dateFilter, filtersOf, listProperties } from '../../../common/fields/list';
import { readLimit } from '../../../common/readers';
import { FILTERS, readFilterQuery } from '../../filters';
import {
	archivedFilter,
	branchIdsFilter,
	categoryFilter,
	dateFilters,
	inventoryOptions,
	recordTypeFilter,
} from '../../fields';
import { agencyFor, readOptions } from '../../readers';

/** As the service spells them. */
const STATUSES: Array<[name: string, value: string]> = [
	['Appraisal', 'Appraisal'],
	['Archived', 'Archived'],
	['Available', 'Available'],
	['Completed', 'Completed'],
	['Exchanged', 'Exchanged'],
	['Externally Let', 'ExternallyLet'],
	['Externally Sold', 'ExternallySold'],
	['Instructed', 'Instructed'],
	['Let', 'Let'],
	['Let Agreed', 'LetAgreed'],
	['Let Marketing', 'LetMarketing'],
	['Not Instructed', 'NotInstructed'],
	['Reserved', 'Reserved'],
	['Suspended', 'Suspended'],
	['Under Offer', 'UnderOffer'],
	['Under Offer, Available', 'UnderOfferAvailable'],
	['Under Offer, Marketing', 'UnderOfferMarketing'],
	['Withdrawn', 'Withdrawn'],
];

const DAY_HINT = 'The day in the time zone of the workflow; the time of day does not count';

/** How a letting is looked after; a sale has neither. */
const lettingFilters: INodeProperties[] = [
	{
		displayName: 'Management Type',
		name: 'managementType',
		type: 'options',
		default: 'Managed',
		description:
			'How the agency manages the letting. It leaves lettings only, and does nothing beside the record type Sale.',
		options: [
			{ name: 'Fully Managed', value: 'FullyManaged' },
			{ name: 'Let Only', value: 'LetOnly' },
			{ name: 'Managed', value: 'Managed' },
			{ name: 'Not Managed', value: 'NotManaged' },
			{ name: 'Part Managed', value: 'PartManaged' },
			{ name: 'Rent Collection Service', value: 'RentCollectionService' },
		],
	},
	{
		displayName: 'Maintenance Type',
		name: 'maintenanceType',
		type: 'options',
		default: 'MaintainedByUs',
		description:
			'Who is responsible for maintenance. It leaves lettings only, and does nothing beside the record type Sale.',
		options: [
			{ name: 'Maintained by Landlord', value: 'MaintainedByLandlord' },
			{ name: 'Maintained by Us', value: 'MaintainedByUs' },
		],
	},
];

export const getAllProperties = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['getAll'] } },
	[
		filtersOf('properties', [
			recordTypeFilter,
			categoryFilter,
			archivedFilter,
			{
				displayName: 'Status',
				name: 'status',
				type: 'options',
				default: 'Available',
				description: 'Current status of the sale or letting',
				options: STATUSES.map(([name, value]) => ({ name, value })),
			},
			branchIdsFilter,
			{
				displayName: 'Owner ID',
				name: 'ownerId',
				type: 'string',
				default: '',
				placeholder: 'e.g. 321',
				description:
					'The owner whose properties to get: a whole number, as owners have it in the record of a property',
			},
			...lettingFilters,
			...dateFilters,
			dateFilter(
				'Instructed From',
				'instructedFrom',
				'Properties instructed on this day or later',
				DAY_HINT,
			),
			dateFilter(
				'Instructed To',
				'instructedTo',
				'Properties instructed on this day or earlier',
				DAY_HINT,
			),
		]),
		...listProperties,
		inventoryOptions,
	],
);

/**
 * The properties that pass the filters, in the service's order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function getAll(
	context: IExecuteFunctions,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const query = readFilterQuery(context, itemIndex, FILTERS.filter);
	const limit = readLimit(context, itemIndex);
	const options = readOptions(context.getNodeParameter('options', itemIndex, {}));
	const agency = await agencyFor(context, options, itemIndex);
	const rows = await agency.list('filter', query, limit);
	return rows.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}
