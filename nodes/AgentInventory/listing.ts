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

/** The list that one input item asks its agency for. */
interface Listing {
	/**
	 * Turns a row of the list into the fields of an output item. If this function is unset, the output item has the
	 * fields that the service sent.
	 */
	output?: Output;
	list: (agency: Agency, limit: number) => Promise<IDataObject[]>;
	/** The note that the node shows above its output if the service returns no rows. */
	nothing?: string;
}

/**
 * Makes an operation that lists records of an agency, such as its branches, in the service's order and up to the limit
 * that a person has set.
 *
 * @param read reads what an input item asks for; it throws a FieldError, before any request is sent, if a field is
 * wrong
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
 * Describes the list of properties that one input item asks for. If the node does not read whole records, a simplified
 * item has only the columns that a row of the list can fill.
 *
 * @param isWholeByDefault true if the node reads whole records when the option “Whole Records” is not set
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
