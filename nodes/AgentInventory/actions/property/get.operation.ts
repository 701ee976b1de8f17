import uniq from 'lodash/uniq';
import type { IExecuteFunctions } from 'n8n-workflow';
import { deepCopy, updateDisplayOptions } from 'n8n-workflow';

import { plainCharacters } from '../../../../service/basics/tidy';
import { orFailure, ServiceError } from '../../../../service/failure';
import type { Agency } from '../../../../service/inventory/agency';
import type { FetchedProperties } from '../../../../service/inventory/properties';
import { fetchProperties } from '../../../../service/inventory/properties';
import { isPropertyId, unknownProperty } from '../../../../service/inventory/records';
import type { ItemOutcome } from '../../../common/itemErrors';
import { FieldError } from '../../../common/fieldError';
import { readSearched } from '../../../common/readers';
import { toolDescription } from '../../../common/tool/fields';
import { modelFields, readOutput } from '../../../common/tool/output';
import { inventoryOptions, propertyOutputFields } from '../../fields';
import { forEachAgency } from '../../forEachAgency';
import { PROPERTY_FIELDS, propertyJson } from '../../../common/inventory/simplifyProperty';

export const getPropertyFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['get'] } },
	[
		toolDescription('Reads a property of the agency by its ID', modelFields(PROPERTY_FIELDS)),
		{
			displayName: 'Property',
			name: 'propertyId',
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			description: 'The property to get',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Search by address or name',
					typeOptions: { searchListMethod: 'searchProperties', searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: 'e.g. 5001',
				},
			],
		},
		...propertyOutputFields,
		inventoryOptions,
	],
);

/**
 * Gets a property for each input item. The node reads the properties of one agency together, up to 50 with one request.
 *
 * @returns for each input item, the property or the failure
 */
export async function getProperty(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	return await forEachAgency(context, readGetRequest, async (agency, requests) => {
		const found = await fetchEach(agency, uniq(requests.map(({ id }) => id)));
		return (request) => outcomeOf(found, request);
	});
}

type GetRequest = ReturnType<typeof readGetRequest>;

function readGetRequest(context: IExecuteFunctions, itemIndex: number) {
	return {
		id: readPropertyId(context, itemIndex),
		output: readOutput(context, itemIndex, PROPERTY_FIELDS, propertyJson),
	};
}

async function fetchEach(agency: Agency, ids: string[]): Promise<FetchedProperties> {
	const [onlyId, ...others] = ids;
	if (onlyId === undefined || others.length > 0) return await fetchProperties(agency, ids);
	return new Map([[onlyId, await orFailure(agency.property(onlyId))]]);
}

/**
 * Makes the outcome of one input item: an output item with the property, or the failure. Each output item is a separate
 * copy, because later nodes may change it.
 */
function outcomeOf(properties: FetchedProperties, { id, output }: GetRequest): ItemOutcome {
	const found = properties.get(id) ?? unknownProperty(id);
	return found instanceof ServiceError ? { error: found } : { json: deepCopy(output(found)) };
}

/**
 * Reads the property's ID. The field “Property” holds a choice from its list, or a plain ID, which may come from an
 * expression.
 */
function readPropertyId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('propertyId', itemIndex, '', {
		extractValue: true,
	});
	const advice = 'Choose a property from the list, or enter its ID as “Search” returns it.';
	const id = plainCharacters(readSearched('Property', value, advice));
	if (isPropertyId(id)) return id;
	throw new FieldError('Property', 'is not the ID of a property', advice);
}
