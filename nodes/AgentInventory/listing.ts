import identity from 'lodash/identity';
import pick from 'lodash/pick';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Agency, PropertyList } from '../../service/inventory/agency';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { hintOnce } from '../common/hints';
import { agencyFor } from '../common/inventory/readers';
import { PROPERTY_FIELDS, propertyJson } from '../common/inventory/simplifyProperty';
import type { ItemOperation } from '../common/itemErrors';
import { isEmpty, readCollection, readFlag, readResultLimit } from '../common/readers';
import type { Output } from '../common/tool/output';
import { readOutput } from '../common/tool/output';
import { ROW_FIELDS } from './fields';

/** The request of one item to its agency. */
interface Listing {
	/** Turns a row into the fields of an item. If it is unset, the item has the fields that the service sent. */
	output?: Output;
	list: (agency: Agency, limit: number) => Promise<IDataObject[]>;
	/** The note that the node shows above its output if the service has no rows. */
	nothing?: string;
}

/**
 * Makes an operation that lists what an agency has, in the service's order, up to the limit.
 *
 * @param read reads the request of an item; it throws a FieldError before any request is sent
 */
export function listing(
	read: (context: IExecuteFunctions, itemIndex: number) => Listing,
): ItemOperation {
	return async (context, itemIndex, failed) => {
		const { output = identity<IDataObject>, list, nothing } = read(context, itemIndex);
		const limit = readResultLimit(context, itemIndex);
		const agency = await agencyFor(context, itemIndex);
		const rows = await list(agency.endingWith(failed), limit);
		if (rows.length === 0 && nothing) hintOnce(context, nothing);
		return rows.map((row) => ({ json: output(row), pairedItem: { item: itemIndex } }));
	};
}

/**
 * Lists properties, with the fields that the node returns. If the node reads no whole records, a simplified item has
 * only the columns that a row of the list can fill.
 *
 * @param isWholeByDefault applies if the option “Whole Records” is not set
 */
export function propertyListing(
	context: IExecuteFunctions,
	itemIndex: number,
	name: PropertyList,
	query: IDataObject,
	isWholeByDefault: boolean,
): Listing {
	const options = readCollection('Options', context.getNodeParameter('options', itemIndex, {}));
	const { wholeRecords = isWholeByDefault } = options;
	const isWhole = !isEmpty(wholeRecords) && readFlag('Whole Records', wholeRecords);
	return {
		output: readOutput(context, itemIndex, PROPERTY_FIELDS, (property, simplify) => {
			const json = propertyJson(property, simplify);
			return simplify && !isWhole ? pick(json, ROW_FIELDS[name]) : json;
		}),
		list: async (agency, limit) => {
			const rows = await listProperties(agency, name, query, limit);
			return isWhole ? await fetchWholeRecords(agency, rows) : rows;
		},
	};
}
