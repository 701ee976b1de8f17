import type { INodeProperties } from 'n8n-workflow';

import { CREDENTIAL_LABELS, NODE_LABELS, OPTION_LABELS } from '../../service/labels';
import { LABELS as PRODUCTS_LABELS } from '../../service/products/labels';

/** What the fields are called that messages name. A test holds each of them against the forms of the nodes. */
export const FIELD_LABELS = [
	'Activation ID',
	'Active Only',
	'Address',
	'AgencyRefs',
	'Amount',
	'Applicant Key',
	'Appraisal Key',
	'Created From',
	'Created To',
	'Enquiry Type',
	'Events',
	'Fields to Return',
	'Filter IDs',
	'Filter Parameter Name',
	'Filters',
	'From',
	'From Time Parameter Name',
	'Highlight Description',
	'Highlight ID',
	'Limit',
	'Look Back',
	'Operation',
	'Options',
	'Period',
	'Property',
	'Query',
	'Reference',
	'Resource',
	'Return All',
	'Run Again If It Fails',
	'Runs',
	'Search By',
	'Simplify',
	'Start From',
	'Status',
	'To',
	'To Time Parameter Name',
	'Trigger On',
	'UPRN',
	'Unit',
	'Wait Timeout',
	'Wait for Result',
	'Whole Records',
	...Object.values(NODE_LABELS),
	...Object.values(PRODUCTS_LABELS),
	...Object.values(OPTION_LABELS),
	...Object.values(CREDENTIAL_LABELS),
] as const;

/** A label that messages may name, or a field that has it. */
export type FieldLabel = (typeof FIELD_LABELS)[number] | Pick<INodeProperties, 'displayName'>;

/** A label as sentences name it. */
export function quoted(label: FieldLabel): string {
	return `“${typeof label === 'string' ? label : label.displayName}”`;
}
