import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Agency, PropertyList } from '../../service/inventory/agency';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { agencyFor } from '../common/inventory/readers';
import { PROPERTY_FIELDS, propertyJson } from '../common/inventory/simplifyProperty';
import type { ItemOperation } from '../common/itemErrors';
import { isEmpty, readCollection, readFlag, readResultLimit } from '../common/readers';
import type { Output } from '../common/tool/fieldsToReturn';
import { readOutput } from '../common/tool/fieldsToReturn';

/** What an item wants of an agency. */
interface Listing {
	output: Output;
	list: (agency: Agency, limit: number) => Promise<IDataObject[]>;
}

/**
 * An operation that lists what an agency has, in the service's order, as far as the limit goes.
 *
 * @param read throws a FieldError before any request
 */
export function listing(
	read: (context: IExecuteFunctions, itemIndex: number) => Listing,
): ItemOperation {
	return async (context, itemIndex, failed) => {
		const { output, list } = read(context, itemIndex);
		const limit = readResultLimit(context, itemIndex);
		const agency = await agencyFor(context, itemIndex);
		const rows = await list(agency.endingWith(failed), limit);
		return rows.map((row) => ({ json: output(row), pairedItem: { item: itemIndex } }));
	};
}

/** The properties of a list as the node returns them. */
export function propertyListing(
	context: IExecuteFunctions,
	itemIndex: number,
	name: PropertyList,
	query: IDataObject,
): Listing {
	const options = context.getNodeParameter('options', itemIndex, {});
	const { wholeRecords } = readCollection('Options', options);
	const isWhole = !isEmpty(wholeRecords) && readFlag('Whole Records', wholeRecords);
	return {
		output: readOutput(context, itemIndex, PROPERTY_FIELDS, propertyJson),
		list: async (agency, limit) => {
			const rows = await listProperties(agency, name, query, limit);
			return isWhole ? await fetchWholeRecords(agency, rows) : rows;
		},
	};
}
