import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { AgencyList, PropertyList } from '../../service/inventory/agency';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { isEmpty, readCollection, readFlag, readResultLimit } from '../common/readers';
import { readOutput, readSelect } from '../common/tool/fieldsToReturn';
import { agencyFor } from '../common/inventory/readers';
import { PROPERTY_FIELDS, propertyJson } from '../common/inventory/simplifyProperty';

/**
 * The properties of a list as the node returns them, in the service's order.
 *
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function propertyItems(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
	list: PropertyList,
	query: IDataObject,
): Promise<INodeExecutionData[]> {
	const limit = readResultLimit(context, itemIndex);
	const { simplify, select } = readOutput(context, itemIndex, PROPERTY_FIELDS);
	const wantsRecords = readWholeRecords(context, itemIndex);
	const { agency } = await agencyFor(context, itemIndex);
	const wanted = agency.endingWith(failed);
	const rows = await listProperties(wanted, list, query, limit);
	const properties = wantsRecords ? await fetchWholeRecords(wanted, rows) : rows;
	return properties.map((property) => ({
		json: select(propertyJson(property, simplify)),
		pairedItem: { item: itemIndex },
	}));
}

function readWholeRecords(context: IExecuteFunctions, itemIndex: number): boolean {
	const options = context.getNodeParameter('options', itemIndex, {});
	const { wholeRecords } = readCollection('Options', options);
	return !isEmpty(wholeRecords) && readFlag('Whole Records', wholeRecords);
}

/**
 * The rows of a list as the service sends them, in its order.
 *
 * @param names of the fields that a model can be given one by one
 * @throws FieldError before any request, ServiceError when the service does not answer
 */
export async function rowItems(
	context: IExecuteFunctions,
	itemIndex: number,
	failed: AbortSignal,
	list: AgencyList,
	query: IDataObject,
	names: string[],
): Promise<INodeExecutionData[]> {
	const limit = readResultLimit(context, itemIndex);
	const select = readSelect(context, itemIndex, names);
	const { agency } = await agencyFor(context, itemIndex);
	const rows = await agency.endingWith(failed).list(list, query, limit);
	return rows.map((row) => ({ json: select(row), pairedItem: { item: itemIndex } }));
}
