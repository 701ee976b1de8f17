import orderBy from 'lodash/orderBy';
import type { IDataObject } from 'n8n-workflow';

import { serviceTime } from '../../service/basics/times';
import { STATUSES_ON_THE_MARKET } from '../common/inventory/statuses';

/** The record type that an enquiry asks for, by the service's word and the plain one, without capitals. */
const RECORD_TYPES = new Map([
	['sales', 'Sale'],
	['lettings', 'Rent'],
]);

/**
 * Of the records of one dwelling, the one that an enquiry is about: of its type, not archived, on the market, last
 * changed; of records that are alike in all of that, the first.
 *
 * @param enquiryType such as `ENQUIRY_TYPE_SALES`; what says neither prefers nothing
 */
export function preferredRecord(
	records: IDataObject[],
	enquiryType: string,
): IDataObject | undefined {
	const wanted = RECORD_TYPES.get(enquiryType.toLowerCase().replace(/^enquiry_type_/, ''));
	const [first] = orderBy(
		records,
		[
			({ recordType }) => recordType === wanted,
			({ archived }) => archived !== true,
			({ inventoryStatus }) => STATUSES_ON_THE_MARKET.some((status) => status === inventoryStatus),
			({ modifiedDate }) => serviceTime(modifiedDate) ?? 0,
		],
		['desc', 'desc', 'desc', 'desc'],
	);
	return first;
}
