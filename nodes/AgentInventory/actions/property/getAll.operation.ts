import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { dateFilter, filtersOf, listProperties } from '../../../common/list.properties';
import { readLimit } from '../../../common/parameters';
import { FILTERS, readFilterQuery } from '../../filters';
import {
	archivedFilter,
	branchIdsFilter,
	categoryFilter,
	dateFilters,
	inventoryOptions,
	recordTypeFilter,
} from '../../inventory.properties';
import { agencyFor, readOptions } from '../../inventoryContext';

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

const textFilter = (
	displayName: string,
	name: string,
	placeholder: string,
	description: string,
): INodeProperties => ({
	displayName,
	name,
	type: 'string',
	default: '',
	placeholder,
	description,
});

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
				description: 'Where the sale or the letting stands',
				options: STATUSES.map(([name, value]) => ({ name, value })),
			},
			branchIdsFilter,
			textFilter('Owner ID', 'ownerId', 'e.g. owner-42', 'The owner whose properties to get'),
			textFilter(
				'Management Type',
				'managementType',
				'e.g. Managed',
				'How the agency manages the letting, in the service’s own word',
			),
			textFilter(
				'Maintenance Type',
				'maintenanceType',
				'e.g. Landlord',
				'Who sees to the maintenance, in the service’s own word',
			),
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
