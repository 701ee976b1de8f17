import orderBy from 'lodash/orderBy';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { deepCopy, updateDisplayOptions } from 'n8n-workflow';

import { serviceTime } from '../../../../service/basics/times';
import { ServiceError } from '../../../../service/failure';
import { leadAddress } from '../../../../service/inventory/addressMatch';
import type { Match } from '../../../../service/inventory/findForLead';
import { findForLeads, uprnText } from '../../../../service/inventory/findForLead';
import { FieldError } from '../../../common/fieldError';
import type { ItemOutcome } from '../../../common/itemErrors';
import { readText } from '../../../common/readers';
import { toolDescription } from '../../../common/tool/fields';
import { modelFields, readOutput } from '../../../common/tool/output';
import { inventoryOptions, propertyOutputFields } from '../../fields';
import { forEachAgency } from '../../forEachAgency';
import { STATUSES_ON_THE_MARKET } from '../../../common/inventory/statuses';
import { PROPERTY_FIELDS, propertyJson } from '../../../common/inventory/simplifyProperty';
import { quoted } from '../../../common/labels';

export const findForLeadFields = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['findForLead'] } },
	[
		toolDescription(
			'Finds the property that an enquiry is about; matchedBy is null if none is certain',
			modelFields(PROPERTY_FIELDS),
		),
		{
			displayName: 'UPRN',
			name: 'uprn',
			type: 'string',
			default: '={{ $json.uprn }}',
			placeholder: 'e.g. 990000000001',
			description:
				'The property’s number in the national address register. The node searches for it first.',
		},
		{
			displayName: 'Reference',
			name: 'reference',
			type: 'string',
			default: '={{ $json.listingReference }}',
			placeholder: 'e.g. 5001',
			description:
				'Your own reference for the listing. Used only if it is the ID of a property in your inventory whose address does not contradict the lead’s.',
		},
		{
			displayName: 'Address',
			name: 'address',
			type: 'string',
			default: '={{ $json.propertyAddress }}',
			placeholder: 'e.g. 14 Mill Lane, Exampleton, AB1 2CD',
			description:
				'The address in one line. Needed even if there is a UPRN, because the service cannot search by UPRN.',
		},
		{
			displayName: 'Enquiry Type',
			name: 'enquiryType',
			type: 'string',
			default: '={{ $json.enquiryType }}',
			placeholder: 'e.g. Sales',
			description:
				'Which record to return if the property has several: the sale for Sales, the letting for Lettings',
		},
		...propertyOutputFields,
		inventoryOptions,
	],
);

/**
 * For each input item, finds the property that its lead is about. A search that several items of one agency need is
 * sent only once, and the records that these items need are read in batches.
 *
 * @returns for each input item, an output item with the property or without one, or the failure
 */
export async function findForLead(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	return await forEachAgency(context, readQuestion, async (agency, questions) => {
		const queries = questions.map(({ query }) => query);
		const matchOf = await findForLeads(agency, queries);
		return (question) => propertyOfLead(matchOf(question.query), question);
	});
}

/** Matches a reference that may be the ID of a property, which by the service's contract is a whole number. */
const REFERENCE_AS_ID = /^\d{1,19}$/;

type Question = ReturnType<typeof readQuestion>;

/** @throws FieldError */
function readQuestion(context: IExecuteFunctions, itemIndex: number) {
	const read = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const uprn = readText('UPRN', read('uprn'));
	const reference = readText('Reference', read('reference'));
	const address = readText('Address', read('address'));
	// By default, the fields “UPRN”, “Reference” and “Address” take the values of a simplified lead, which has null for
	// a value that is not known. If all three are empty and none of them is null, the input item is not a simplified
	// lead.
	const isOfLead = ['uprn', 'reference', 'address'].some((name) => read(name) === null);
	if (`${uprn}${reference}${address}` === '' && !isOfLead) {
		throw new FieldError(
			'UPRN',
			`is empty, and so are ${quoted('Reference')} and ${quoted('Address')}`,
			'Fill in at least one of them. By default, they take the values of a simplified lead. If yours comes from somewhere else, or “Simplify” is off, enter where the values are, such as {{ $json.listingDetails?.uprn }}.',
		);
	}
	return {
		query: {
			uprn: uprnText(uprn),
			reference: REFERENCE_AS_ID.test(reference) ? reference : '',
			address: leadAddress(address),
		},
		enquiryType: readText('Enquiry Type', read('enquiryType')),
		output: readOutput(context, itemIndex, PROPERTY_FIELDS, propertyJson),
	};
}

/**
 * Makes the output item for a lead. It has the same columns whether a property was found or not. Each item is a
 * separate copy, because later nodes may change it.
 */
function propertyOfLead(
	found: Match | ServiceError,
	{ output, enquiryType }: Question,
): ItemOutcome {
	if (found instanceof ServiceError) return { error: found };
	const { matchedBy, records } = found;
	const record = matchedBy === null ? undefined : preferredRecord(records, enquiryType);
	const match = { matchedBy, matchCount: records.length };
	return { json: { ...match, ...deepCopy(output(record ?? {})), ...match } };
}

/**
 * Chooses one of the records of a dwelling, such as its sale and its letting: the one that an enquiry is most likely
 * about. A record of the enquiry's type is preferred; then one that is not archived; then one that is on the market;
 * then the one that was changed last. If records are equal in all of that, the first is chosen.
 *
 * @param enquiryType such as “Sales” or `ENQUIRY_TYPE_SALES`; with any other text, no type is preferred
 */
function preferredRecord(records: IDataObject[], enquiryType: string): IDataObject | undefined {
	const isAsked = (recordType: unknown) =>
		(recordType === 'Sale' && /sales$/i.test(enquiryType)) ||
		(recordType === 'Rent' && /lettings$/i.test(enquiryType));
	const [first] = orderBy(
		records,
		[
			({ recordType }) => isAsked(recordType),
			({ archived }) => archived !== true,
			({ inventoryStatus }) => STATUSES_ON_THE_MARKET.some((status) => status === inventoryStatus),
			({ modifiedDate }) => serviceTime(modifiedDate) ?? 0,
		],
		['desc', 'desc', 'desc', 'desc'],
	);
	return first;
}
